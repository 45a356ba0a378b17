import type { Fragment, Tx } from '../fragment.js';
import { paymentWideCodes } from './discrepancy-codes.js';
import { touchedAmong } from './suspects.js';

/**
 * Brings the stored discrepancies to what was found (design 4.6): new ones are added, resolved ones that
 * hold again are opened with the run they were first seen in, those that changed are rewritten, and those
 * that stay as they are not touched.
 */
export async function storeFindings(tx: Tx, runId: number): Promise<void> {
  await tx`
    insert into discrepancies (id, code, severity, file_id, line, payment_key, expected, actual,
      difference_minor, message, first_seen_run)
    select f.id, f.code, f.severity, f.file_id, f.line, f.payment_key, f.expected, f.actual,
      f.difference_minor, f.message, ${runId}
    from found f left join discrepancies o on o.id = f.id
    where o.id is null or o.resolved_run is not null
      or (o.severity, o.payment_key, o.expected, o.actual, o.difference_minor, o.message) is distinct from
        (f.severity, f.payment_key, f.expected, f.actual, f.difference_minor, f.message)
    on conflict (id) do update set severity = excluded.severity, payment_key = excluded.payment_key,
      expected = excluded.expected, actual = excluded.actual, difference_minor = excluded.difference_minor,
      message = excluded.message, resolved_run = null`;
}

/**
 * Closes what no longer holds of the subjects that were looked at: records in scope, reversals that were
 * linked now, sums of the payments that were touched, and every payment that was told as missing.
 */
export async function resolveFindings(tx: Tx, runId: number): Promise<void> {
  await tx`
    update discrepancies d set resolved_run = ${runId}
    from (
      select o.id from discrepancies o join new_matches n on n.file_id = o.file_id and n.line = o.line
      where o.resolved_run is null
      union
      select o.id from discrepancies o join new_links l on l.file_id = o.file_id and l.line = o.line
      where o.resolved_run is null and o.code = 'REVERSAL_WITHOUT_CHARGEBACK'
      union
      ${sumsOfTouchedPayments(tx)}
      union
      select o.id from discrepancies o where o.resolved_run is null and o.code = 'MISSING_SETTLEMENT'
    ) looked_at
    where d.id = looked_at.id and not exists (select from found f where f.id = d.id)`;
}

/** Open findings about what all records of a payment sum to, of payments that were touched. */
function sumsOfTouchedPayments(tx: Tx): Fragment {
  const open = tx`select o.id, m.payment_key from discrepancies o
    join record_matches m on m.file_id = o.file_id and m.line = o.line
    where o.resolved_run is null and o.code in ${tx([...paymentWideCodes])}`;
  return tx`select w.id from (${open}) w
    where w.payment_key in (${touchedAmong(tx, tx`select payment_key from (${open}) keys`)})`;
}
