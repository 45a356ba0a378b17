import { closeSync, constants, fstatSync, openSync, readSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { hasNoSpace } from './embedded-error.js';

/** What a server wrote when it ended itself or a session: after it, clients see only a lost connection. */
const failureLine =
  /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3}) UTC \[\d+\] (?:PANIC|FATAL): {2}([\x20-\x7e]*)$/gm;

/** A lost connection is reported at once, but a run first waits for its other connections. */
const recentMs = 60_000;
const longestTail = 64 * 1024;
/** The server writes its log of changes (WAL) in files of this size. */
const segmentBytes = 16 * 1024 * 1024;

/**
 * Why a server may have ended its connections: its disk is full. If it cannot write its log of changes, it ends every
 * connection, so no statement gets an error that says so.
 *
 * @returns a sentence; undefined when neither the server's log nor the free space says so
 */
export function spaceFailure(cluster: string, nowMs: number): string | undefined {
  const cause = spaceFailureIn(tailOf(`${cluster}.log`), nowMs - recentMs);
  if (cause !== undefined) return `its server stopped, because it ${cause}`;
  const free = freeBytes(path.join(cluster, 'pg_wal'));
  return free !== undefined && free < segmentBytes
    ? `it has ${Math.floor(free / 1024 / 1024)} MB left, and its server needs more to write`
    : undefined;
}

/** The last message about missing disk space since this moment, with which a server ended itself or a session. */
export function spaceFailureIn(log: string, sinceMs: number): string | undefined {
  return [...log.matchAll(failureLine)]
    .filter(([, day = '', time = '', message = '']) => {
      return hasNoSpace.test(message) && Date.parse(`${day}T${time}Z`) >= sinceMs;
    })
    .at(-1)?.[3];
}

/** Empty when it cannot be read. The account of the server may have put anything in its place. */
function tailOf(file: string): string {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = fstatSync(descriptor);
    if (!found.isFile()) return '';
    const buffer = Buffer.alloc(longestTail);
    const from = Math.max(0, found.size - longestTail);
    return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, longestTail, from));
  } catch {
    return '';
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function freeBytes(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
