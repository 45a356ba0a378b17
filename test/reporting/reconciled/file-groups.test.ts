import { expect, test } from 'vitest';
import { groupsOf } from '../../../src/reporting/reconciled/file-groups.js';

const small = (count: number) => Array.from({ length: count }, () => 2_000);

test.each<[string, number[], number[]]>([
  ['no file', [], []],
  ['small files', small(3), [3]],
  ['as many small files as a group holds', small(8), [8]],
  ['one more', small(9), [8, 1]],
  ['a large file', [2_001], [1]],
  ['a large file between small ones', [...small(2), 2_001, ...small(1)], [2, 1, 1]],
  ['large files', [5_000, 5_000], [1, 1]],
])('%s: the groups have so many files', (_what, rows, sizes) => {
  const files = rows.map((rows_total, index) => ({ rows_total, index }));
  const groups = groupsOf(files);
  expect(groups.map((group) => group.length)).toEqual(sizes);
  expect(groups.flat()).toEqual(files);
});
