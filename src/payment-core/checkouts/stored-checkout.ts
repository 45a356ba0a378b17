import type { Sql, Tx } from '../../db/client.js';
import type { Caller, CoreContext } from '../core/core-context.js';
import type { Parameters } from '../fields/parameters.js';
import { storedMoment } from '../values/moments.js';
import { isOpen } from '../payments/give-outcome.js';
import { dispositionOf } from '../results/classify-result-code.js';

export interface StoredCheckout {
  readonly id: string;
  readonly parameters: Parameters;
  readonly expired: boolean;
  /** The successful or pending payment. A declined payment leaves the checkout open. */
  readonly paidBy: string | null;
  /** The newest payment, whatever its outcome. */
  readonly lastPayment: string | null;
}

/** The checkout with this id, if the caller may see it. `lock` makes other payments and updates of it wait. */
export async function findCheckout(
  context: CoreContext,
  sql: Sql | Tx,
  id: string,
  caller: Caller,
  lock: boolean,
): Promise<StoredCheckout | undefined> {
  const entities = caller.entityIds === undefined ? null : JSON.stringify(caller.entityIds);
  const checkout = sql<{ parameters: string; expired: boolean }[]>`
    select parameters::text as parameters,
      expires_at <= ${storedMoment(context.clock())}::text::timestamptz as expired
    from checkouts
    where id = ${id} and environment = ${context.environment}
      and (${entities}::text is null
        or entity_id in (select jsonb_array_elements_text(${entities}::text::jsonb) collate "C"))
    ${lock ? sql`for update` : sql``}`;
  // A separate statement, sent together with the first: it sees what was committed while that waited for the lock.
  const payments = sql<{ id: string; resultCode: string }[]>`
    select p.id, p.result_code as "resultCode"
    from payment_details d join payments p on p.key = d.payment_key
    where d.checkout_id = ${id} order by p.key`;
  const [[row], paid] = await Promise.all([checkout, payments]);
  if (row === undefined) return undefined;
  const paidBy = paid.find((payment) => dispositionOf(payment.resultCode) === 'success' || isOpen(payment));
  return {
    id,
    // The column contains flat text parameters only.
    parameters: JSON.parse(row.parameters) as Parameters,
    expired: row.expired,
    paidBy: paidBy?.id ?? null,
    lastPayment: paid.at(-1)?.id ?? null,
  };
}
