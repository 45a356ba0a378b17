import type { Sql, Tx } from '../../db/client.js';
import type { CoreContext } from '../core/core-context.js';
import { accepted, rejected, type Checked } from '../core/check-request.js';
import { ofEntities } from '../core/of-entities.js';
import { sharedMoment } from '../core/shared-moment.js';
import { lockClause, type WantedRow } from '../core/row-lock.js';
import { refuse } from '../responses/stamp-response.js';
import type { ParameterValues } from '../fields/parameters.js';
import { isOpen } from '../payments/payment-family.js';
import { dispositionOf } from '../results/classify-result-code.js';
import { openDocument, readDocument, type StoredParameters } from './checkout-document.js';

/** A checkout as it is stored, with what its payments say about it. */
export interface StoredCheckout {
  readonly id: string;
  readonly entityId: string | null;
  readonly stored: StoredParameters;
  readonly expired: boolean;
  /** The successful or pending payment. A declined payment leaves the checkout open. */
  readonly paidBy: string | null;
  /** The newest payment, whatever its outcome. */
  readonly lastPayment: string | null;
}

/** The checkout with this id, if the caller may see it. `update` makes other payments and updates of it wait. */
export async function findCheckout(
  context: CoreContext,
  sql: Sql | Tx,
  { id, caller, lock }: WantedRow,
): Promise<StoredCheckout | undefined> {
  const checkout = sql<{ entityId: string | null; parameters: string; expired: boolean }[]>`
    select entity_id as "entityId", parameters::text as parameters,
      expires_at <= ${sharedMoment(context, sql)} as expired
    from checkouts
    where id = ${id} and environment = ${context.environment}
      and ${ofEntities(sql, 'entity_id', caller.entityIds)}
    ${lockClause(sql, lock)}`;
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
    entityId: row.entityId,
    stored: readDocument(row.parameters),
    expired: row.expired,
    paidBy: paidBy?.id ?? null,
    lastPayment: paid.at(-1)?.id ?? null,
  };
}

/** A checkout that can be paid or changed. */
export interface OpenCheckout extends StoredCheckout {
  /** Account numbers included. */
  readonly parameters: ParameterValues;
}

/**
 * The checkout for an operation that pays or changes it: 800.110.100 if it is paid, also after its time, since a
 * shopper who reads that it has expired pays again; 200.300.406 if it does not exist or has expired unpaid.
 */
export async function findOpenCheckout(
  context: CoreContext,
  sql: Sql | Tx,
  wanted: WantedRow,
): Promise<Checked<OpenCheckout>> {
  const checkout = await findCheckout(context, sql, wanted);
  if (checkout !== undefined && checkout.paidBy !== null) return rejected(refuse(context, '800.110.100'));
  if (checkout === undefined || checkout.expired) return rejected(refuse(context, '200.300.406'));
  return accepted({ ...checkout, parameters: openDocument(context, checkout.id, checkout.stored) });
}
