import type { Tx } from '../db/client.js';
import type { DueSettings, RunScope } from '../db/run-scope.js';
import type { MatchingCounts, RunOutcome } from '../outcome.js';
import { discrepancyAmounts } from './discrepancy-amounts.js';
import { noticesOf, removedRowsNotices } from './notices.js';
import { rowsInScope } from './rows-in-scope.js';

/** The counts that a run returns about its findings; part of the `--json` document (design 5). */
export type FindingCounts = Pick<RunOutcome, 'matching' | 'chargebacks' | 'discrepancies' | 'notices'>;

/**
 * Counts the stored results and findings of the records (and payments) in scope. They describe a state and not the steps
 * that led to it, so a re-run over unchanged data returns the same.
 */
export async function countFindings(tx: Tx, scope: RunScope, due: DueSettings): Promise<FindingCounts> {
  const matching = await countMatching(tx, scope);
  const notices = [
    ...(await noticesOf(tx, scope, matching)),
    // A run has just stored the rejected rows of its files.
    ...(scope.kind === 'range' ? await removedRowsNotices(tx, scope) : []),
  ];
  return {
    ...(notices.length === 0 ? {} : { notices }),
    matching,
    chargebacks: await countChargebacks(tx, scope),
    discrepancies: await countDiscrepancies(tx, scope, due),
  };
}

async function countMatching(tx: Tx, scope: RunScope): Promise<MatchingCounts> {
  const rows = await tx<{ status: keyof MatchingCounts; count: number }[]>`
    select m.status, count(*)::int as count from (${rowsInScope(tx, scope, 'record_matches')}) m
    group by m.status`;
  const countOf = (status: keyof MatchingCounts) => rows.find((row) => row.status === status)?.count ?? 0;
  return {
    MATCHED: countOf('MATCHED'),
    MULTIPLE_MATCHES: countOf('MULTIPLE_MATCHES'),
    NOT_MATCHED: countOf('NOT_MATCHED'),
    NOT_APPLICABLE: countOf('NOT_APPLICABLE'),
  };
}

/** CHARGEBACK records in scope that hold an id, and reversals in scope that are linked to one. */
async function countChargebacks(tx: Tx, scope: RunScope): Promise<RunOutcome['chargebacks']> {
  const [row] = await tx<{ assigned: number; reversed: number }[]>`
    select count(*) filter (where l.kind = 'CHARGEBACK')::int as assigned,
      count(*) filter (where l.kind = 'CHARGEBACK REVERSAL')::int as reversed
    from (${rowsInScope(tx, scope, 'chargeback_links')}) l`;
  return { assigned: row?.assigned ?? 0, reversed: row?.reversed ?? 0 };
}

async function countDiscrepancies(
  tx: Tx,
  scope: RunScope,
  due: DueSettings,
): Promise<RunOutcome['discrepancies']> {
  const { amounts, ...rest } = await discrepancyAmounts(tx, scope, due);
  const byCode: Record<string, number> = {};
  for (const { code, count } of amounts) byCode[code] = (byCode[code] ?? 0) + count;
  return { total: amounts.reduce((sum, { count }) => sum + count, 0), byCode, amounts, ...rest };
}
