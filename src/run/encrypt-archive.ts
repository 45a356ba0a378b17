import { stat } from 'node:fs/promises';
import { archivedFiles } from '../archive/archived-files.js';
import { appendAuditEvents } from '../db/audit-log/append-audit-events.js';
import { inOwnTransaction } from '../db/transaction.js';
import { onDisk } from '../disk/disk-errors.js';
import { ReconError, type ErrorCode } from '../errors.js';
import { failPoint } from '../fail-point.js';
import { stopIfAborted } from '../interruption.js';
import type { RunContext } from './run-context.js';
import { acquireLockWithoutRun } from './run-lock.js';

/** What `recon archive encrypt` did, or would do. */
export interface EncryptedArchive {
  readonly dryRun: boolean;
  /** The name of the key. */
  readonly encryptWith: string;
  /** Files that were plain, or had another key. */
  readonly encrypted: number;
  /** Files that had this key. */
  readonly unchanged: number;
  /** Files that stay as they are, with the reason. */
  readonly problems: readonly {
    readonly sha256: string;
    readonly code: ErrorCode;
    readonly message: string;
  }[];
}

/**
 * Encrypts the files of the archive that are plain or have another key, with the key for new files. A file is replaced
 * in one step, and only after all its bytes were read and their SHA-256 was right. So the command may be interrupted at
 * any moment and started again. It takes the run lock: a run deletes incoming files that are not its own.
 *
 * @throws ReconError RUN_ACTIVE, RUN_INTERRUPTED, DISK_FULL, errors of the database
 */
export async function encryptArchive(
  context: RunContext,
  { encryptWith, dryRun }: { readonly encryptWith: string; readonly dryRun: boolean },
): Promise<EncryptedArchive> {
  const lock = await acquireLockWithoutRun(context, 'archive encrypt');
  const signal = AbortSignal.any([context.signal, lock.lost]);
  const task = context.progress.begin('archive', null, 'bytes');
  const problems: EncryptedArchive['problems'][number][] = [];
  let [encrypted, unchanged] = [0, 0];
  try {
    if (!dryRun) await context.archive.removeIncoming();
    const hashes = new Set((await archivedFiles(context.dataDirectory)).map(({ sha256 }) => sha256));
    for (const sha256 of hashes) {
      stopIfAborted(signal, 'It was interrupted. What is encrypted stays; the same command does the rest.');
      try {
        const facts = await onDisk(`look at ${sha256}`, () => context.archive.bytes(sha256).facts());
        if (facts.encryptedWith === encryptWith) unchanged += 1;
        else {
          if (!dryRun) await encryptFile(context, sha256, facts.file, (bytes) => task.advance(bytes));
          encrypted += 1;
        }
      } catch (thrown) {
        // A full disk would fail for the next file too.
        if (!(thrown instanceof ReconError) || ['DISK_FULL', 'LIMIT_REACHED'].includes(thrown.code))
          throw thrown;
        problems.push({ sha256, code: thrown.code, message: thrown.message });
      }
    }
    return { dryRun, encryptWith, encrypted, unchanged, problems };
  } finally {
    task.end();
    // Also after an interruption, because these files were changed.
    if (!dryRun && encrypted > 0) await recordEncryption(context, { encryptWith, encrypted });
    await lock.release();
  }
}

/** One event with the number of files. If the process is killed, no event counts the files that it encrypted. */
async function recordEncryption(
  { database, author }: RunContext,
  details: { readonly encryptWith: string; readonly encrypted: number },
): Promise<void> {
  await inOwnTransaction(database.sql, (tx) =>
    appendAuditEvents(tx, author, [{ action: 'archive.encrypted', subject: 'archive', details }]),
  );
}

async function encryptFile(
  { archive }: RunContext,
  sha256: string,
  file: string,
  advance: (bytes: number) => void,
): Promise<void> {
  const what = `encrypt ${file}`;
  const incoming = await archive.newIncoming();
  try {
    await onDisk(what, async () => {
      const { atime, mtime } = await stat(file);
      try {
        for await (const piece of archive.bytes(sha256).pieces(256 * 1024)) {
          await incoming.write(piece);
          advance(piece.length);
        }
        await incoming.end();
        // Retention counts the age of bytes without a row from this time.
        await incoming.setTimes(atime, mtime);
        await incoming.sync(what);
      } finally {
        await incoming.close();
      }
    });
    if (incoming.sha256 !== sha256) {
      throw new ReconError(
        'DISK_FAILED',
        `The archived file ${file} is damaged: its bytes have another SHA-256. It stays as it is; restore it from a backup.`,
      );
    }
    failPoint('encrypt.file');
    await archive.keep(incoming, sha256);
  } finally {
    await incoming.remove();
  }
}
