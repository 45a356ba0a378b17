import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { writePiece } from '../../disk/write-piece.js';
import { Archive } from '../../archive/archive.js';
import type { StoredBytes } from '../../archive/stored-bytes.js';
import { inOwnTransaction } from '../../db/transaction.js';
import { isMissing, onDisk } from '../../disk/disk-errors.js';
import { errorCatalogue, exitCodes, ReconError } from '../../errors.js';
import { findNamedFile, type NamedFile } from '../../intake/withdraw-file.js';
import { encryptArchive, type EncryptedArchive } from '../../run/encrypt-archive.js';
import { dateInZone, type CalendarDate } from '../../values/calendar-date.js';
import { isGiven, usageError } from '../command-arguments.js';
import type { CommandContext } from '../command-context.js';
import type { RunCommand } from '../command-definition.js';
import { printable } from '../text/printable.js';
import { writeOutput, writeOutputFile } from '../write-output.js';

/** `recon archive encrypt`: encrypts what is in the archive already with the key of `archive.encryptWith`. */
export const encrypt: RunCommand = async (context, _args, options) => {
  const { encryptWith } = context.config().archive;
  if (encryptWith === null) {
    throw new ReconError('CONFIG_INVALID', 'No key is configured to encrypt with (archive.encryptWith).');
  }
  const done = await encryptArchive(await context.runContext(), {
    encryptWith,
    dryRun: isGiven(options, 'dryRun'),
  });
  context.print(
    done,
    () => describe(done),
    done.problems.map(({ message, code }) => `${message} (${code})`),
  );
  return Math.max(exitCodes.done, ...done.problems.map(({ code }) => errorCatalogue[code].exitCode));
};

function describe({ dryRun, encryptWith, encrypted, unchanged, problems }: EncryptedArchive): string {
  const did = dryRun ? 'would be encrypted' : 'encrypted';
  return [
    `${encrypted === 1 ? '1 file' : `${encrypted} files`} ${did} with the key ${encryptWith}; ${unchanged} had it before.`,
    ...problems.map(({ code, message }) => `${message}\n${errorCatalogue[code].advice} (${code})`),
  ].join('\n');
}

/** Writes the bytes of a file as they were received; standard output with --json may contain only the document. */
export const read: RunCommand = async (context, [file = '', target]) => {
  if (target === undefined && context.options.json) {
    throw usageError('archive read --json needs a TARGET: standard output contains the JSON document.');
  }
  const named = await namedFile(context, file);
  const { sha256 } = named;
  const { dataDirectory, archive } = context.config();
  const bytes = new Archive(dataDirectory, archive).bytes(sha256);
  const produce = (out: Writable) => copy(bytes, named, out);
  if (target === undefined) await writeOutput(context.stdout, produce);
  else {
    const written = path.resolve(context.cwd, target);
    const { sizeBytes } = await writeOutputFile(written, produce);
    context.print(
      { sha256, file: written, sizeBytes },
      () => `Wrote ${sizeBytes} bytes to ${printable(target)}.`,
    );
  }
  return exitCodes.done;
};

/** What was asked for; only the SHA-256 if only that was given. */
interface Wanted extends Pick<NamedFile, 'sha256'>, Partial<Pick<NamedFile, 'name'>> {
  /** The day in `timezone` on which retention removed its bytes. */
  readonly removedOn?: CalendarDate | null;
}

/** A packed file and announced totals are in the archive too, and have no name there. */
async function namedFile(context: CommandContext, given: string): Promise<Wanted> {
  if (/^[0-9a-f]{64}$/i.test(given)) return { sha256: given.toLowerCase() };
  const { sql } = await context.database();
  const { name, sha256, archiveRemovedAt } = await inOwnTransaction(sql, (tx) => findNamedFile(tx, given));
  const { timezone } = context.config();
  const removedOn = archiveRemovedAt === null ? null : dateInZone(Date.parse(archiveRemovedAt), timezone);
  return { name, sha256, removedOn };
}

async function copy(bytes: StoredBytes, wanted: Wanted, out: Writable): Promise<{ sizeBytes: number }> {
  const { sha256 } = wanted;
  return onDisk(`read the archived file ${sha256}`, async () => {
    const hash = createHash('sha256');
    let sizeBytes = 0;
    try {
      for await (const piece of bytes.pieces(256 * 1024)) {
        sizeBytes += piece.length;
        hash.update(piece);
        // The piece is used again.
        await writePiece(out, Buffer.from(piece));
      }
    } catch (thrown) {
      throw isMissing(thrown) ? notInArchive(wanted) : thrown;
    }
    if (hash.digest('hex') !== sha256) {
      throw new ReconError(
        'DISK_FAILED',
        `The archived bytes of ${calledAs(wanted)} are damaged: they are not those that were received, so do not use what was written.`,
      );
    }
    return { sizeBytes };
  });
}

const calledAs = ({ name, sha256 }: Wanted) =>
  name === undefined ? `the file with the SHA-256 ${sha256}` : `${name} (SHA-256 ${sha256})`;

/** A file that was received must be there, unless retention removed it. */
function notInArchive(wanted: Wanted): ReconError {
  const { name, sha256, removedOn } = wanted;
  if (name === undefined)
    return new ReconError('FILE_NOT_KNOWN', `The archive has no file with the SHA-256 ${sha256}.`);
  const bytes = `The bytes of ${calledAs(wanted)}`;
  return typeof removedOn === 'string'
    ? new ReconError(
        'ARCHIVE_REMOVED',
        `${bytes} were removed from the archive on ${removedOn}, by the settings of retention.`,
      )
    : new ReconError('DISK_FAILED', `${bytes} are missing in the archive.`);
}
