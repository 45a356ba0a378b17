import { discrepancyCodes } from '../../findings/discrepancy-codes.js';
import { recordOrder, type Fragment, type Tx } from '../fragment.js';
import { takesPart } from '../deliveries/takes-part.js';
import { typeFits } from '../type-fit.js';
import { holdsAgainst, recordFindingId, type Check } from './check.js';
import { summedRecords, type RecordsOfPayments } from './records-of-payments.js';

/**
 * The failed settlements of some payments that were repeated with success: the SETTLED, SUCCESS records that come after
 * such a failure meet the amount of its payment (design 4.6). A failure after the success is a returned payment, and
 * nothing repeats it. Selects `file_id` and `line`.
 */
export function repeatedFailures(tx: Tx, records: RecordsOfPayments): Fragment {
  return tx`
    select f.file_id, f.line from (
      select r.file_id, r.line, r.settlement_status, p.amount_minor as payment_amount,
        sum(r.amount_minor) filter (where r.settlement_status = 'SUCCESS' and r.currency = p.currency)
          over (partition by p.key order by ${recordOrder(tx)}
            rows between 1 following and unbounded following) as settled_later
      from ${records(tx`r.reconciliation_type = 'SETTLED'`)}
      join payments p on p.key = r.payment_key
      where ${typeFits(tx)} and ${takesPart(tx)}
    ) f
    where f.settlement_status = 'FAILED' and f.settled_later >= f.payment_amount`;
}

/**
 * Lists the failed ones of `summed_records`, in `failed_records`, and those of them that were repeated with success, in
 * `repeated_failures`: the repeat may come in any later file, and a later change may take it away again.
 */
export async function listFailures(tx: Tx): Promise<void> {
  await tx`create temp table failed_records (file_id integer, line integer, payment_key bigint,
    primary key (file_id, line)) on commit drop`;
  const failed = await tx`insert into failed_records
    select r.file_id, r.line, r.payment_key from summed_records r where r.settlement_status = 'FAILED'`;
  await tx`analyze failed_records`;
  await tx`create temp table repeated_failures (file_id integer, line integer, primary key (file_id, line))
    on commit drop`;
  if (failed.count > 0) {
    const ofFailed = (condition: Fragment) =>
      summedRecords(tx)(tx`${condition} and r.payment_key in (select payment_key from failed_records)`);
    await tx`insert into repeated_failures ${repeatedFailures(tx, ofFailed)}`;
  }
  await tx`analyze repeated_failures`;
}

/**
 * SETTLEMENT_FAILED of records outside the scope: a record in scope may be, or may have been, their repeat.
 *
 * @param check the same check that is made on the records in scope
 */
export async function collectEarlierFailures(tx: Tx, check: Check): Promise<void> {
  await tx`
    insert into found (id, code, severity, file_id, line, payment_key, expected, actual, message)
    select ${recordFindingId(tx, tx`${check.code}`)}, ${check.code}, ${discrepancyCodes[check.code].severity},
      r.file_id, r.line, o.payment_key, ${check.expected}, ${check.actual}, ${check.message}
    from (
      select file_id, line, payment_key from failed_records
      except
      select f.file_id, f.line, f.payment_key from failed_records f
      join review_records n on n.file_id = f.file_id and n.line = f.line
    ) o
    join settlement_records r on r.file_id = o.file_id and r.line = o.line
    left join repeated_failures e on e.file_id = r.file_id and e.line = r.line
    where ${holdsAgainst(tx, check)}`;
}
