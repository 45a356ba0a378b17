import type { ChangedCell } from '../../findings/changed-cell.js';
import type { FilesDiffInBatches, RunsDiffInBatches } from '../../library/diff.js';
import type { AddedFile } from '../../listings/compare-runs.js';
import type { FindingDifference } from '../../listings/changed-findings.js';
import type { ResultDifference } from '../../listings/changed-results.js';
import type { RecordDifference } from '../../matching/deliveries/compare-files.js';
import {
  amountOrTextCell,
  freeTextCell,
  serializeHeader,
  serializeRows,
  textCell,
  type Cell,
  type CsvFormat,
} from '../../reporting/tables/csv-cells.js';

/**
 * A comparison as CSV for a spreadsheet, written like the reports: a line for each cell that changed, and one for
 * whatever was added, removed or resolved.
 */
export async function* diffCsv(
  diff: FilesDiffInBatches | RunsDiffInBatches,
  format: CsvFormat,
): AsyncGenerator<string> {
  yield serializeHeader(diff.kind === 'files' ? headerOfFiles : headerOfRuns, format);
  for await (const rows of diff.kind === 'files' ? rowsOfFiles(diff) : rowsOfRuns(diff)) {
    yield serializeRows(rows, format);
  }
}

const headerOfFiles = [
  ...['Change', 'LineBefore', 'LineAfter', 'SettlementTxId', 'UniqueID', 'Amount', 'Currency'],
  ...['Column', 'Before', 'After'],
];

async function* rowsOfFiles({ differences }: FilesDiffInBatches): AsyncGenerator<Cell[][]> {
  for await (const batch of differences) yield batch.flatMap(rowsOfRecord);
}

function rowsOfRecord(record: RecordDifference): Cell[][] {
  const { kind, lineBefore, lineAfter, settlementTxId, uniqueId, amount, currency, cells } = record;
  return withCells(
    [
      ...[textCell(kind), lineBefore, lineAfter, textCell(settlementTxId), textCell(uniqueId)],
      ...[amountOrTextCell(amount), textCell(currency)],
    ],
    cells,
  );
}

/** `Subject` is a file, a discrepancy or the result of a record. */
const headerOfRuns = [
  ...['Subject', 'Change', 'Run', 'DiscrepancyId', 'Code', 'Severity', 'File', 'Line', 'PaymentId'],
  ...['SettlementTxId', 'Message', 'Column', 'Before', 'After'],
];

async function* rowsOfRuns({ files, differences, results }: RunsDiffInBatches): AsyncGenerator<Cell[][]> {
  yield files.map(rowOfFile);
  for await (const batch of differences) yield batch.flatMap(rowsOfFinding);
  for await (const batch of results) yield batch.flatMap(rowsOfResult);
}

function rowOfFile({ runId, name, records }: AddedFile): Cell[] {
  return [
    ...[textCell('file'), textCell('added'), runId, null, null, null, textCell(name), null, null, null],
    ...[textCell(records === 1 ? '1 new record' : `${records} new records`), null, null, null],
  ];
}

function rowsOfFinding(finding: FindingDifference): Cell[][] {
  const { kind, runId, discrepancyId, code, severity, file, line, paymentId, message, cells } = finding;
  return withCells(
    [
      ...[textCell('discrepancy'), textCell(kind), runId, textCell(discrepancyId), textCell(code)],
      ...[textCell(severity), textCell(file), line, textCell(paymentId), null, freeTextCell(message)],
    ],
    cells,
  );
}

function rowsOfResult({ runId, file, line, settlementTxId, cells }: ResultDifference): Cell[][] {
  return withCells(
    [
      ...[textCell('result'), textCell('changed'), runId, null, null, null, textCell(file), line, null],
      ...[textCell(settlementTxId), null],
    ],
    cells,
  );
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
