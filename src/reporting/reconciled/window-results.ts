import type { Tx } from '../../db/client.js';
import type { RunScope } from '../../db/run-scope.js';
import type { FileId } from '../../values/ids.js';
import { isEntered } from '../scope/is-entered.js';
import { isInRange } from '../totals/sum-accepted-rows.js';
import type { ExceptionTables } from './exception-tables.js';
import { isFoundByOwnId } from './found-by-own-id.js';
import { outcomeOf } from './row-result.js';

/** Stands for the outcome of a row that is not a record. */
export const notARecord = '!';

/** Lines from `from` to before `to`. */
export interface Lines {
  readonly from: number;
  readonly to: number;
}

/** Some lines of a file, and where their results are. */
export interface ResultWindow {
  readonly file: { readonly id: FileId; readonly rows_already_known: number };
  readonly lines: Lines;
  readonly tables: ExceptionTables;
}

/** The rows of a window of lines: `line`, and `outcome` as {@link outcomeOf} selects it. */
export function everyRow(tx: Tx, window: ResultWindow, scope: RunScope) {
  const { file } = window;
  // Left out if it would find nothing: rows of one index need no sorting.
  const known =
    file.rows_already_known > 0
      ? tx`union all ${knownResults(tx, window)} and ${isInRange(tx, scope)}`
      : tx``;
  return tx`${ownResults(tx, window, scope)} ${known}`;
}

/** The rows of {@link everyRow} that are not matched by their own UniqueID, and those that are not records. */
export function exceptionalRows(tx: Tx, window: ResultWindow) {
  const { file, tables } = window;
  const { results, payments } = tables;
  const known = file.rows_already_known > 0 ? tx`union all ${knownExceptions(tx, window)}` : tx``;
  return tx`select m.line, ${outcomeOf(tx, payments)} as outcome from ${results} m
    left join chargeback_links l on l.line = m.line and ${inWindow(tx, 'l', window)} and l.active
    where ${inWindow(tx, 'm', window)}
      and (not ${isFoundByOwnId(tx)} or l.line is not null)
    union all
    select q.line, ${notARecord} from rejected_rows q
    where ${inWindow(tx, 'q', window)} and not ${isEntered(tx)} ${known}`;
}

/** Repeated for each table: a range of lines is a range of each index. */
function inWindow(
  tx: Tx,
  table: 'r' | 'm' | 'l' | 'q' | 'k',
  { file: { id }, lines: { from, to } }: ResultWindow,
) {
  return tx`${tx(table)}.file_id = ${id} and ${tx(table)}.line >= ${from} and ${tx(table)}.line < ${to}`;
}

/** The results of the records of the file. */
function ownResults(tx: Tx, window: ResultWindow, scope: RunScope) {
  return tx`select r.line, ${outcomeOf(tx, window.tables.payments)} as outcome from settlement_records r
    left join record_matches m on m.line = r.line and ${inWindow(tx, 'm', window)}
    left join chargeback_links l on l.line = r.line and ${inWindow(tx, 'l', window)} and l.active
    where ${inWindow(tx, 'r', window)} and ${isInRange(tx, scope)}`;
}

/** The results of the rows whose record came in an earlier file. */
function knownResults(tx: Tx, window: ResultWindow) {
  const { payments, known } = window.tables;
  return tx`select k.line, ${outcomeOf(tx, payments)} from already_known_rows k
    join ${known.records} r on r.file_id = k.record_file_id and r.line = k.record_line
    left join ${known.results} m on m.file_id = r.file_id and m.line = r.line
    left join chargeback_links l on l.file_id = r.file_id and l.line = r.line and l.active
    where ${inWindow(tx, 'k', window)}`;
}

/**
 * Those of the same rows that are not matched by their own UniqueID. Their records need not be read: usually nearly all
 * of these rows are matched like this.
 */
function knownExceptions(tx: Tx, window: ResultWindow) {
  const { payments, known } = window.tables;
  return tx`select k.line, ${outcomeOf(tx, payments)} from already_known_rows k
    left join ${known.results} m on m.file_id = k.record_file_id and m.line = k.record_line
    left join chargeback_links l on l.file_id = k.record_file_id and l.line = k.record_line and l.active
    where ${inWindow(tx, 'k', window)} and (not ${isFoundByOwnId(tx)} or l.line is not null)`;
}
