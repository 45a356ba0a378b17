import { isDivided } from '../../db/shards/is-divided.js';
import { resultsOfPayments } from '../../db/shards/rows-by-key.js';
import { collectRows } from '../collect-rows.js';
import type { Fragment, Tx } from '../fragment.js';
import { deliveryKey } from './delivery-key.js';

/** The records whose place among the deliveries may have changed. */
export function changedOrMoved(tx: Tx): Fragment {
  return tx`(select file_id, line from changed_records union select file_id, line from moved_records)`;
}

/** Selects their places. */
export const placesChangedOrMoved = (tx: Tx): Fragment =>
  tx`select file_id, line from ${changedOrMoved(tx)} c`;

/**
 * Adds to `delivery_suspects` the changed and moved records that share a key with another one, also of the same file:
 * if it was withdrawn, other files may bring the two now. And those whose UniqueID names a payment with another record.
 *
 * All records may have one key or one payment, so what is stored about each key and payment is read once and grouped.
 */
export async function listSuspectsOfChanged(tx: Tx): Promise<void> {
  await listNamedPayments(tx);
  const payments = tx`select payment_key from named_payments`;
  await tx`
    insert into delivery_suspects
    select key, null from (
      ${changedOrMovedKeys(tx)}
      intersect
      select d.key, d.file_id from (select distinct key from (${changedOrMovedKeys(tx)}) c) k
      join delivery_keys d on d.key = k.key
      group by d.key, d.file_id having count(*) > 1) shared`;
  await tx`
    insert into delivery_suspects
    select k.key, k.unique_id from named_payments k
    join (
      select m.payment_key, count(*) as results, min(m.file_id) as file_id, min(m.line) as line
      from (select distinct payment_key from named_payments) n
      join ${resultsOfPayments(tx, await isDivided(tx), payments)} m
        on m.payment_key = n.payment_key
      group by m.payment_key) m on m.payment_key = k.payment_key
    where m.results > 1 or (m.file_id, m.line) <> (k.file_id, k.line)`;
}

/** The keys of the changed and moved records, with their files. */
function changedOrMovedKeys(tx: Tx): Fragment {
  return tx`select k.key, k.file_id from ${changedOrMoved(tx)} c
      join keyed_records k on k.file_id = c.file_id and k.line = c.line`;
}

/**
 * Makes `named_payments`: the changed or moved records whose UniqueID names a payment, with its key. With shards, each
 * shard joins its own: a record is on the shard of the payment that it names.
 */
async function listNamedPayments(tx: Tx): Promise<void> {
  const named = tx`select r.file_id, r.line, ${deliveryKey(tx)} as key, r.unique_id, p.key as payment_key
    from ${changedOrMoved(tx)} c
    join settlement_records r on r.file_id = c.file_id and r.line = c.line
    join payments p on p.id = r.unique_id`;
  const places = (name: string) => ({
    name,
    columns: 'file_id integer, line integer',
    rows: tx`select file_id, line from ${tx(name)}`,
  });
  await collectRows(tx, 'named_payments', named, [places('changed_records'), places('moved_records')]);
  await tx`create index on pg_temp.named_payments (payment_key)`;
  await tx`analyze named_payments`;
}
