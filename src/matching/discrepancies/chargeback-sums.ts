import { amountText, recordOrder, type Fragment, type Tx } from '../fragment.js';
import { recordOrBooking, reversalOrBooking } from '../chargebacks/removed-chargebacks.js';
import { typeFits } from '../type-fit.js';
import { paymentFindingId } from './check.js';
import { hasRemovedRecords } from '../removed-records.js';
import { chargedBackPayments } from './chargebacks-booked-twice.js';
import { discrepancyCodes } from '../../findings/discrepancy-codes.js';

/**
 * CHARGEBACK_EXCEEDS_PAYMENT: the matched CHARGEBACK records of a payment in its currency, less the reversals linked to
 * them, exceed the payment's amount; reported on the last CHARGEBACK. A record that FAILED moved no money and adds
 * nothing, so a failed chargeback and its repeat are one chargeback. A reversal in another currency returns all of its
 * chargeback. Every matched CHARGEBACK record has a link, so only the links of the payments under review are read: they
 * include every payment in scope that has a chargeback.
 *
 * What was removed by `recon retire` or `recon purge` counts as it was booked, but nothing is reported on it. What was
 * found on a record before that was removed stays there until the sum changes.
 */
export async function collectChargebackSums(tx: Tx): Promise<void> {
  const [any] = await tx`${chargedBackPayments(tx)} limit 1`;
  if (any === undefined) return;
  const hasRemoved = await hasRemovedRecords(tx);
  const parts = hasRemoved ? ofRecordsOrBookings(tx) : ofRecords(tx);
  await tx`
    insert into found (id, code, severity, file_id, line, payment_key, expected, actual, difference_minor, message)
    select ${findingId(tx)}, 'CHARGEBACK_EXCEEDS_PAYMENT',
      ${discrepancyCodes.CHARGEBACK_EXCEEDS_PAYMENT.severity}, r.file_id, r.line, r.payment_key,
      ${amountText(tx, tx`r.payment_amount`)}, ${amountText(tx, tx`r.net`)}, r.net - r.payment_amount,
      format('Payment %s is for %s %s, but chargebacks less their reversals come to %s %s: %s %s too much.',
        r.payment_id, ${amountText(tx, tx`r.payment_amount`)}, r.currency, ${amountText(tx, tx`r.net`)},
        r.currency, ${amountText(tx, tx`r.net - r.payment_amount`)}, r.currency)
    from (
      select r.*,
        (coalesce(sum(r.amount_minor) filter (where r.settlement_status = 'SUCCESS') over of_payment, 0)
          - coalesce(sum(r.returned_minor) over of_payment, 0))::bigint as net,
        ${parts.isLast} as last
      from (${chargebacks(tx, parts, hasRemoved)}) r
      window of_payment as (partition by r.payment_key)
    ) r
    where r.last and r.net > r.payment_amount ${parts.isNew}`;
}

/**
 * The chargebacks of the payments under review, each with what its reversals returned. They are joined before they are
 * added up: with stale statistics, the server added up all reversals that are stored.
 */
function chargebacks(tx: Tx, { place, record, columns }: Parts, hasRemoved: boolean): Fragment {
  const ofChargeback = tx`p.key, p.id, p.amount_minor, p.currency, ${place}, ${columns}`;
  return tx`
        select p.key as payment_key, p.id as payment_id, p.amount_minor as payment_amount, p.currency, ${place},
          ${columns}, ${returned(tx)} as returned_minor
        from chargeback_links l
        join payments p on p.key = l.payment_key
        ${record}
        left join chargeback_links reversal
          on reversal.chargeback_id = l.chargeback_id and reversal.kind = 'CHARGEBACK REVERSAL' and reversal.active
        left join ${reversalOrBooking(tx, hasRemoved)}
        where l.kind = 'CHARGEBACK' and l.active and ${typeFits(tx)}
          and l.payment_key in (select payment_key from review_payments)
        group by ${ofChargeback}`;
}

/**
 * What the reversals `back` returned of chargeback `r`: all that it took, if one is in another currency, because it is
 * unknown how much that was. The payment core, and so `recon chargebacks list`, also leaves nothing of it.
 */
const returned = (tx: Tx): Fragment => tx`case when bool_or(back.currency <> p.currency)
            then case r.settlement_status when 'SUCCESS' then r.amount_minor else 0 end
            else sum(back.amount_minor) end`;

const findingId = (tx: Tx): Fragment =>
  paymentFindingId(tx, tx`'CHARGEBACK_EXCEEDS_PAYMENT'`, tx`r.payment_id`);

/** The parts of the statement that read the records `r` of the chargebacks. */
interface Parts {
  readonly columns: Fragment;
  readonly place: Fragment;
  readonly record: Fragment;
  readonly isLast: Fragment;
  /** Leaves out what was found on a record that was removed since, and is the same. */
  readonly isNew: Fragment;
}

const columnsOfRecord = (
  tx: Tx,
) => tx`r.amount_minor, r.settlement_status, r.settlement_date, r.settlement_tx_id,
          r.fingerprint, r.occurrence`;

function ofRecords(tx: Tx): Parts {
  return {
    columns: columnsOfRecord(tx),
    place: tx`r.file_id, r.line`,
    record: tx`join settlement_records r on r.file_id = l.file_id and r.line = l.line and r.currency = p.currency`,
    isLast: tx`lead(r.line) over (of_payment order by r.settlement_status = 'SUCCESS', ${recordOrder(tx)}) is null`,
    isNew: tx``,
  };
}

/** The same, with the bookings of removed records. They come first, so that the last one is stored if any is. */
function ofRecordsOrBookings(tx: Tx): Parts {
  const isLast = tx`lead(r.line)
          over (of_payment order by not r.is_removed, r.settlement_status = 'SUCCESS', ${recordOrder(tx)}) is null`;
  return {
    columns: tx`${columnsOfRecord(tx)}, r.is_removed`,
    place: tx`l.file_id, l.line`,
    record: tx`${recordOrBooking(tx)} on r.currency = p.currency`,
    isLast: tx`${isLast} and not r.is_removed`,
    isNew: tx`and not exists (select from discrepancies d join settlement_files f on f.id = d.file_id
      where d.id = ${findingId(tx)} and d.resolved_run is null and f.status = 'retired'
        and d.difference_minor = r.net - r.payment_amount)`,
  };
}
