import { amountText, recordOrder, type Tx } from '../fragment.js';
import { typeFits } from '../type-fit.js';
import { paymentFindingId } from './check.js';
import { discrepancyCodes } from '../../findings/discrepancy-codes.js';

/**
 * CHARGEBACK_EXCEEDS_PAYMENT: the matched CHARGEBACK records of a payment in its currency, less the
 * reversals linked to them, exceed its amount; reported on the last of them. Every matched CHARGEBACK record
 * has a link, so only the links of the payments under review are read: they include every payment in
 * scope that has a chargeback.
 */
export async function collectChargebackSums(tx: Tx): Promise<void> {
  await tx`
    insert into found (id, code, severity, file_id, line, payment_key, expected, actual, difference_minor, message)
    select ${paymentFindingId(tx, tx`'CHARGEBACK_EXCEEDS_PAYMENT'`, tx`r.payment_id`)}, 'CHARGEBACK_EXCEEDS_PAYMENT',
      ${discrepancyCodes.CHARGEBACK_EXCEEDS_PAYMENT.severity}, r.file_id, r.line, r.payment_key,
      ${amountText(tx, tx`r.payment_amount`)}, ${amountText(tx, tx`r.net`)}, r.net - r.payment_amount,
      format('Payment %s is over %s %s, but chargebacks less their reversals come to %s %s: %s %s too much.',
        r.payment_id, ${amountText(tx, tx`r.payment_amount`)}, r.currency, ${amountText(tx, tx`r.net`)},
        r.currency, ${amountText(tx, tx`r.net - r.payment_amount`)}, r.currency)
    from (
      select p.key as payment_key, p.id as payment_id, p.amount_minor as payment_amount, p.currency,
        r.file_id, r.line, r.fingerprint, r.occurrence,
        (sum(r.amount_minor - coalesce(back.amount_minor, 0)) over (partition by p.key))::bigint as net,
        lead(r.line) over (partition by p.key order by ${recordOrder(tx)}) is null as last
      from chargeback_links l
      join payments p on p.key = l.payment_key
      join settlement_records r on r.file_id = l.file_id and r.line = l.line and r.currency = p.currency
      left join chargeback_links reversal
        on reversal.chargeback_id = l.chargeback_id and reversal.kind = 'CHARGEBACK REVERSAL' and reversal.active
      left join settlement_records back
        on back.file_id = reversal.file_id and back.line = reversal.line and back.currency = p.currency
      where l.kind = 'CHARGEBACK' and l.active and ${typeFits(tx)} and l.payment_key in (select payment_key from review_payments)
    ) r
    where r.last and r.net > r.payment_amount`;
}
