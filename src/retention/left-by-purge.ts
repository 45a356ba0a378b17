/** The coarsest time of a file on a common file system. */
const fileTimeToleranceMs = 2_000;

/**
 * Whether a file was there already when a purge removed it: the purge was interrupted. Pure; both times are in
 * milliseconds since 1970. The time of a file may lie before the moment in which it was written: file systems round it
 * down, some of them to two seconds. A file so close to its removal counts as one that came back, because that one
 * must not be lost, and one that was left is only kept for longer.
 */
export function isLeftByPurge(modifiedAtMs: number, removedAtMs: number): boolean {
  return modifiedAtMs < removedAtMs - fileTimeToleranceMs;
}
