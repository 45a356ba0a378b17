import { isDivided } from '../db/shards/is-divided.js';
import { inPlaceOfDivided } from '../db/shards/on-copies.js';
import { collectFromShards } from '../db/shards/on-shards.js';
import { paymentKeys } from './copies-from-shards.js';
import type { Fragment, Tx } from './fragment.js';

/** What following references and narrowing read of a payment. */
const columnsOfMember = (tx: Tx) =>
  tx`p.key, p.id, p.referenced_payment_id, p.payment_type, p.outcome, p.amount_minor, p.currency`;

/**
 * Does work that reads only the payments of the families (`familiesOf`) of the given ones (a select of `payment_key`).
 * With shards, it is done on copies. The members of a family may be on different shards, so the home server asks for
 * one generation of all families at a time: as many round trips as the deepest family has generations. One look-up for
 * each payment fetched every payment for it, because `postgres_fdw` does not send a comparison with an id that it reads
 * row by row: its collation is not the default.
 */
export async function onCopiedFamilies(tx: Tx, keys: Fragment, work: () => Promise<void>): Promise<void> {
  if (!(await isDivided(tx))) return work();
  await tx`create temp table copied_keys on commit drop as select distinct payment_key from (${keys}) k`;
  await collectFromShards(
    tx,
    'family_members',
    tx`select d.upwards, ${columnsOfMember(tx)} from copied_keys s join payments p on p.key = s.payment_key
      cross join (values (true), (false)) d (upwards)`,
    [paymentKeys(tx, 'copied_keys')],
  );
  await addGenerations(tx);
  await tx`create temp table payments on commit drop as select distinct ${columnsOfMember(tx)} from family_members p`;
  for (const column of ['key', 'id', 'referenced_payment_id'])
    await tx`create index on pg_temp.payments (${tx(column)})`;
  await inPlaceOfDivided(tx, ['payments'], work);
  await tx`drop table pg_temp.copied_keys, pg_temp.family_members, pg_temp.family_ids`;
}

/**
 * Adds to `family_members` the ancestors of those found upwards and the descendants of those found downwards. An id is
 * asked for once in each direction, so circular references end.
 */
async function addGenerations(tx: Tx): Promise<void> {
  await tx`create temp table family_ids (id text collate "C", upwards boolean, generation integer) on commit drop`;
  for (let generation = 1; ; generation += 1) {
    const { count } = await tx`insert into family_ids
      select id, upwards, ${generation} from (
        select case when upwards then referenced_payment_id else id end as id, upwards from family_members
        except select id, upwards from family_ids) f
      where id is not null`;
    if (count === 0) return;
    await collectFromShards(
      tx,
      'next_generation',
      tx`select f.upwards, ${columnsOfMember(tx)} from family_ids f join payments p on p.id = f.id where f.upwards
        union all
        select f.upwards, ${columnsOfMember(tx)} from family_ids f join payments p on p.referenced_payment_id = f.id
        where not f.upwards`,
      [
        {
          name: 'family_ids',
          columns: 'id text collate "C", upwards boolean',
          rows: tx`select id, upwards from family_ids where generation = ${generation}`,
        },
      ],
    );
    await tx`insert into family_members select * from next_generation`;
    await tx`drop table pg_temp.next_generation`;
  }
}
