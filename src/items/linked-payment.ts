import type { Tx } from '../db/client.js';
import type { PaymentKey } from '../values/ids.js';

/** Payments that have one order number; more than these are not named. */
const mostNamed = 3;

/** The payment that a link names, by its id or by the DiscrepancyId of its MISSING_SETTLEMENT, or why there is none. */
export async function findLinkedPayment(
  tx: Tx,
  linkTo: string,
): Promise<{ readonly key: PaymentKey } | { readonly problem: string }> {
  const payment = await namedPayment(tx, linkTo);
  if (payment === undefined)
    return { problem: `no payment ${linkTo} is stored.${await otherName(tx, linkTo)}` };
  if (payment.booked) {
    return {
      problem: `${linkTo} is a booked chargeback; link the record to the payment that was charged back.`,
    };
  }
  return { key: payment.key };
}

/** The key alone, without looking for what else a wrong name may mean; undefined if nothing can be linked to it. */
export async function linkedPaymentKey(tx: Tx, linkTo: string): Promise<PaymentKey | undefined> {
  const payment = await namedPayment(tx, linkTo);
  return payment?.booked === false ? payment.key : undefined;
}

async function namedPayment(
  tx: Tx,
  name: string,
): Promise<{ readonly key: PaymentKey; readonly booked: boolean } | undefined> {
  const [payment] = await tx<{ key: PaymentKey; booked: boolean }[]>`
    select key, payment_type in ('CB', 'CR') as booked from payments where id = ${name}
    union all
    select payment_key, false from discrepancies where id = ${name} and code = 'MISSING_SETTLEMENT'
    limit 1`;
  return payment;
}

/** People know an order by its number: the sentence says which payments have it, as nothing is chosen for them. */
async function otherName(tx: Tx, name: string): Promise<string> {
  const payments = await tx<{ id: string }[]>`
    select id from payments
    where (merchant_transaction_id = ${name} or short_id = ${name}) and payment_type not in ('CB', 'CR')
    order by id limit ${mostNamed + 1}`;
  if (payments.length === 0) return '';
  const named = payments.slice(0, mostNamed).map(({ id }) => id);
  const others = payments.length > mostNamed ? ' and others' : '';
  const advice = payments.length === 1 ? 'write the id' : 'write the id of the right one';
  return ` It is the order number or ShortId of ${named.join(', ')}${others}: ${advice}.`;
}
