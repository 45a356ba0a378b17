import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
  type Stats,
} from 'node:fs';
import { systemCodeOf } from '../../disk/disk-errors.js';
import { ReconError } from '../../errors.js';
import type { ServerAccount } from './run-program.js';
import { nobody } from './system-accounts.js';

/** A longer log is put aside. */
export const longestLog = 8 * 1024 * 1024;
/** The last lines say why the server did not start. */
const longestExcerpt = 4096;

/** The log file of a server that is starting, open for its output; the caller closes it. */
export interface ServerLog {
  readonly descriptor: number;
  /** What went wrong since the log was opened: the lines that say so, or else the last three. */
  written(): string;
  close(): void;
}

/**
 * Opens the log for appending; it belongs to the account of the server, and only that account can read it. In a user's
 * data directory, root must not follow a link that the user put in its place.
 *
 * @throws ReconError DATABASE_EMBEDDED when it is a link or belongs to somebody else
 */
export function openLog(file: string, account: ServerAccount | undefined): ServerLog {
  const present = lstatSync(file, { throwIfNoEntry: false });
  if (present?.isFile() === true && present.size > longestLog) renameSync(file, putAside(file));
  const { descriptor, found } = openOwnFile(file, account);
  return {
    descriptor,
    written: () => {
      const since = Math.max(found.size, fstatSync(descriptor).size - longestExcerpt);
      const buffer = Buffer.alloc(longestExcerpt);
      const text = buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, longestExcerpt, since));
      return reasonIn(text.trim().split('\n'));
    },
    close: () => closeSync(descriptor),
  };
}

/** In place of the one before. */
const putAside = (file: string) => `${file}.1`;

/**
 * Copies the log of a running server and empties it. Its processes keep the file open and append to it, so they
 * continue at its new end; what they write between both steps is lost. The copy is complete or missing.
 *
 * @throws ReconError DATABASE_EMBEDDED as `openLog`; the errors of the disk, and then the log is as it was
 */
export function emptyLog(file: string, account: ServerAccount | undefined): void {
  const { descriptor } = openOwnFile(file, account);
  const copy = `${putAside(file)}.new`;
  try {
    // A user who owns the folder may have put a link there: it is removed, and never followed.
    rmSync(copy, { force: true });
    const target = openSync(copy, 'wx', 0o600);
    try {
      if (account !== undefined) fchownSync(target, account.uid, account.gid);
      copyAll(descriptor, target);
    } finally {
      closeSync(target);
    }
    renameSync(copy, putAside(file));
    ftruncateSync(descriptor);
  } catch (thrown) {
    rmSync(copy, { force: true });
    throw thrown;
  } finally {
    closeSync(descriptor);
  }
}

function copyAll(from: number, to: number): void {
  const buffer = Buffer.alloc(65_536);
  for (let at = 0; ;) {
    const length = readSync(from, buffer, 0, buffer.length, at);
    if (length === 0) return;
    for (let written = 0; written < length;) written += writeSync(to, buffer, written, length - written);
    at += length;
  }
}

function openOwnFile(file: string, account: ServerAccount | undefined): { descriptor: number; found: Stats } {
  const descriptor = openFile(file);
  const found = fstatSync(descriptor);
  const own = process.getuid?.() ?? 0;
  // A log of an earlier version belongs to `nobody`.
  const owners = [own, account?.uid, ...(own === 0 ? [nobody] : [])];
  if (!found.isFile() || found.nlink !== 1 || !owners.includes(found.uid)) {
    closeSync(descriptor);
    throw refused(file);
  }
  if ((found.mode & 0o077) !== 0) fchmodSync(descriptor, 0o600);
  if (account !== undefined) fchownSync(descriptor, account.uid, account.gid);
  return { descriptor, found };
}

/** A server that cannot continue says why, and then how it ends. A client that it turns away is not the reason. */
function reasonIn(lines: readonly string[]): string {
  const failures = lines.filter((line) => /\b(PANIC|FATAL): /.test(line) && !isTurnedAway.test(line));
  return (failures.length === 0 ? lines : failures).slice(-3).join(' ');
}

const isTurnedAway = /FATAL: {2}the database system is /;

function openFile(file: string): number {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    return openSync(file, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  } catch (thrown) {
    if (systemCodeOf(thrown) === 'ELOOP') throw refused(file);
    throw thrown;
  }
}

function refused(file: string): ReconError {
  return new ReconError(
    'DATABASE_EMBEDDED',
    `The log ${file} is a link, has two names or belongs to another user. Nothing was written to it. Remove it, then try again.`,
  );
}
