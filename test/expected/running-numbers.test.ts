import { expect, test } from 'vitest';
import { judgeNumbers } from '../../src/expected/running-numbers.js';

const files = (...names: string[]) =>
  names.map((name, index) => ({ name: `x_${name}.csv`, packedName: null, sha256: `${index}`, counts: true }));
const problems = (...names: string[]) =>
  judgeNumbers(/_(\d+)(?:-\w+)?\.csv$/, files(...names)).map(({ name, problem }) => `${name} ${problem}`);

test.each<[string, string[], string[]]>([
  ['numbers in order', ['7', '8', '9'], []],
  ['a first number, whatever it is', ['700'], []],
  ['a name without a number', ['7', 'total', '8'], []],
  ['leading zeros', ['008', '009', '010'], []],
  ['a skipped number', ['7', '9'], ['x_9.csv Between 7 and 9, the number 8 did not arrive.']],
  ['skipped numbers', ['7', '12'], ['x_12.csv Between 7 and 12, the numbers 8 to 11 did not arrive.']],
  ['a number that comes late', ['7', '9', '8', '10'], []],
  [
    'the first of several skipped numbers, late',
    ['7', '12', '8'],
    ['x_12.csv Between 8 and 12, the numbers 9 to 11 did not arrive.'],
  ],
  [
    'the last of several skipped numbers, late',
    ['7', '10', '9'],
    ['x_9.csv Between 7 and 9, the number 8 did not arrive.'],
  ],
  ['skipped numbers that all come late', ['7', '11', '9', '8', '10', '12'], []],
  [
    'one in the middle of skipped numbers, late',
    ['7', '11', '9'],
    [
      'x_9.csv Between 7 and 9, the number 8 did not arrive.',
      'x_11.csv Between 9 and 11, the number 10 did not arrive.',
    ],
  ],
  [
    'a gap before the count starts again',
    ['997', '999', '1', '2'],
    ['x_999.csv Between 997 and 999, the number 998 did not arrive.'],
  ],
  ['a number twice', ['7', '8', '8-b'], ['x_8-b.csv The number 8 was already used by x_8.csv.']],
  ['a count that starts again', ['998', '999', '1', '2'], []],
  ['a gap after the start', ['999', '1', '3'], ['x_3.csv Between 1 and 3, the number 2 did not arrive.']],
  ['number 1 late, after three others', ['2', '3', '4', '1', '5', '6'], []],
  ['numbers 1 and 2 late', ['3', '4', '5', '1', '2', '6'], []],
  [
    'number 1 again in the middle of a count',
    ['1', '2', '3', '1-b', '4'],
    ['x_1-b.csv The number 1 was already used by x_1.csv.'],
  ],
  [
    'a count that starts again and lasts longer than what is known of the former',
    ['7', '8', '1', '2', '3', '9'],
    ['x_9.csv Between 3 and 9, the numbers 4 to 8 did not arrive.'],
  ],
  ['a count that starts again, as far as it is known', ['1', '2', '3', '1-b'], []],
  [
    'number 1 again right after number 2',
    ['1', '2', '1-b'],
    ['x_1-b.csv The number 1 was already used by x_1.csv.'],
  ],
  [
    'a count that starts again and lasts as long as what is known of the former',
    ['7', '8', '1', '2', '9'],
    ['x_9.csv Between 2 and 9, the numbers 3 to 8 did not arrive.'],
  ],
  [
    'a count that starts again and uses numbers of the former',
    ['1', '2', '3', '1-b', '2-b', '4'],
    ['x_4.csv Between 2 and 4, the number 3 did not arrive.'],
  ],
  ['several numbers before the first one, late', ['5', '6', '3', '4', '7'], []],
  [
    'more digits than a number holds',
    ['99999999999999998', '99999999999999999', '100000000000000001'],
    [
      'x_100000000000000001.csv Between 99999999999999999 and 100000000000000001, the number 100000000000000000 did not arrive.',
    ],
  ],
])('%s', (_what, names, expected) => {
  expect(problems(...names)).toEqual(expected);
});

const delivered = (...names: [name: string, counts: boolean][]) =>
  judgeNumbers(
    /_(\d+)(?:-\w+)?\.csv$/,
    names.map(([name, counts], index) => ({
      name: `x_${name}.csv`,
      packedName: null,
      sha256: `${index}`,
      counts,
    })),
  ).map(({ name, problem }) => `${name} ${problem}`);

test('a corrected file may have the number of the one that was rejected or withdrawn', () => {
  expect(delivered(['7', true], ['8', false], ['8-b', true], ['9', true])).toEqual([]);
  expect(delivered(['7', true], ['8', false], ['8-b', true], ['8-c', true], ['9', true])).toEqual([
    'x_8-c.csv The number 8 was already used by x_8-b.csv.',
  ]);
});
