import type { ChangedCell } from '../../findings/changed-cell.js';
import type { FilesDiffInBatches, RunsDiffInBatches } from '../../library/diff.js';
import type { FindingDifference } from '../../listings/changed-findings.js';
import type { ResultDifference } from '../../listings/changed-results.js';
import type { Batches } from '../../listings/listing.js';
import type { RecordDifference } from '../../matching/deliveries/compare-files.js';
import type { Paint } from '../command-context.js';
import { printable } from './printable.js';
import { TableColumns, type TableCell } from './text-table.js';

/** A comparison as tables for a terminal. */
export function diffText(diff: FilesDiffInBatches | RunsDiffInBatches, paint: Paint): AsyncGenerator<string> {
  return diff.kind === 'files' ? filesText(diff, paint) : runsText(diff, paint);
}

async function* runsText(
  { before, after, files, differences, results }: RunsDiffInBatches,
  paint: Paint,
): AsyncGenerator<string> {
  for (const { runId, name, records } of files) {
    yield `Run ${runId} loaded ${printable(name)}: ${count(records, 'new record')}.\n`;
  }
  const found = yield* longTable(differences, findingsTable, paint);
  yield* longTable(results, resultsTable, paint);
  if (found === 0)
    yield `No discrepancy was found, changed or resolved after run ${before} up to run ${after}.\n`;
}

async function* filesText(
  { unchanged, differences }: FilesDiffInBatches,
  paint: Paint,
): AsyncGenerator<string> {
  const different = yield* longTable(differences, recordsTable, paint);
  yield `The same in both: ${count(unchanged, 'row')}; different: ${count(different, 'row')}.\n`;
}

interface LongTable<Row> {
  readonly head: readonly string[];
  readonly cells: (row: Row) => readonly TableCell[];
  /** A sentence below each row, so that a long sentence does not make the table wider. */
  readonly sentence?: (row: Row) => string;
}

const findingsTable: LongTable<FindingDifference> = {
  head: ['change', 'run', 'severity', 'code', 'cells'],
  cells: ({ kind, runId, severity, code, cells }) => [kind, runId, severity, code, cellsText(cells)],
  sentence: ({ file, line, message }) => `${file === null ? '' : `${file}:${line ?? ''}: `}${message}`,
};

const resultsTable: LongTable<ResultDifference> = {
  head: ['run', 'record', 'SettlementTxId', 'result'],
  cells: ({ runId, file, line, settlementTxId, cells }) => [
    runId,
    `${file}:${line}`,
    settlementTxId,
    cellsText(cells),
  ],
};

const recordsTable: LongTable<RecordDifference> = {
  head: ['change', 'line before', 'line after', 'SettlementTxId', 'amount', 'cur.', 'cells'],
  cells: (record) => [
    record.kind,
    record.lineBefore,
    record.lineAfter,
    record.settlementTxId,
    record.amount,
    record.currency,
    changeText(record),
  ],
};

/**
 * A table, or nothing without rows. More than a batch of them are read twice, first for the widths of the columns.
 * Returns their number.
 */
async function* longTable<Row>(
  rows: Batches<Row>,
  { head, cells, sentence }: LongTable<Row>,
  paint: Paint,
): AsyncGenerator<string, number> {
  const columns = new TableColumns(head);
  let measured = 0;
  let onlyBatch: readonly Row[] | undefined;
  for await (const batch of rows) {
    for (const row of batch) columns.measure(cells(row));
    onlyBatch = measured === 0 ? batch : undefined;
    measured += batch.length;
  }
  if (measured === 0) return 0;
  const { heading, line } = columns.lines({ paint });
  yield `${heading}\n`;
  for await (const batch of onlyBatch === undefined ? rows : [onlyBatch]) {
    yield batch
      .map((row) => `${line(cells(row))}\n${sentence === undefined ? '' : `  ${printable(sentence(row))}\n`}`)
      .join('');
  }
  return measured;
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;

const changeText = ({ kind, cells }: RecordDifference) =>
  kind === 'changed' && cells.length === 0 ? 'the same values, written differently' : cellsText(cells);

const cellsText = (cells: readonly ChangedCell[]) =>
  cells.map(({ column, before, after }) => `${column} ${before ?? ''} -> ${after ?? ''}`).join(', ');
