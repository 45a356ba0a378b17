import { expect, test } from 'vitest';
import { quietReasons } from '../../src/cli/quiet-reasons.js';
import type { RunOutcome } from '../../src/outcome.js';

test.each([
  [1, 1, '1 of 1 row was rejected'],
  [1, 3, '1 of 3 rows was rejected'],
  [2, 3, '2 of 3 rows were rejected'],
])('%d rejected rows of %d are a correct sentence', (rejected, total, sentence) => {
  const rows = { total, accepted: total - rejected, rejected, alreadyKnown: 0 };
  const files = [{ source: 'local', name: 'a.csv', status: 'loaded', error: null, rows }];
  // Only these members are read.
  const outcome = { exitCode: 1, files, expected: [], sources: [] } as unknown as RunOutcome;
  expect(quietReasons(outcome, null)).toEqual([`a.csv: ${sentence}`]);
});
