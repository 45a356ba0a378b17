import { filesInScope, type RunScope } from '../db/run-scope.js';
import type { Tx } from './fragment.js';

/**
 * Stores which earlier records this run matches again (design 4.6): those still NOT_MATCHED,
 * MULTIPLE_MATCHES, TYPE_MISMATCH, matched by ATTRIBUTES or REVERSAL_WITHOUT_CHARGEBACK whose SettlementDate is within
 * `lookbackDays` before the as-of date. In this way a payment or a chargeback that was stored late is found.
 */
export async function selectRechecks(
  tx: Tx,
  scope: Extract<RunScope, { kind: 'run' }>,
  lookbackDays: number,
): Promise<void> {
  await tx`
    insert into run_rechecks (run_id, file_id, line)
    select ${scope.runId}, o.file_id, o.line
    from (
      select file_id, line from record_matches
      where status in ('NOT_MATCHED', 'MULTIPLE_MATCHES') or matched_by = 'ATTRIBUTES'
      union
      select file_id, line from discrepancies
      where code in ('REVERSAL_WITHOUT_CHARGEBACK', 'TYPE_MISMATCH') and resolved_run is null
    ) o
    join settlement_records r on r.file_id = o.file_id and r.line = o.line
    where r.settlement_date >= ${scope.asOf}::date - ${lookbackDays}::int
      and o.file_id not in (${filesInScope(tx, scope)})
    on conflict do nothing`;
}
