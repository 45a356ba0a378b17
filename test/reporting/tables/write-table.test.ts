import { describe, expect, test } from 'vitest';
import type { Cell } from '../../../src/reporting/tables/csv-cells.js';
import { StagedFolder } from '../../../src/reporting/folder/report-folder.js';
import { spreadsheetRows, writeTable } from '../../../src/reporting/tables/write-table.js';
import { folderForAllTests } from '../../support/test-folder.js';

const format = { delimiter: ';', decimalSeparator: '.' } as const;
const reports = folderForAllTests();

async function* inBatches(count: number, size: number): AsyncGenerator<Cell[][]> {
  for (let from = 0; from < count; from += size) {
    await Promise.resolve();
    yield Array.from({ length: Math.min(size, count - from) }, (_, index) => [from + index]);
  }
}

describe('F105 a table that is longer than a spreadsheet goes on in parts', () => {
  test.each([
    ['no row', 0, 10, [0]],
    ['less than one part', 3, 10, [3]],
    ['exactly one part', 9, 10, [9]],
    ['one row more', 10, 10, [9, 1]],
    ['batches across parts', 25, 10, [9, 9, 7]],
    ['exactly two parts', 18, 10, [9, 9]],
  ])('%s', async (_what, count, rowLimit, expected) => {
    for (const size of [1, 4, 7, 100]) {
      const folder = await StagedFolder.create(reports.path, 'run-000001');
      const table = { name: 'discrepancies', header: ['N'], rows: inBatches(count, size) };
      expect(await writeTable(folder, table, { rowLimit, format })).toEqual({
        parts: expected.length,
        rows: count,
      });
      expect(folder.files.map(({ name, rows }) => [name, rows])).toEqual(
        expected.map((rows, index) => [
          index === 0 ? 'discrepancies.csv' : `discrepancies-${index + 1}.csv`,
          rows,
        ]),
      );
    }
  });

  test('the limit is that of a spreadsheet, its header row included', async () => {
    const folder = await StagedFolder.create(reports.path, 'run-000001');
    const table = { name: 't', header: ['N'], rows: inBatches(1_048_576, 20_000) };
    expect(await writeTable(folder, table, { rowLimit: spreadsheetRows, format })).toEqual({
      parts: 2,
      rows: 1_048_576,
    });
    expect(folder.files.map((file) => file.rows)).toEqual([1_048_575, 1]);
  });
});
