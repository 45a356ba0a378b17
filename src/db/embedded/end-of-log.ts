import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** A lost connection is reported at once, but a run first waits for its other connections. */
export const recentMs = 60_000;
const longestEnd = 64 * 1024;

/**
 * The last lines of the log of a server. Empty when it cannot be read: the account of the server may have put anything
 * in its place.
 */
export function endOfLog(cluster: string): string {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(`${cluster}.log`, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = fstatSync(descriptor);
    if (!found.isFile()) return '';
    const buffer = Buffer.alloc(longestEnd);
    const from = Math.max(0, found.size - longestEnd);
    return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, longestEnd, from));
  } catch {
    return '';
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The moment of a line, `2026-11-25` and `02:35:40.627`, in milliseconds since 1970. */
export function momentOf(day: string, time: string): number {
  return Date.parse(`${day}T${time}Z`);
}
