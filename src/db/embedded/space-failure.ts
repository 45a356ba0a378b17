import { statfsSync } from 'node:fs';
import path from 'node:path';
import { hasNoSpace } from './embedded-error.js';
import { endOfLog, momentOf, recentMs } from './end-of-log.js';

/** What a server wrote when it ended itself or a session: after it, clients see only a lost connection. */
const failureLine =
  /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3}) UTC \[\d+\] (?:PANIC|FATAL): {2}([\x20-\x7e]*)$/gm;

/** The server writes its log of changes (WAL) in files of this size. */
const segmentBytes = 16 * 1024 * 1024;

/**
 * Why a server may have ended its connections: its disk is full. If it cannot write its log of changes, it ends every
 * connection, so no statement gets an error that says so.
 *
 * @returns a sentence; undefined when neither the server's log nor the free space says so
 */
export function spaceFailure(cluster: string, nowMs: number): string | undefined {
  const cause = spaceFailureIn(endOfLog(cluster), nowMs - recentMs);
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
      return hasNoSpace.test(message) && momentOf(day, time) >= sinceMs;
    })
    .at(-1)?.[3];
}

function freeBytes(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
