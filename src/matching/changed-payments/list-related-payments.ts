import type { ShardInput } from '../../db/shards/on-shards.js';
import { unlessCrowded } from '../crowded-values.js';
import type { Fragment, Tx } from '../fragment.js';
import { identifiers, isCandidate } from '../matching-keys.js';
import { collectRowsAgain } from '../collect-rows.js';

/**
 * Lists in `related_payments` the changed payments and those whose records they may change: payments of the same
 * identifiers, which a key finds together with them, and the families of all of these. `every_record` says that every
 * record of the payment depends on the change: it is a changed one, or one that may be reversed by a changed one. Else
 * only a record that a weaker key or a reference led there does. Each has its identifiers: a record that awaits one of
 * them may find its payment through a family of which the changed one is a new member (`list-awaiting-records.ts`).
 *
 * Reads `changed_payments` and `changed_parents`.
 */
export async function listRelatedPayments(tx: Tx, maxPaymentsPerKey: number): Promise<void> {
  await tx`create temp table related_payments (key bigint primary key, id text collate "C",
    referenced_payment_id text collate "C", short_id text collate "C", connector_tx_id1 text collate "C",
    connector_tx_id2 text collate "C", connector_tx_id3 text collate "C", every_record boolean, round integer)
    on commit drop`;
  await tx`insert into related_payments
    select ${relatedColumns(tx, 'c')}, not c.is_new, 0 from changed_payments c`;
  await tx`
    insert into related_payments
    select ${relatedColumns(tx, 'p')}, bool_or(c.may_reverse), 0
    from changed_payments c join changed_parents p on p.id = c.referenced_payment_id
    group by ${relatedColumns(tx, 'p')}
    on conflict (key) do update set every_record = related_payments.every_record or excluded.every_record`;
  await addNext(tx, similar(tx, maxPaymentsPerKey), {
    round: 0,
    input: {
      name: 'changed_payments',
      columns: `key bigint, only_family boolean, ${identifiers.map((name) => `${name} text collate "C"`).join(', ')}`,
      rows: tx`select key, only_family, short_id, connector_tx_id1, connector_tx_id2, connector_tx_id3
        from changed_payments`,
    },
  });
  for (let round = 1; ; round += 1) {
    await tx`create temp table last_related on commit drop as
      select id, referenced_payment_id from related_payments where round = ${round - 1}`;
    const added = await addNext(tx, neighbours(tx), {
      round,
      input: {
        name: 'last_related',
        columns: 'id text collate "C", referenced_payment_id text collate "C"',
        rows: tx`select id, referenced_payment_id from last_related`,
      },
    });
    await tx`drop table pg_temp.last_related`;
    if (added === 0) break;
  }
  await tx`analyze related_payments`;
}

/** Adds the payments that a query finds and that are not listed yet. */
async function addNext(
  tx: Tx,
  query: Fragment,
  { round, input }: { readonly round: number; readonly input: ShardInput },
): Promise<number> {
  await collectRowsAgain(tx, 'next_related', query, [input]);
  const added = await tx`insert into related_payments
    select distinct ${relatedColumns(tx, 'n')}, false, ${round}::integer from next_related n on conflict do nothing`;
  return added.count;
}

/** What is kept of a related payment. */
export function relatedColumns(tx: Tx, alias: string): Fragment {
  const names = ['key', 'id', 'referenced_payment_id', ...identifiers];
  return names.map((name) => tx`${tx(`${alias}.${name}`)}`).reduce((all, more) => tx`${all}, ${more}`);
}

/**
 * Payments that share an identifier with a changed one, as far as a key finds them. A value that more than the limit of
 * unchanged payments have was a placeholder before the change and is one now, so nothing depends on the change.
 */
function similar(tx: Tx, limit: number): Fragment {
  return identifiers
    .map((identifier) => {
      const column = tx(identifier);
      const unchanged = tx`select ${relatedColumns(tx, 'p')} from payments p
        where p.${column} = c.shared and ${isCandidate(tx)}
          and p.key not in (select key from changed_payments)`;
      return tx`
      select ${relatedColumns(tx, 'p')}
      from (select distinct ${column} as shared from changed_payments
        where ${column} is not null and not only_family offset 0) c
      cross join lateral ${unlessCrowded(tx, unchanged, limit)} p
      where p.weight = 1`;
    })
    .reduce((all, more) => tx`${all} union all ${more}`);
}

/** The parents and children of the payments that were found last. */
function neighbours(tx: Tx): Fragment {
  return tx`
    select ${relatedColumns(tx, 'p')} from last_related l
    cross join lateral (select p.* from payments p where p.id = l.referenced_payment_id offset 0) p
    union all
    select ${relatedColumns(tx, 'p')} from last_related l
    cross join lateral (select p.* from payments p where p.referenced_payment_id = l.id offset 0) p`;
}
