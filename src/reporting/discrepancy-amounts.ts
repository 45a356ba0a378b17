import type { Tx } from '../db/client.js';
import type { DueSettings, RunScope } from '../db/run-scope.js';
import { statedMoney } from '../findings/stated-money.js';
import type { DiscrepancyAmount, RunOutcome } from '../outcome.js';
import { byBytes } from './by-bytes.js';
import { formatAmount } from '../values/money.js';
import { discrepanciesInScope, isReported, joiningRows } from './discrepancies-in-scope.js';

/**
 * The amounts of the open discrepancies of a scope, per code and currency, as {@link statedMoney} defines them. Signs
 * are dropped, because opposite amounts would cancel each other out. Those AMOUNT_MISMATCH that are `info` because of a
 * tolerance are counted apart, too: what counts is their severity when they were found, and not the settings of today.
 */
export async function discrepancyAmounts(
  tx: Tx,
  scope: RunScope,
  due: DueSettings,
): Promise<Pick<RunOutcome['discrepancies'], 'amounts' | 'withinTolerance'>> {
  const money = statedMoney(tx);
  const { join } = await joiningRows(tx, scope);
  const rows = await tx<
    {
      code: string;
      currency: string;
      count: number;
      amount_minor: string;
      within_count: number;
      within_minor: string | null;
    }[]
  >`
    select t.code, t.currency, count(*)::int as count, sum(abs(t.amount_minor))::text as amount_minor,
      count(*) filter (where t.within_tolerance)::int as within_count,
      (sum(abs(t.amount_minor)) filter (where t.within_tolerance))::text as within_minor
    from (
      select d.code, d.code = 'AMOUNT_MISMATCH' and d.severity = 'info' as within_tolerance, ${money.currency} as currency, ${money.amountMinor} as amount_minor
      from (${discrepanciesInScope(tx, scope, due)}) d
      ${join('settlement_records', 'r', tx`r.file_id = d.file_id and r.line = d.line`)}
      ${join('payments', 'p', tx`p.key = d.payment_key`)}
      where ${isReported(tx, scope, due)}) t
    group by 1, 2`;
  // Sorted here: in a statement that sorts its few groups, the planner expects as many groups as findings, and sorts
  // all findings on disk instead.
  rows.sort((a, b) => byBytes(a.code, b.code) || byBytes(a.currency, b.currency));
  const amounts = rows.map((row): DiscrepancyAmount => ({
    code: row.code,
    currency: row.currency,
    count: row.count,
    amount: formatAmount(BigInt(row.amount_minor)),
  }));
  const withinTolerance = rows
    .filter((row) => row.within_count > 0)
    .map((row) => ({
      currency: row.currency,
      count: row.within_count,
      amount: formatAmount(BigInt(row.within_minor ?? '0')),
    }));
  return { amounts, ...(withinTolerance.length === 0 ? {} : { withinTolerance }) };
}
