import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
} from 'node:fs';
import { ReconError } from '../../errors.js';
import type { ServerAccount } from './server-account.js';
import { nobody } from './system-accounts.js';

const longestLog = 8 * 1024 * 1024;
/** The last lines say why the server did not start. */
const longestExcerpt = 4096;

/** The open log of a server. */
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
  if (present?.isFile() === true && present.size > longestLog) renameSync(file, `${file}.1`);
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
    if ((thrown as NodeJS.ErrnoException).code === 'ELOOP') throw refused(file);
    throw thrown;
  }
}

function refused(file: string): ReconError {
  return new ReconError(
    'DATABASE_EMBEDDED',
    `The log ${file} is a link, has two names or belongs to another user. Nothing was written to it. Remove it, then try again.`,
  );
}
