import type { Tx } from '../fragment.js';

/**
 * Takes the chargeback id from the reversals of another payment than that of the chargeback which has the id now
 * (design 4.5): the chargeback moved, because the record that superseded it is matched to another payment, or because
 * the former one counts again. They wait for a chargeback of their payment. One that does not count keeps the id until
 * it counts again: only what is active is found by an index.
 *
 * Reads `changed_links` and adds the links that it removes, so that their payments are looked at; makes
 * `moved_reversals`.
 *
 * @returns whether there was any
 */
export async function releaseReversalsElsewhere(tx: Tx): Promise<boolean> {
  await tx`create temp table moved_reversals on commit drop as
    select l.* from (select distinct chargeback_id from changed_links) c
    join chargeback_links holder on holder.chargeback_id = c.chargeback_id and holder.kind = 'CHARGEBACK'
      and holder.active
    join chargeback_links l on l.chargeback_id = c.chargeback_id and l.kind = 'CHARGEBACK REVERSAL'
      and l.active and l.payment_key <> holder.payment_key`;
  const [any] = await tx`select from moved_reversals limit 1`;
  if (any === undefined) return false;
  await tx`
    with moved as (
      delete from chargeback_links l using moved_reversals x where x.file_id = l.file_id and x.line = l.line
      returning l.file_id, l.line, l.kind, l.chargeback_id, l.booking_id, l.payment_key
    )
    insert into changed_links select *, false from moved`;
  return true;
}
