import type { ChangedCell } from '../findings/changed-cell.js';
import type { FilesDiff, RunsDiff } from '../library/diff.js';
import {
  amountOrTextCell,
  freeTextCell,
  serializeHeader,
  serializeRows,
  textCell,
  type Cell,
  type CsvFormat,
} from '../reporting/tables/csv-cells.js';

/**
 * A comparison as CSV for a spreadsheet, written like the reports: a line for each cell that changed, and one for
 * whatever was added, removed or resolved.
 */
export function diffCsv(diff: FilesDiff | RunsDiff, format: CsvFormat): string {
  const [header, rows] =
    diff.kind === 'files' ? [headerOfFiles, rowsOfFiles(diff)] : [headerOfRuns, rowsOfRuns(diff)];
  return serializeHeader(header, format) + serializeRows(rows, format);
}

const headerOfFiles = [
  ...['Change', 'LineBefore', 'LineAfter', 'SettlementTxId', 'UniqueID', 'Amount', 'Currency'],
  ...['Column', 'Before', 'After'],
];

function rowsOfFiles({ differences }: FilesDiff): Cell[][] {
  return differences.flatMap((each) =>
    withCells(
      [
        textCell(each.kind),
        each.lineBefore,
        each.lineAfter,
        textCell(each.settlementTxId),
        textCell(each.uniqueId),
        amountOrTextCell(each.amount),
        textCell(each.currency),
      ],
      each.cells,
    ),
  );
}

/** `Subject` is a file, a discrepancy or the result of a record. */
const headerOfRuns = [
  ...['Subject', 'Change', 'Run', 'DiscrepancyId', 'Code', 'Severity', 'File', 'Line', 'PaymentId'],
  ...['SettlementTxId', 'Message', 'Column', 'Before', 'After'],
];

function rowsOfRuns({ files, differences, results }: RunsDiff): Cell[][] {
  return [
    ...files.map(({ runId, name, records }) => [
      ...[textCell('file'), textCell('added'), runId, null, null, null, textCell(name), null, null, null],
      ...[textCell(records === 1 ? '1 new record' : `${records} new records`), null, null, null],
    ]),
    ...differences.flatMap((each) =>
      withCells(
        [
          textCell('discrepancy'),
          textCell(each.kind),
          each.runId,
          textCell(each.discrepancyId),
          textCell(each.code),
          textCell(each.severity),
          textCell(each.file),
          each.line,
          textCell(each.paymentId),
          null,
          freeTextCell(each.message),
        ],
        each.cells,
      ),
    ),
    ...results.flatMap((each) =>
      withCells(
        [
          ...[
            textCell('result'),
            textCell('changed'),
            each.runId,
            null,
            null,
            null,
            textCell(each.file),
            each.line,
          ],
          ...[null, textCell(each.settlementTxId), null],
        ],
        each.cells,
      ),
    ),
  ];
}

function withCells(begin: readonly Cell[], cells: readonly ChangedCell[]): Cell[][] {
  if (cells.length === 0) return [[...begin, null, null, null]];
  return cells.map(({ column, before, after }) => [
    ...begin,
    textCell(column),
    amountOrTextCell(before),
    amountOrTextCell(after),
  ]);
}
