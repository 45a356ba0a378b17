import { addDays, startOfDay, type CalendarDate } from '../values/calendar-date.js';
import type { Tx } from './client.js';
import type { FileId, RunId } from '../values/ids.js';

/**
 * Which records and payments a run looks at (design 4.6, 4.7). Matching and reporting share this definition, so the
 * counts, the findings and the reports of a run cover the same set, and `recon report --run` can find that set again
 * later from stored facts.
 */
export type RunScope =
  /** The records that run `runId` loaded, and the earlier ones that it checked again (`run_rechecks`). */
  | { readonly kind: 'run'; readonly runId: RunId; readonly asOf: CalendarDate }
  /** Stored records with SettlementDate in the range, both ends included. */
  | {
      readonly kind: 'range';
      readonly from: CalendarDate;
      readonly to: CalendarDate;
      readonly asOf: CalendarDate;
    };

/** The settings that decide when a payment's settlement is due. */
export interface DueSettings {
  /** IANA time zone that determines the day of a payment. */
  readonly timezone: string;
  readonly settlementDueDays: number;
  readonly lookbackDays: number;
}

/** Files that the run reports on: `select id from settlement_files …` as a fragment. */
export function filesInScope(tx: Tx, scope: RunScope) {
  return scope.kind === 'run'
    ? tx`select f.id from settlement_files f where f.finished_run_id = ${scope.runId} and f.status = 'loaded'`
    : tx`select f.id from settlement_files f where f.status = 'loaded'
         and f.first_settlement_date <= ${scope.to} and f.last_settlement_date >= ${scope.from}`;
}

/** The files of {@link filesInScope} that are reported: not the withdrawn ones (design 4.8). */
export function reportedFilesInScope(tx: Tx, scope: RunScope) {
  return tx`${filesInScope(tx, scope)} and f.id not in (${withdrawnFiles(tx)})`;
}

/**
 * The withdrawn files, for a comparison with `in` or `not in`, for which the server reads them once. With `exists`, it
 * compared each file with each of them where it expected only a few: 2,000 withdrawn files took 2,000,000 comparisons.
 */
export function withdrawnFiles(tx: Tx) {
  return tx`select w.file_id from withdrawn_files w`;
}

/**
 * The latest decision about each file that was ever withdrawn or restored: `file_id, kind, author, decided_at, reason`.
 * What it changes for records is in effect once a run has acted on it ({@link withdrawnFiles}).
 */
export function latestWithdrawals(tx: Tx) {
  return tx`select distinct on (file_id) file_id, kind, author, decided_at, reason from file_withdrawals
    order by file_id, number desc`;
}

/**
 * The rejected files that a person withdrew. They have no records, so no run has to act on this, and it holds at once.
 */
export function withdrawnRejectedFiles(tx: Tx) {
  return tx`select w.file_id from (${latestWithdrawals(tx)}) w
    join settlement_files g on g.id = w.file_id and g.status = 'rejected'
    where w.kind = 'withdraw'`;
}

/** Ids of {@link filesInScope}. */
export async function fileIdsInScope(tx: Tx, scope: RunScope): Promise<FileId[]> {
  const files = await tx<{ id: FileId }[]>`${filesInScope(tx, scope)}`;
  return files.map((file) => file.id);
}

/**
 * Ids of {@link fileIdsInScope} as an array, in one text parameter, because the driver would guess the type of a list.
 */
export function fileIdArray(tx: Tx, fileIds: readonly FileId[]) {
  return tx`string_to_array(${fileIds.join(',')}, ',')::integer[]`;
}

/** More files are not named in a look-up. */
const mostNamedFiles = 32;

/**
 * A condition that a look-up adds to the equality of file and line, so that it is planned for the tables of these files
 * only. It says nothing about more than 32 files: they are in many of the tables anyway, and PostgreSQL before 17 goes
 * through the whole list for each record, which took 99,100 steps for 330 records of 300 files.
 *
 * @param files all files in which the record may be
 */
export function isAmongFiles(tx: Tx, files: readonly FileId[]) {
  return files.length > mostNamedFiles ? tx`true` : tx`r.file_id = any (${fileIdArray(tx, files)})`;
}

/**
 * Records in scope: a fragment that selects all columns of `settlement_records`, each record once.
 *
 * @param fileIds of {@link fileIdsInScope}, queried beforehand: the planner can estimate how many records a file with a
 *   given id has, but not for the files of a subselect.
 */
export function recordsInScope(tx: Tx, scope: RunScope, fileIds: readonly FileId[]) {
  const files = fileIdArray(tx, fileIds);
  if (scope.kind === 'range') {
    return tx`select r.* from settlement_records r
      where r.file_id = any (${files}) and r.settlement_date between ${scope.from} and ${scope.to}`;
  }
  return tx`${recordsOfFiles(tx, fileIds)}
    union all
    select r.* from run_rechecks c
    join settlement_records r on r.file_id = c.file_id and r.line = c.line
    where c.run_id = ${scope.runId} and c.file_id <> all (${files})`;
}

/** All records of these files, with all columns of `settlement_records`. */
export function recordsOfFiles(tx: Tx, fileIds: readonly FileId[]) {
  return tx`select r.* from settlement_records r where r.file_id = any (${fileIdArray(tx, fileIds)})`;
}

/**
 * The open discrepancies on records in scope: a fragment that selects all columns of `discrepancies`, each once.
 *
 * For a range, those of a file whose days are all in it need no look at the records. Those of the other files are
 * joined with the lines of the days. Looking up the date of each finding's record took longer, because most of what is
 * open is about other days. It is a full join, which the server never makes a nested loop: where it expects one line,
 * it would compare each finding with each line.
 *
 * @param fileIds of {@link fileIdsInScope}, so that the lines are planned for the tables of these files only
 */
export function openFindingsInScope(tx: Tx, scope: RunScope, fileIds: readonly FileId[]) {
  if (scope.kind === 'range') return openFindingsOfDays(tx, scope, fileIds);
  const files = tx`array(${filesInScope(tx, scope)})`;
  return tx`select d.* from discrepancies d where d.resolved_run is null and d.file_id = any (${files})
    union all
    select d.* from run_rechecks c
    join discrepancies d on d.file_id = c.file_id and d.line = c.line
    where c.run_id = ${scope.runId} and c.file_id <> all (${files}) and d.resolved_run is null`;
}

function openFindingsOfDays(tx: Tx, scope: Extract<RunScope, { kind: 'range' }>, fileIds: readonly FileId[]) {
  const { from, to } = scope;
  const isWhole = tx`f.first_settlement_date >= ${from} and f.last_settlement_date <= ${to}`;
  const whole = tx`array(${filesInScope(tx, scope)} and ${isWhole})`;
  const others = tx`array(${filesInScope(tx, scope)} and not (${isWhole}))`;
  return tx`select d.* from discrepancies d where d.resolved_run is null and d.file_id = any (${whole})
    union all
    select d.* from (select * from discrepancies where resolved_run is null and file_id = any (${others})) d
    full join (select file_id, line from settlement_records r
      where ${isAmongFiles(tx, fileIds)} and file_id = any (${others})
        and settlement_date between ${from} and ${to}) r
      on r.file_id = d.file_id and r.line = d.line
    where coalesce(d.id is not null and r.line is not null, false)`;
}

/**
 * Whether the run may report that payment `p` has no settlement. For a run: it is due, and not older than the
 * look-back. For a range: its due date is in the range. The day of a payment is its date in the configured time zone.
 */
export function isPaymentDueInScope(tx: Tx, scope: RunScope, due: DueSettings) {
  const { timezone, settlementDueDays, lookbackDays } = due;
  const newest = addDays(scope.asOf, -settlementDueDays);
  const [first, last] =
    scope.kind === 'run'
      ? [addDays(scope.asOf, -lookbackDays), newest]
      : [addDays(scope.from, -settlementDueDays), earlier(addDays(scope.to, -settlementDueDays), newest)];
  return tx`(p.requested_at >= ${beginOfDay(tx, first, timezone)}
      and p.requested_at < ${beginOfDay(tx, addDays(last, 1), timezone)})`;
}

const earlier = (one: CalendarDate, other: CalendarDate) => (one < other ? one : other);

/**
 * The moment at which a day begins in a time zone. Where the clock is put back at midnight, it shows some times twice:
 * the day begins with the first of them, and the server would take the second.
 */
export function beginOfDay(tx: Tx, date: CalendarDate, timezone: string) {
  return tx`${new Date(startOfDay(date, timezone)).toISOString()}::timestamptz`;
}
