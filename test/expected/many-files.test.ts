import { expect, test } from 'vitest';
import { judgeExpected, type DeliveredFile } from '../../src/expected/judge-expected.js';
import type { Expectation } from '../../src/remote/source-settings.js';

/**
 * A source may deliver thousands of files a day. Files are compared by their names, numbers and states, so what is read
 * of them is counted and not the seconds. Each with each would read 1,000,000 values.
 */
const count = 1_000;
const mostReads = 100 * count;

const expectation: Expectation = {
  days: 'daily',
  deadline: '07:00',
  timezone: 'UTC',
  lagDays: 0,
  files: 1,
  holidays: new Set(),
  sequence: /_(\d+)\.csv$/,
  filePattern: null,
  rows: { min: 0, max: 10 },
};

/** The problems that the files of one day have, and how many values of them were read. */
function judge(files: readonly DeliveredFile[]): {
  readonly problems: readonly string[];
  readonly reads: number;
} {
  let reads = 0;
  const watched = files.map(
    (file) =>
      new Proxy(file, {
        get: (target, property, receiver) => {
          reads += 1;
          return Reflect.get(target, property, receiver) as unknown;
        },
      }),
  );
  const days = { atMs: Date.parse('2026-11-20T06:00:00Z'), range: null, since: '2026-11-20' } as const;
  const problems = judgeExpected(expectation, watched, days).flatMap((judged) => judged.problems);
  return { problems, reads };
}

/** Files of one day in the order of delivery. */
function filesWith(numberOf: (index: number) => number, counts = true): DeliveredFile[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `${index}_${numberOf(index)}.csv`,
    packedName: null,
    sha256: `${index}`,
    lastSettlementDate: '2026-11-20',
    deliveredAtMs: Date.parse('2026-11-20T05:00:00Z'),
    rows: 1,
    counts,
  }));
}

test.each<[string, DeliveredFile[], number]>([
  ['files that each skip a number', filesWith((index) => 2 * index + 2), count - 1],
  ['files that each skip a number, and that were withdrawn', filesWith((index) => 2 * index + 2, false), 0],
  ['files that all have the same number', filesWith(() => 7), count - 1],
  [
    'files of which every second one has number 1',
    filesWith((index) => (index % 2 === 0 ? 1 : index + 100)),
    // Each other number skips one, and each number 1 but the first was used before.
    count - 1,
  ],
])('%s are judged in proportion to their number', (_what, files, expected) => {
  const { problems, reads } = judge(files);
  expect(problems).toHaveLength(expected);
  expect(reads).toBeLessThan(mostReads);
});
