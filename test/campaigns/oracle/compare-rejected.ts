import path from 'node:path';
import { filesOfReport, isPart, type ExpectedRun } from './books.js';
import { compareLists } from './compare-values.js';
import { readReport } from './read-report.js';
import { placeOf } from './records.js';

/** rejected-rows.csv and corrections.csv (design 4.9, 6). */
export function compareRejected(folder: string, expected: ExpectedRun, wasRerun: boolean): string[] {
  const files = filesOfReport(expected, wasRerun).map(({ file }) => file);
  const ofScope = expected.rejected.filter(({ file }) => files.includes(file));
  const open = expected.rejected.filter(({ file, isCorrected }) => !isCorrected && !file.isWithdrawn);
  return [
    // Which days a rejected row belongs to is not said.
    ...(isPart(expected.days)
      ? []
      : compareLists(
          'rejected-rows.csv',
          readReport(path.join(folder, 'rejected-rows.csv')).map(
            ({ File, Line, Column, Value, CorrectedBy }) =>
              [`${File ?? ''}:${Line ?? ''}`, Column, Value, CorrectedBy].join(' '),
          ),
          ofScope.flatMap((row) =>
            row.problems.map((column) =>
              [placeOf(row), column, row.cells[column], row.isCorrected ? 'oracle' : ''].join(' '),
            ),
          ),
        )),
    // Of all files, not of this run alone; what is withdrawn needs no correction.
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
