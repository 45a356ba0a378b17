import path from 'node:path';
import { filesOfReport, type ExpectedRun } from './books.js';
import { compareLists } from './compare-values.js';
import { readReport } from './read-report.js';
import { placeOf } from './records.js';

/** rejected-rows.csv and corrections.csv (design 4.9, 6). */
export function compareRejected(folder: string, expected: ExpectedRun, wasRerun: boolean): string[] {
  const files = filesOfReport(expected, wasRerun).map(({ file }) => file);
  const ofScope = expected.rejected.filter(({ file }) => files.includes(file));
  const open = expected.rejected.filter(({ isCorrected }) => !isCorrected);
  return [
    ...compareLists(
      'rejected-rows.csv',
      readReport(path.join(folder, 'rejected-rows.csv')).map(({ File, Line, Column, Value, CorrectedBy }) =>
        [`${File ?? ''}:${Line ?? ''}`, Column, Value, CorrectedBy].join(' '),
      ),
      ofScope.flatMap((row) =>
        row.problems.map((column) =>
          [placeOf(row), column, row.cells[column], row.isCorrected ? 'oracle' : ''].join(' '),
        ),
      ),
    ),
    // Of all files, not of this run alone.
    ...compareLists(
      'corrections.csv',
      readReport(path.join(folder, 'corrections.csv')).map(
        ({ OriginalFile, OriginalLine, Amount }) =>
          `${OriginalFile ?? ''}:${OriginalLine ?? ''} ${Amount ?? ''}`,
      ),
      open.map((row) => `${placeOf(row)} ${row.cells['Amount'] ?? ''}`),
    ),
  ];
}
