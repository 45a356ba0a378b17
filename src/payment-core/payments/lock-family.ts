import type { Tx } from '../../db/client.js';
import type { Caller, CoreContext } from '../core/core-context.js';
import type { Environment } from '../fields/request-kinds.js';
import { findStoredPayment } from '../stored-payments/find-stored-payment.js';
import type { StoredPayment } from '../stored-payments/payment-content.js';
import type { FamilyMember } from './payment-family.js';

/**
 * Locks and reads the family of a payment: its oldest ancestor and everything that references it, directly or not.
 * Only the ancestor's row is locked. Every capture, reversal, refund and chargeback that the core makes in the family
 * waits for this lock, so that together they never exceed the amount. What the other environment did with an imported
 * payment is not part of the family: a refund in test moves no money.
 */
export async function lockFamily(
  { environment }: Pick<CoreContext, 'environment'>,
  sql: Tx,
  id: string,
): Promise<readonly FamilyMember[]> {
  // Sent together: one round trip. Each statement sees what was committed when the one before it was done.
  const [, rows] = await Promise.all([lockRoot(sql, id), readFamily(sql, id, environment)]);
  return rows.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor) }));
}

/** A payment whose family is locked. */
export interface LockedPayment {
  readonly payment: StoredPayment;
  /** The same payment as a member of its family. */
  readonly target: FamilyMember;
  readonly family: readonly FamilyMember[];
}

/** Locks the family of a payment, and reads both; undefined if the caller sees no such payment. */
export async function lockPayment(
  context: CoreContext,
  tx: Tx,
  id: string,
  caller: Caller,
): Promise<LockedPayment | undefined> {
  // Sent together. The payment is read after the lock of its family, so it is the one that the verdict is about.
  const [family, payment] = await Promise.all([
    lockFamily(context, tx, id),
    findStoredPayment(context, tx, id, caller),
  ]);
  const target = family.find((member) => member.id === id);
  return payment === undefined || target === undefined ? undefined : { payment, target, family };
}

/** Its oldest ancestor is found without a lock: the core never changes the reference of a payment. */
async function lockRoot(sql: Tx, id: string): Promise<void> {
  await sql`${ancestorsOf(sql, id)} select 1 from payments where id = (select id from root) for update`;
}

function readFamily(sql: Tx, id: string, environment: Environment) {
  return sql<(Omit<FamilyMember, 'amountMinor'> & { amountMinor: string })[]>`
    ${ancestorsOf(sql, id)}, family as (
      select key, id from payments where id = (select id from root)
      union
      select child.key, child.id from family join payments child on child.referenced_payment_id = family.id
    )
    select p.id, p.payment_type as "paymentType", p.amount_minor::text as "amountMinor", p.currency,
      p.result_code as "resultCode", p.referenced_payment_id as "referencedPaymentId",
      d.number_of_captures as "numberOfCaptures", d.sequence, d.industry_practice as "industryPractice"
    from family join payments p on p.key = family.key
    left join payment_details d on d.payment_key = p.key
    where coalesce(d.environment, ${environment}) = ${environment}
    order by p.key`;
}

/**
 * The beginning of a statement: `root` is the oldest ancestor, however distant, so that every member of the family has
 * the same one. Imported references may form a circle, which is followed until it was surely reached; its lowest id is
 * the root of all that lead to it.
 */
function ancestorsOf(sql: Tx, id: string) {
  return sql`
    with recursive ancestors as (
      select id, referenced_payment_id, 0 as distance from payments where id = ${id}
      union all
      select parent.id, parent.referenced_payment_id, distance + 1
      from ancestors join payments parent on parent.id = ancestors.referenced_payment_id
      where distance < 10000
    ), root as (
      select id from ancestors order by least(distance, 9000) desc, id limit 1
    )`;
}
