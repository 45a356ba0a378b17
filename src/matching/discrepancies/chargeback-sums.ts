import { amountText, recordOrder, type Tx } from '../fragment.js';
import { typeFits } from '../type-fit.js';
import { paymentFindingId } from './check.js';
import { chargedBackPayments } from './chargebacks-booked-twice.js';
import { discrepancyCodes } from '../../findings/discrepancy-codes.js';

/**
 * CHARGEBACK_EXCEEDS_PAYMENT: the matched CHARGEBACK records of a payment in its currency, less the reversals linked to
 * them, exceed the payment's amount; reported on the last CHARGEBACK. A record that FAILED moved no money and adds
 * nothing, so a failed chargeback and its repeat are one chargeback. Every matched CHARGEBACK record has a link, so
 * only the links of the payments under review are read: they include every payment in scope that has a chargeback.
 */
export async function collectChargebackSums(tx: Tx): Promise<void> {
  const [any] = await tx`${chargedBackPayments(tx)} limit 1`;
  if (any === undefined) return;
  await tx`
    insert into found (id, code, severity, file_id, line, payment_key, expected, actual, difference_minor, message)
    select ${paymentFindingId(tx, tx`'CHARGEBACK_EXCEEDS_PAYMENT'`, tx`r.payment_id`)}, 'CHARGEBACK_EXCEEDS_PAYMENT',
      ${discrepancyCodes.CHARGEBACK_EXCEEDS_PAYMENT.severity}, r.file_id, r.line, r.payment_key,
      ${amountText(tx, tx`r.payment_amount`)}, ${amountText(tx, tx`r.net`)}, r.net - r.payment_amount,
      format('Payment %s is for %s %s, but chargebacks less their reversals come to %s %s: %s %s too much.',
        r.payment_id, ${amountText(tx, tx`r.payment_amount`)}, r.currency, ${amountText(tx, tx`r.net`)},
        r.currency, ${amountText(tx, tx`r.net - r.payment_amount`)}, r.currency)
    from (
      select p.key as payment_key, p.id as payment_id, p.amount_minor as payment_amount, p.currency,
        r.file_id, r.line, r.fingerprint, r.occurrence,
        (coalesce(sum(r.amount_minor) filter (where r.settlement_status = 'SUCCESS') over of_payment, 0)
          - coalesce(sum(back.amount_minor) over of_payment, 0))::bigint as net,
        lead(r.line) over (of_payment order by r.settlement_status = 'SUCCESS', ${recordOrder(tx)}) is null as last
      from chargeback_links l
      join payments p on p.key = l.payment_key
      join settlement_records r on r.file_id = l.file_id and r.line = l.line and r.currency = p.currency
      left join chargeback_links reversal
        on reversal.chargeback_id = l.chargeback_id and reversal.kind = 'CHARGEBACK REVERSAL' and reversal.active
      left join settlement_records back
        on back.file_id = reversal.file_id and back.line = reversal.line and back.currency = p.currency
          and back.settlement_status = 'SUCCESS'
      where l.kind = 'CHARGEBACK' and l.active and ${typeFits(tx)}
        and l.payment_key in (select payment_key from review_payments)
      window of_payment as (partition by p.key)
    ) r
    where r.last and r.net > r.payment_amount`;
}
