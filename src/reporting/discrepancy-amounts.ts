import type { Tx } from '../db/client.js';
import type { DueSettings, RunScope } from '../db/run-scope.js';
import type { DiscrepancyAmount } from '../outcome.js';
import { formatAmount } from '../values/money.js';
import { discrepanciesInScope } from './discrepancies-in-scope.js';

/**
 * The amounts of the open discrepancies of a scope, per code and currency: the difference if there is one, otherwise the
 * amount of the record or payment. Signs are dropped, because opposite amounts would cancel each other out.
 */
export async function discrepancyAmounts(
  tx: Tx,
  scope: RunScope,
  due: DueSettings,
): Promise<DiscrepancyAmount[]> {
  const rows = await tx<{ code: string; currency: string; count: number; amount_minor: string }[]>`
    select d.code, coalesce(r.currency, p.currency) as currency, count(*)::int as count,
      sum(abs(coalesce(d.difference_minor, r.amount_minor, p.amount_minor)))::text as amount_minor
    from (${discrepanciesInScope(tx, scope, due)}) s
    join discrepancies d on d.id = s.id
    left join settlement_records r on r.file_id = d.file_id and r.line = d.line
    left join payments p on p.key = d.payment_key
    group by 1, 2 order by d.code collate "C", coalesce(r.currency, p.currency) collate "C"`;
  return rows.map((row) => ({
    code: row.code,
    currency: row.currency,
    count: row.count,
    amount: formatAmount(BigInt(row.amount_minor)),
  }));
}
