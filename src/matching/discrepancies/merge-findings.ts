import { fileIdsInScope, openFindingsInScope, type RunScope } from '../../db/run-scope.js';
import type { Fragment, Tx } from '../fragment.js';
import { hasRemovedRecords } from '../removed-records.js';
import { paymentWideCodes } from '../../findings/discrepancy-codes.js';
import type { RunId } from '../../values/ids.js';
import { withoutAccepted } from './forget-accepted.js';

/**
 * Updates the stored discrepancies (design 4.6): new ones are added, resolved ones that are found again are reopened
 * and keep the run in which they were first seen, changed ones are rewritten, and unchanged ones are not written. A
 * finding about a payment keeps its id when another record becomes the one that shows it. Former values are kept for
 * `recon diff`. A changed finding is compared with its decisions again.
 */
export async function storeFindings(tx: Tx, runId: RunId): Promise<void> {
  await tx`
    insert into discrepancy_changes (${columnsOfChange(tx)}, id, run_id)
    select o.severity, o.file_id, o.line, o.expected, o.actual, o.difference_minor, o.resolved_run, o.id, ${runId}
    from found f join discrepancies o on o.id = f.id
    where o.resolved_run is not null
      or (o.severity, o.file_id, o.line, o.expected, o.actual, o.difference_minor) is distinct from
        (f.severity, f.file_id, f.line, f.expected, f.actual, f.difference_minor)
    on conflict do nothing`;
  await tx`
    insert into discrepancies (id, code, severity, file_id, line, payment_key, expected, actual,
      difference_minor, message, first_seen_run)
    select f.id, f.code, f.severity, f.file_id, f.line, f.payment_key, f.expected, f.actual,
      f.difference_minor, f.message, ${runId}
    from found f left join discrepancies o on o.id = f.id
    where o.id is null or o.resolved_run is not null
      or (o.severity, o.file_id, o.line, o.payment_key, o.expected, o.actual, o.difference_minor, o.message)
        is distinct from
        (f.severity, f.file_id, f.line, f.payment_key, f.expected, f.actual, f.difference_minor, f.message)
    on conflict (id) do update set severity = excluded.severity, file_id = excluded.file_id, line = excluded.line,
      payment_key = excluded.payment_key, expected = excluded.expected, actual = excluded.actual,
      difference_minor = excluded.difference_minor, message = excluded.message, resolved_run = null, ${withoutAccepted(tx)}`;
}

/**
 * Closes the discrepancies that were checked again and not found again: those of records in scope, of extra records, of
 * reversals that this run linked, of sums of the payments under review, and of every payment that was reported as
 * missing. What was found on a record that `recon retire` or `recon purge` removed since cannot be checked again, and
 * stays as it is.
 *
 * This takes two steps. As one UPDATE over four joins and `not exists`, the planner expected a handful of findings, and
 * the server compared each of 80,000 with each of those found now: 226 of the 246 seconds of a week's re-run, without
 * closing a single one.
 */
export async function resolveFindings(tx: Tx, scope: RunScope, runId: RunId): Promise<void> {
  const fileIds = await fileIdsInScope(tx, scope);
  await tx`create temp table looked_at_findings (id text collate "C") on commit drop`;
  await tx`insert into looked_at_findings
    select o.id from (${openFindingsInScope(tx, scope, fileIds)}) o
    union
    select o.id from extra_records e join discrepancies o on o.file_id = e.file_id and o.line = e.line
    where o.resolved_run is null
    union
    select o.id from new_links l join discrepancies o on o.file_id = l.file_id and o.line = l.line
    where o.resolved_run is null and o.code = 'REVERSAL_WITHOUT_CHARGEBACK'
    union
    select o.id from review_payments s
    join discrepancies o on o.payment_key = s.payment_key
    where o.resolved_run is null and o.code in ${tx([...paymentWideCodes])}
    union
    select o.id from discrepancies o where o.resolved_run is null and o.code = 'MISSING_SETTLEMENT'`;
  if (await hasRemovedRecords(tx)) await leaveFindingsOfRemoved(tx);
  await tx`analyze looked_at_findings`;
  await tx`
    with resolved as (
      update discrepancies d set resolved_run = ${runId}
      from (select id from looked_at_findings except select id from found) gone
      where d.id = gone.id
      returning d.*
    )
    insert into discrepancy_changes (${columnsOfChange(tx)}, id, run_id)
    select severity, file_id, line, expected, actual, difference_minor, null, id, ${runId} from resolved
    on conflict do nothing`;
}

/** Takes what was found on removed records out of `looked_at_findings`: the findings of many years stay. */
async function leaveFindingsOfRemoved(tx: Tx): Promise<void> {
  await tx`
    delete from looked_at_findings l where (
      select f.status from discrepancies d join settlement_files f on f.id = d.file_id where d.id = l.id) = 'retired'`;
}

/** The columns of a finding whose former values are kept for `recon diff`. */
const columnsOfChange = (tx: Tx): Fragment =>
  tx`severity, file_id, line, expected, actual, difference_minor, resolved_run`;
