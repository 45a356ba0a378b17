import { errorCatalogue, exitCodes } from '../errors.js';
import type { ExpectedDelivery, FileOutcome } from '../outcome.js';

/**
 * The exit code of a run that reached its end (design 5): 8 when an expected delivery is missing, else 4 when a source
 * or file could not be read, else 1 when a file or row was rejected, else 0. The codes of a run that ended early (2, 3,
 * 5, 6) are not decided here.
 */
export function exitCodeOf(
  files: readonly FileOutcome[],
  unreadableSources: number,
  expected: readonly ExpectedDelivery[],
): number {
  if (expected.some(({ status }) => status === 'missing')) return exitCodes.deliveryMissing;
  const unreadable =
    unreadableSources > 0 ||
    files.some(
      (file) =>
        file.status === 'failed' &&
        file.error !== null &&
        errorCatalogue[file.error.code].exitCode === exitCodes.sourceUnreadable,
    );
  if (unreadable) return exitCodes.sourceUnreadable;
  const rejected = files.some(
    (file) => file.status === 'rejected' || (file.status === 'loaded' && file.rows.rejected > 0),
  );
  return rejected ? exitCodes.rejected : exitCodes.done;
}
