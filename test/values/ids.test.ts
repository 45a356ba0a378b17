import { expect, test } from 'vitest';
import { RecordEncoder } from '../../src/intake/encode-records.js';
import { reportFolderName } from '../../src/run/report-folder-name.js';
import { fileId, runId } from '../../src/values/ids.js';

/**
 * The type check is the test: it fails as soon as a line below an `@ts-expect-error` compiles. A plain number must be
 * made an id of its kind first.
 */
test('ids of different kinds cannot be swapped', () => {
  expect(reportFolderName(runId(7))).toBe('run-000007');
  // @ts-expect-error a file id is not a run id
  reportFolderName(fileId(7));
  // @ts-expect-error a number is not a run id
  reportFolderName(7);

  new RecordEncoder(fileId(7));
  // @ts-expect-error a run id is not a file id
  new RecordEncoder(runId(7));
});

test('an id is the number itself', () => {
  expect([runId(17), fileId(3)]).toEqual([17, 3]);
});
