import { describe, expect, test } from 'vitest';
import { errorGuide } from '../src/error-guide.js';
import {
  ReconError,
  errorCatalogue,
  exitCodes,
  isFetchFailure,
  isSourceFailure,
  type ErrorCode,
  type FailureClass,
} from '../src/errors.js';

// The record's keys are the codes, which Object.keys forgets.
const codes = Object.keys(errorCatalogue) as ErrorCode[];

/** Which exit codes a failure of a class may lead to (design 5). */
const exitCodesOf: Readonly<Record<FailureClass, readonly number[]>> = {
  content: [exitCodes.rejected],
  // A file that is still being written is no failure of the run.
  file: [exitCodes.sourceUnreadable, exitCodes.done],
  connection: [exitCodes.sourceUnreadable],
  // A delivery that is missing is about a source that could be read.
  source: [exitCodes.sourceUnreadable, exitCodes.deliveryMissing],
  run: [
    exitCodes.usage,
    exitCodes.otherRunActive,
    exitCodes.database,
    exitCodes.disk,
    // A report that could not be delivered: of `reports deliver` and `doctor`.
    exitCodes.sourceUnreadable,
    // `doctor --since` misses a run.
    exitCodes.deliveryMissing,
    exitCodes.defect,
    exitCodes.interrupted,
  ],
};

describe.each(codes)('%s', (code) => {
  const { of, exitCode, retry } = errorCatalogue[code];

  test('leads to an exit code of its class', () => {
    expect(exitCodesOf[of]).toContain(exitCode);
  });

  test('says in the runbook what the catalogue says about another try', () => {
    expect(errorGuide[code].nextRun.startsWith('No')).toBe(retry === 'after correction');
  });

  test('ends a file or a source only where its class says so', () => {
    const error = new ReconError(code, 'text');
    expect(isFetchFailure(error)).toBe(of === 'file' || of === 'connection');
    expect(isSourceFailure(error)).toBe(of !== 'run' && of !== 'content');
  });
});

test('what a server refused is never tried again at once', () => {
  const atOnce = codes.filter((code) => errorCatalogue[code].retry === 'at once');
  expect(atOnce).toEqual(['SOURCE_UNREACHABLE', 'SOURCE_STALLED', 'FILE_INCOMPLETE', 'REPORT_UNDELIVERED']);
});
