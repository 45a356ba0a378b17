import type { Caller, CoreContext } from '../core/core-context.js';
import { readPayment, selectPayment, type PaymentTextRow } from '../stored-payments/payment-document.js';
import type { StoredPayment } from '../stored-payments/payment-content.js';
import { isVisible } from '../stored-payments/find-stored-payment.js';

/** The most linked payments of an answer, so that no page returns the whole table. Other answers return the rest. */
const mostLinked = 5_000;

/** Some of the payments that are linked to those of a page. */
export interface LinkedPart {
  readonly payments: readonly StoredPayment[];
  /** Whether there are others after these. */
  readonly hasMore: boolean;
}

/**
 * Everything that is linked to these payments by references, directly or not: the PA of a capture, its other
 * captures, their refunds and chargebacks. In the order in which they were stored, without the given payments.
 *
 * @param afterKey only those that were stored after this one
 */
export async function linkedPayments(
  context: CoreContext,
  payments: readonly StoredPayment[],
  caller: Caller,
  afterKey = '0',
): Promise<LinkedPart> {
  const { sql } = context;
  const ids = JSON.stringify(payments.map(({ id }) => id));
  const rows = await sql<PaymentTextRow[]>`
    with recursive linked as (
      select key, id, referenced_payment_id from payments
      where id = any (array(select jsonb_array_elements_text(${ids}::text::jsonb) collate "C"))
      union
      select near.key, near.id, near.referenced_payment_id
      from linked cross join lateral (
        select key, id, referenced_payment_id from payments where referenced_payment_id = linked.id
        union all
        select key, id, referenced_payment_id from payments where id = linked.referenced_payment_id
      ) near
    )
    -- Looked up for each: the planner expects hundreds of thousands of them, and would read all payments and details.
    select ${selectPayment(sql)}
    from linked cross join lateral (select * from payments where payments.key = linked.key offset 0) p
    left join lateral (select * from payment_details where payment_key = p.key offset 0) d on true
    where p.id not in (select jsonb_array_elements_text(${ids}::text::jsonb) collate "C")
      and p.key > ${afterKey}::text::bigint and ${isVisible(sql, context, caller)}
    order by p.key limit ${mostLinked + 1}::int`;
  return { payments: rows.slice(0, mostLinked).map(readPayment), hasMore: rows.length > mostLinked };
}
