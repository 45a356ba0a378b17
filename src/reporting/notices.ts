import type { Fragment, Tx } from '../db/client.js';
import { filesInScope, withdrawnFiles, type RunScope } from '../db/run-scope.js';
import type { MatchingCounts } from '../outcome.js';

/**
 * What a person should know before anything else about a run: sentences about its circumstances, which no finding
 * states. Usually there are none, and then this asks the database nothing.
 */
export async function noticesOf(tx: Tx, scope: RunScope, matching: MatchingCounts): Promise<string[]> {
  const { MATCHED, MULTIPLE_MATCHES, NOT_MATCHED, NOT_APPLICABLE } = matching;
  const records = MATCHED + MULTIPLE_MATCHES + NOT_MATCHED + NOT_APPLICABLE;
  if (scope.kind === 'range' && records === 0) return [await whichDatesAreStored(tx, scope)];
  if (NOT_MATCHED > 0 && MATCHED === 0 && MULTIPLE_MATCHES === 0 && !(await hasPayments(tx))) {
    return ['No payments are stored, so nothing can match: recon payments import FILE'];
  }
  return [];
}

/**
 * Says that files which a re-run fetched have records of days outside of a range. They are matched and checked, but the
 * report of the range does not have them. Reads rows of files only.
 */
export async function otherDaysNotices(
  tx: Tx,
  { from, to }: Extract<RunScope, { kind: 'range' }>,
): Promise<string[]> {
  const [found] = await tx<{ files: number; first: string | null; last: string | null }[]>`
    select count(*)::integer as files, min(f.first_settlement_date)::text as first,
      max(f.last_settlement_date)::text as last
    from settlement_files f join runs r on r.id = f.finished_run_id
    where f.status = 'loaded' and r.kind <> 'run' and f.id not in (${withdrawnFiles(tx)})
      and (f.first_settlement_date < ${from} or f.last_settlement_date > ${to})`;
  if (found === undefined || found.files === 0) return [];
  const files =
    found.files === 1 ? '1 file that a re-run fetched has' : `${found.files} files that re-runs fetched have`;
  return [
    `${files} records from ${found.first} to ${found.last}, which are not all in the range. All of them are matched; the ` +
      'next recon run reports the others too.',
  ];
}

/**
 * Which files of a scope have fewer rejected rows stored than they had: retention removed the others, so a report that
 * is written now lacks them.
 */
export async function removedRowsNotices(tx: Tx, scope: RunScope): Promise<string[]> {
  const files = await tx<{ name: string; removed: number }[]>`
    select f.name, f.rows_rejected - (select count(*) from rejected_rows q where q.file_id = f.id)::integer as removed
    from settlement_files f where f.rows_rejected > 0 and f.id in (${filesInScope(tx, scope)}) order by f.id`;
  return files
    .filter(({ removed }) => removed > 0)
    .map(({ name, removed }) => {
      const [rows, were, them] =
        removed === 1 ? ['1 rejected row', 'was', 'it'] : [`${removed} rejected rows`, 'were', 'them'];
      return `${rows} of ${name} ${were} removed by the settings of retention; the lists and sums of rejected rows lack ${them}.`;
    });
}

async function hasPayments(tx: Tx): Promise<boolean> {
  const [row] = await tx<{ any: boolean }[]>`select exists (select from payments) as any`;
  return row?.any === true;
}

async function whichDatesAreStored(
  tx: Tx,
  { from, to }: Extract<RunScope, { kind: 'range' }>,
): Promise<string> {
  const [stored] = await tx<{ first: string | null; last: string | null }[]>`
    select min(f.first_settlement_date)::text as first, max(f.last_settlement_date)::text as last
    from settlement_files f
    where f.status = 'loaded' and f.id not in (${withdrawnFiles(tx)})`;
  const asked = `No record with a settlement date from ${from} to ${to} is stored`;
  if (stored?.first == null || stored.last === null) {
    return `${asked}, and none of any other date.${await whatIsWithdrawn(tx, tx`true`)}`;
  }
  const isAsked = tx`f.first_settlement_date <= ${to} and f.last_settlement_date >= ${from}`;
  return `${asked}. The stored records are from ${stored.first} to ${stored.last}.${await whatIsWithdrawn(tx, isAsked)}`;
}

/** A sentence about withdrawn files `f` of which a condition is true: their records are stored, but do not count. */
async function whatIsWithdrawn(tx: Tx, condition: Fragment): Promise<string> {
  const [{ files } = { files: 0 }] = await tx<{ files: number }[]>`
    select count(*)::integer as files from settlement_files f
    where f.status = 'loaded' and f.id in (${withdrawnFiles(tx)}) and ${condition}`;
  if (files === 0) return '';
  const are = files === 1 ? '1 withdrawn file is' : `${files} withdrawn files are`;
  return ` ${are} left out: recon files --status withdrawn`;
}
