import path from 'node:path';
import type { Writable } from 'node:stream';
import { writePiece } from '../../disk/write-piece.js';
import { Archive } from '../../archive/archive.js';
import type { StoredBytes } from '../../archive/stored-bytes.js';
import { inOwnTransaction } from '../../db/transaction.js';
import { isMissing, onDisk } from '../../disk/disk-errors.js';
import { errorCatalogue, exitCodes, ReconError } from '../../errors.js';
import { findNamedFile } from '../../intake/withdraw-file.js';
import { encryptArchive, type EncryptedArchive } from '../../run/encrypt-archive.js';
import { isGiven, usageError } from '../command-arguments.js';
import type { CommandContext } from '../command-context.js';
import type { RunCommand } from '../command-definition.js';
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
    ...problems.map(({ message }) => message),
  ].join('\n');
}

/** Writes the bytes of a file as they were received; standard output with --json may contain only the document. */
export const read: RunCommand = async (context, [file = '', target]) => {
  if (target === undefined && context.options.json) {
    throw usageError('archive read --json needs a TARGET: standard output contains the JSON document.');
  }
  const sha256 = await sha256Of(context, file);
  const { dataDirectory, archive } = context.config();
  const bytes = new Archive(dataDirectory, archive).bytes(sha256);
  const produce = (out: Writable) => copy(bytes, sha256, out);
  if (target === undefined) await writeOutput(context.stdout, produce);
  else {
    const written = path.resolve(context.cwd, target);
    const { sizeBytes } = await writeOutputFile(written, produce);
    context.print({ sha256, file: written, sizeBytes }, () => `${sizeBytes} bytes written to ${target}`);
  }
  return exitCodes.done;
};

/** A packed file and announced totals are in the archive too, and have no name there. */
async function sha256Of(context: CommandContext, given: string): Promise<string> {
  if (/^[0-9a-f]{64}$/i.test(given)) return given.toLowerCase();
  const { sql } = await context.database();
  return (await inOwnTransaction(sql, (tx) => findNamedFile(tx, given))).sha256;
}

async function copy(bytes: StoredBytes, sha256: string, out: Writable): Promise<{ sizeBytes: number }> {
  return onDisk(`read the archived file ${sha256}`, async () => {
    let sizeBytes = 0;
    try {
      for await (const piece of bytes.pieces(256 * 1024)) {
        sizeBytes += piece.length;
        // The piece is used again.
        await writePiece(out, Buffer.from(piece));
      }
    } catch (thrown) {
      if (!isMissing(thrown)) throw thrown;
      throw new ReconError('FILE_NOT_KNOWN', `The archive has no file with the SHA-256 ${sha256}.`);
    }
    return { sizeBytes };
  });
}
