import type { Tx } from '../../db/client.js';
import { inPortions } from '../../db/long-texts.js';
import { readAhead } from '../../db/read-ahead.js';
import type { DueSettings, RunScope } from '../../db/run-scope.js';
import type { FileOutcome } from '../../outcome.js';
import { columns as settlementColumns } from '../../settlement-file/columns.js';
import { longestCell } from '../../values/cut-text.js';
import { dateCell, freeTextCell, textCell, type Cell } from './csv-cells.js';
import { reportedFiles } from '../scope/reported-files.js';
import type { Table } from './write-table.js';

/** A stored issue of a row; `column` is empty for an issue of the row as a whole. */
interface Issue {
  readonly column: string | null;
  readonly code: string;
  readonly message: string;
  readonly value: string | null;
}

/** A rejected row, or with `line` null the rejection of a whole file. */
interface Row {
  source: string;
  file: string;
  line: number | null;
  issues: readonly Issue[];
  raw_text: string | null;
  /** Null unless somebody corrected the row. */
  corrected_by: string | null;
  corrected_on: string | null;
}

const header = [
  ...['Source', 'File', 'Line', 'Column', 'Code', 'Message', 'Value', 'RawLine'],
  ...['CorrectedBy', 'CorrectedOn'],
];

/**
 * Characters of a raw text from which its cell is written: a masked card number without its separators is about half as
 * long as it was.
 */
const writtenLength = 3 * longestCell;

const positionOf = new Map(settlementColumns.map((column, index) => [column.name, index]));

/** What the table is about. */
export interface RejectedRowsRequest {
  readonly scope: RunScope;
  readonly due: DueSettings;
  /** The files of the outcome that the report belongs to. */
  readonly files: readonly FileOutcome[];
}

/**
 * `rejected-rows.csv`: one line per issue of the files in scope, in the order of file, line and column. A file that was
 * rejected as a whole has one line with the reason, without Line and Column. A row that somebody corrected stays, and
 * says by whom.
 *
 * A later run may have tried a rejected file again, and `settlement_files` has only what became of it last. So the
 * files that the reported run rejected, and why, are those of its outcome, as in `summary.json`.
 */
export function rejectedRowsTable(tx: Tx, request: RejectedRowsRequest): Table {
  return { name: 'rejected-rows', header, rows: readRows(tx, request) };
}

async function* readRows(tx: Tx, { scope, due, files }: RejectedRowsRequest): AsyncGenerator<Cell[][]> {
  const batches = tx<Row[]>`
    select f.source, f.name as file, t.line, t.issues, t.raw_text, c.author as corrected_by,
      c.decided_on::text as corrected_on from (${reportedFiles(tx, scope, due)}) s
    full join (${filesRejectedThen(tx, files)}) o on o.id = s.id
    join settlement_files f on f.id = coalesce(s.id, o.id)
    join lateral (
      select null::integer as line, null::text as raw_text, jsonb_build_array(jsonb_build_object(
        'column', null, 'code', coalesce(o.code, f.error_code), 'message', coalesce(o.message, f.error_message),
        'value', null)) as issues
      where o.id is not null or f.error_code is not null
      union all
      select q.line, left(q.raw_text, ${writtenLength}), q.issues from rejected_rows q
      where q.file_id = f.id and s.id is not null) t on true
    left join row_corrections c on c.file_id = f.id and c.line = t.line
    order by f.name collate "C", f.id, t.line nulls first`.cursor(200);
  for await (const batch of readAhead(batches)) {
    for (const lines of inPortions(linesOf(batch), ({ length }) => length))
      yield lines.map(({ cells }) => cells);
  }
}

/** The files that an outcome rejects as a whole, with the reason that it states. */
function filesRejectedThen(tx: Tx, files: readonly FileOutcome[]) {
  const rejected = files
    .filter(({ status, error }) => status === 'rejected' && error !== null)
    .map(({ sha256, error }) => ({ sha256, code: error?.code, message: error?.message }));
  return tx`select r.id, g.code, g.message
    from jsonb_to_recordset(${JSON.stringify(rejected)}::text::jsonb) as g(sha256 text, code text, message text)
    join settlement_files r on r.sha256 = g.sha256`;
}

/**
 * The issues of some rows as lines, with the length of the raw text in each. A row with an issue in each cell is
 * repeated 36 times, with up to 32 kB of its text: the lines of 200 such rows would be 230 MB.
 */
function* linesOf(rows: readonly Row[]): Generator<{ readonly cells: Cell[]; readonly length: number }> {
  for (const row of rows) {
    const length = Math.min(row.raw_text?.length ?? 0, longestCell);
    for (const cells of toCells(row)) yield { cells, length };
  }
}

function toCells(row: Row): Cell[][] {
  const [source, file, raw] = [textCell(row.source), textCell(row.file), freeTextCell(row.raw_text)];
  return [...row.issues].sort(byColumn).map((issue) => [
    source,
    file,
    row.line,
    textCell(issue.column),
    textCell(issue.code),
    // The reason for a whole file may have several lines; an issue has one.
    freeTextCell(issue.message.replace(/\n +/g, ' ')),
    freeTextCell(issue.value),
    raw,
    freeTextCell(row.corrected_by),
    dateCell(row.corrected_on),
  ]);
}

/** Issues of the row as a whole come first; those of one column keep the order in which they were found. */
function byColumn(a: Issue, b: Issue): number {
  const position = (issue: Issue) => positionOf.get(issue.column ?? '') ?? -1;
  return position(a) - position(b);
}
