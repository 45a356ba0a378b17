import { discrepancyCodes } from '../../findings/discrepancy-codes.js';
import { amountText, type Fragment, type Tx } from '../fragment.js';
import { isByHand } from '../chargebacks/hand-bookings.js';
import { paymentFindingId } from './check.js';

/** The payments under review that a CHARGEBACK record charged back: a select of `payment_key`. */
export function chargedBackPayments(tx: Tx): Fragment {
  return tx`select l.payment_key from review_payments s
    join chargeback_links l on l.payment_key = s.payment_key and l.kind = 'CHARGEBACK' and l.active`;
}

/**
 * CHARGEBACK_BOOKED_TWICE: the back office booked a chargeback by hand, which is open, and a CHARGEBACK record of the
 * same payment arrived afterwards; reported on the last such record. The back office books none while another one is
 * open, so the two are probably the same chargeback. They are not linked: only a person can know whether they are.
 *
 * Reads `core_chargebacks` and `core_reversals`.
 */
export async function collectBookedTwice(tx: Tx): Promise<void> {
  await tx`
    insert into found (id, code, severity, file_id, line, payment_key, expected, actual, message)
    select ${paymentFindingId(tx, tx`'CHARGEBACK_BOOKED_TWICE'`, tx`c.payment_id`)}, 'CHARGEBACK_BOOKED_TWICE',
      ${discrepancyCodes.CHARGEBACK_BOOKED_TWICE.severity}, c.file_id, c.line, c.payment_key, 'one chargeback',
      format('another one by hand (%s)', c.id),
      format('Payment %s was charged back by hand (%s, %s %s) before this chargeback of %s %s arrived. '
        'If both are the same chargeback, it is booked twice.', c.payment_id, c.id,
        ${amountText(tx, tx`c.amount_minor`)}, c.currency, ${amountText(tx, tx`c.record_amount`)}, c.record_currency)
    from (
      select b.payment_key, b.booked_on as payment_id, b.id, b.amount_minor, b.currency, r.file_id, r.line,
        r.amount_minor as record_amount, r.currency as record_currency,
        row_number() over (partition by b.payment_key
          order by r.settlement_date desc, coalesce(r.settlement_tx_id, '') desc, r.fingerprint desc, r.occurrence desc,
            b.requested_at, b.id) as number
      from core_chargebacks b
      join chargeback_links l on l.payment_key = b.payment_key and l.kind = 'CHARGEBACK' and l.active
      join runs on runs.id = l.run_id and runs.started_at > b.requested_at
      join settlement_records r on r.file_id = l.file_id and r.line = l.line and r.settlement_status = 'SUCCESS'
      where ${isByHand(tx)}
        and b.amount_minor > coalesce((select sum(v.amount_minor) from core_reversals v where v.booked_on = b.id), 0)
    ) c
    where c.number = 1`;
}
