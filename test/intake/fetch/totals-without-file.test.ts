import { expect, test } from 'vitest';
import { totalsWithoutFile, totalsWithoutFileNotice } from '../../../src/intake/fetch/totals-without-file.js';
import type { RemoteFile } from '../../../src/remote/remote-folder.js';
import { sidecarDefaults } from '../../../src/remote/source-settings.js';

/** Announced totals whose settlement file is not at the source (design 4.10). */

const hourMs = 3_600_000;
const nowMs = 100 * hourMs;

/** A listed file; `name@30` was changed 30 hours ago, `name@?` at a time that the server does not state. */
function listed(entry: string): RemoteFile {
  const [name = '', age = '30'] = entry.split('@');
  return {
    name,
    path: `/${name}`,
    sizeBytes: 10,
    modifiedAtMs: age === '?' ? null : nowMs - Number(age) * hourMs,
    isRegular: true,
  };
}

test.each([
  // sidecar, filePattern, files at the source, named
  ['{name}.totals', '*', 'a.csv a.csv.totals', []],
  ['{name}.totals', '*', 'b.csv a.csv.totals', ['a.csv.totals']],
  ['{name}.totals', '*', 'b.csv.totals a.csv.totals', ['a.csv.totals', 'b.csv.totals']],
  ['{name}.totals', '*', 'a.csv.totals@23', []],
  ['{name}.totals', '*', 'a.csv.totals@?', ['a.csv.totals']],
  ['{name}.totals', '*.csv', 'a.CSV a.csv.totals', ['a.csv.totals']],
  ['{name}.totals', '*.csv', 'notes.txt.totals', []],
  ['{name}.totals', '*.csv*', 'a.csv.gz a.csv.totals', []],
  ['{name}.totals', '*.csv.gz', 'a.csv.totals', ['a.csv.totals']],
  ['{name}.totals', '*.csv', '.a.csv.totals', []],
  ['{base}.txt', '*.csv', 'a.csv a.txt', []],
  ['{base}.txt', 'settlement-*.csv', 'settlement-1.txt', ['settlement-1.txt']],
  ['{base}.txt', 'settlement-*.csv', 'readme.txt', []],
  ['{base}.txt', 'settlement-*.csv.gz', 'settlement-1.csv.gz settlement-1.txt', []],
  ['totals-{base}.csv', '*.csv', 'a.csv totals-a.csv totals-b.csv', ['totals-b.csv']],
  ['{name}-{name}', '*', 'a.csv-a.csv', []],
])('with sidecar %s and filePattern %s, of %s: %j', (sidecar, filePattern, entries, named) => {
  const source = { totals: { ...sidecarDefaults, sidecar }, filePattern };
  expect(totalsWithoutFile(entries.split(' ').map(listed), source, nowMs)).toEqual(named);
});

test('a source without totals has none, and a folder is not one', () => {
  const totals = { ...sidecarDefaults, sidecar: '{name}.totals' };
  expect(totalsWithoutFile([listed('a.csv.totals')], { totals: null, filePattern: '*' }, nowMs)).toEqual([]);
  const folder = { ...listed('a.csv.totals'), isRegular: false };
  expect(totalsWithoutFile([folder], { totals, filePattern: '*' }, nowMs)).toEqual([]);
});

test('one sentence names one of them, and says how many there are', () => {
  expect(totalsWithoutFileNotice('bank', [])).toEqual([]);
  expect(totalsWithoutFileNotice('bank', ['a.csv.totals', 'b.csv.totals'])).toEqual([
    'Source bank has 2 files with announced totals, such as a.csv.totals, but not their settlement files. Ask the ' +
      'sender for them.',
  ]);
});
