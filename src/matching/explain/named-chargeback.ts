import type { Tx } from '../fragment.js';

/** A booked chargeback, or its reversal, that a record names as its payment. */
export interface NamedChargeback {
  readonly id: string;
  readonly paymentType: 'CB' | 'CR';
  /** The payment that was charged back; null if it is not known. */
  readonly paymentId: string | null;
}

/** The chargeback that has this id; null if there is none. */
export async function namedChargebackOf(tx: Tx, uniqueId: string): Promise<NamedChargeback | null> {
  const [found] = await tx<NamedChargeback[]>`
    select p.id, p.payment_type as "paymentType", coalesce(c.referenced_payment_id, p.referenced_payment_id) as "paymentId"
    from payments p
    left join payments c on c.id = p.referenced_payment_id and c.payment_type = 'CB'
    where p.id = ${uniqueId} and p.payment_type in ('CB', 'CR')`;
  return found === undefined ? null : { ...found };
}

/** The same as a line below the key. */
export function namedChargebackText({ paymentType, paymentId }: NamedChargeback): string {
  const what = paymentType === 'CB' ? 'a chargeback' : 'the reversal of a chargeback';
  const of = paymentId === null ? '' : ` of payment ${paymentId}`;
  return `    It is the id of ${what}${of}. A record is matched to the payment, not to its chargeback.`;
}
