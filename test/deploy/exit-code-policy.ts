import { errorCatalogue, exitCodes } from '../../src/errors.js';

/** Exit codes of a run that is complete: it did everything and reports a finding. */
export const complete: readonly number[] = [
  exitCodes.done,
  exitCodes.rejected,
  exitCodes.discrepancies,
  exitCodes.deliveryMissing,
];

/** Whether the same command may end better later, without anybody correcting something first. */
export function worthAnotherAttempt(exitCode: number): boolean {
  if (complete.includes(exitCode)) return false;
  if (exitCode === exitCodes.interrupted || exitCode === exitCodes.terminated) return true;
  return Object.values(errorCatalogue).some(
    (entry) => entry.exitCode === exitCode && entry.of !== 'content' && entry.retry !== 'after correction',
  );
}
