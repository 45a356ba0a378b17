import { withdrawnFiles } from '../../db/run-scope.js';
import { discrepancyCodes } from '../../findings/discrepancy-codes.js';
import { differingCells } from '../deliveries/delivered-cells.js';
import type { Fragment, Tx } from '../fragment.js';
import { hasRemovedRecords } from '../removed-records.js';
import { recordFindingId } from './check.js';

/**
 * RECORD_REDELIVERED (design 4.6): the records in scope that wait for a decision, each with every cell in which it
 * differs from the former delivery.
 */
export async function collectRedeliveries(tx: Tx): Promise<void> {
  // There are usually none, and planning the statement below takes 10 ms with a year of records.
  const [any] = await tx`select from uncounted_records where reason = 'REDELIVERED' limit 1`;
  if (any === undefined) return;
  const code = tx`'RECORD_REDELIVERED'`;
  await tx`
    insert into found (id, code, severity, file_id, line, payment_key, expected, actual, difference_minor, message)
    select ${recordFindingId(tx, code)}, ${code}, ${discrepancyCodes.RECORD_REDELIVERED.severity}, r.file_id, r.line,
      n.payment_key, coalesce(c.expected, ${sameValues(tx)}), coalesce(c.actual, ${sameValues(tx)}),
      case when r.currency = o.currency then nullif(r.amount_minor - o.amount_minor, 0) end,
      format(case when again.name is null then '%1$s line %2$s delivered this record before, with %3$s. '
          else '%1$s line %2$s corrected this record, with %3$s, and %4$s delivers it as it was before. ' end
        || 'Until somebody decides which of the two counts, this one takes no part in any sum.', f.name, o.line,
        coalesce('another ' || c.names, 'the same values written differently'), again.name)
    from uncounted_records u
    join review_records r on r.file_id = u.file_id and r.line = u.line
    join new_matches n on n.file_id = r.file_id and n.line = r.line and n.needs_review
    join settlement_records o on o.file_id = u.other_file_id and o.line = u.other_line
    join settlement_files f on f.id = o.file_id
    cross join lateral (${differingCells(tx)}) c
    left join lateral (${latestReturn(tx)}) again on u.other_file_id > u.file_id
    where u.reason = 'REDELIVERED'`;
  if (!(await hasRemovedRecords(tx))) return;
  await keepFindings(tx);
  await leaveFailures(tx);
}

/** The finding of a record that was compared with a removed one stays as it is. */
async function keepFindings(tx: Tx): Promise<void> {
  await tx`
    insert into found (id, code, severity, file_id, line, payment_key, expected, actual, difference_minor, message)
    select d.id, d.code, d.severity, d.file_id, d.line, d.payment_key, d.expected, d.actual, d.difference_minor,
      d.message
    from uncounted_records u
    join settlement_files f on f.id = u.other_file_id and f.status = 'retired'
    join review_records r on r.file_id = u.file_id and r.line = u.line
    cross join lateral (select d.* from discrepancies d
      where d.file_id = u.file_id and d.line = u.line and d.code = 'RECORD_REDELIVERED' and d.resolved_run is null
      offset 0) d
    where u.reason = 'REDELIVERED'`;
}

/**
 * That a removed record FAILED stays a finding about it while the same record, which is back, waits: until somebody
 * decides, the removed one counts, and only this finding says that no money moved (`removed-chargebacks.ts`).
 */
async function leaveFailures(tx: Tx): Promise<void> {
  await tx`
    delete from found n using uncounted_records u, discrepancies d, settlement_files f
    where n.code = 'SETTLEMENT_FAILED' and u.file_id = n.file_id and u.line = n.line and u.reason = 'REDELIVERED'
      and d.id = n.id and d.resolved_run is null and f.id = d.file_id and f.status = 'retired'`;
}

/**
 * The last file that brings record `r` without the record `u.other` which corrected it: a file that brings both says
 * nothing new, and so does one of another source (design 4.8). Both lists of files may be long, so each is read once.
 */
const latestReturn = (tx: Tx): Fragment =>
  tx`select a.name from (
        select file_id from already_known_rows where record_file_id = r.file_id and record_line = r.line
        except
        select file_id from already_known_rows
        where record_file_id = u.other_file_id and record_line = u.other_line) k
      join settlement_files a on a.id = k.file_id
      where k.file_id not in (${withdrawnFiles(tx)})
        and a.source = (select s.source from settlement_files s where s.id = (
          select min(b.file_id) from (
            select r.file_id union all
            select y.file_id from already_known_rows y
            where y.record_file_id = r.file_id and y.record_line = r.line) b
          where b.file_id not in (${withdrawnFiles(tx)})))
      order by k.file_id desc limit 1`;

const sameValues = (tx: Tx): Fragment => tx`'the same values written differently'`;
