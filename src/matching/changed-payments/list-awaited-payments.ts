import { awaitable } from '../awaited-identifiers.js';
import { placeholdersAmong } from '../crowded-values.js';
import { isDivided } from '../../db/shards/is-divided.js';
import type { ShardInput } from '../../db/shards/on-shards.js';
import type { Fragment, Tx } from '../fragment.js';
import { identifiers, isCandidate } from '../matching-keys.js';
import { collectRowsAgain } from '../collect-rows.js';
import { withoutTableScans } from '../../db/without-table-scans.js';

/** How new payments are recognised, and how many of one value identify none. */
export interface AwaitedSettings {
  readonly maxPaymentsPerKey: number;
  /** Whether payment `p` is new. */
  readonly isNew: Fragment;
  /** Whether payment `p` was stored late: with shards, it is listed anyway. */
  readonly isLate: Fragment;
}

/**
 * Lists in `awaited_payments` the new payments that have an identifier which an earlier record awaits or by which it
 * was matched to another payment: a second attempt to pay may have the ConnectorTxId of the first.
 *
 * The identifiers of all new payments are compared with those of such records: in lists that are read once if they fit
 * into memory, which takes less than a microsecond for each payment, or else in an index.
 *
 * @returns whether there are such records; otherwise, there is no list
 */
export async function listAwaitedPayments(tx: Tx, settings: AwaitedSettings): Promise<boolean> {
  const [any] = await tx`select from awaited_identifiers limit 1`;
  if (any === undefined) return false;
  await collectAwaited(tx, settings, []);
  if (await listFormerPlaceholders(tx, settings)) {
    await collectAwaited(tx, settings, [
      {
        name: 'former_placeholders',
        columns: valueColumns,
        rows: tx`select identifier, value from former_placeholders`,
      },
    ]);
  }
  return true;
}

const valueColumns = 'identifier text collate "C", value text collate "C"';

/** @param placeholders the values that count for nothing, if there are any */
async function collectAwaited(
  tx: Tx,
  { isNew, isLate }: AwaitedSettings,
  placeholders: readonly ShardInput[],
): Promise<void> {
  const counts =
    placeholders.length === 0
      ? tx``
      : tx`and (a.identifier, a.value) not in (select identifier, value from former_placeholders)`;
  const isAwaited = awaitable
    .map((column) => {
      const value = column === 'unique_id' ? tx`p.id` : tx`p.${tx(column)}`;
      return tx`exists (select from awaited_identifiers a
        where a.value = ${value} and a.identifier = ${column} ${counts})`;
    })
    .reduce((all, more) => tx`${all} or ${more}`);
  const query = tx`
    select p.key, p.short_id, p.connector_tx_id1, p.connector_tx_id2, p.connector_tx_id3
    from payments p where ${isNew} and ${isCandidate(tx)} ${(await isDivided(tx)) ? tx`and not ${isLate}` : tx``} and (${isAwaited})`;
  // No payment is compared with all records, however few the planner expects.
  await withoutTableScans(tx, () =>
    collectRowsAgain(tx, 'awaited_payments', query, [
      {
        name: 'awaited_identifiers',
        columns: valueColumns,
        rows: tx`select distinct identifier, value from awaited_identifiers`,
      },
      ...placeholders,
    ]),
  );
}

/**
 * Lists in `former_placeholders` the values that too many payments had before these: they identify none of them, then
 * and now, so nothing depends on the new ones.
 *
 * @returns whether there are any
 */
async function listFormerPlaceholders(
  tx: Tx,
  { maxPaymentsPerKey: limit, isNew }: AwaitedSettings,
): Promise<boolean> {
  const values = identifiers
    .map((column) => tx`select ${column}::text as identifier, ${tx(column)} as value from awaited_payments`)
    .reduce((all, more) => tx`${all} union all ${more}`);
  await tx`create temp table frequent_values on commit drop as
    select identifier, value from (${values}) v where value <> ''
    group by 1, 2 having count(*) > ${limit}::integer`;
  const [any] = await tx`select from frequent_values limit 1`;
  if (any === undefined) return false;
  const query = placeholdersAmong(tx, 'frequent_values', tx`not ${isNew}`, limit);
  await collectRowsAgain(tx, 'former_placeholders', query, [
    {
      name: 'frequent_values',
      columns: valueColumns,
      rows: tx`select identifier, value from frequent_values`,
    },
  ]);
  const [former] = await tx`select from former_placeholders limit 1`;
  return former !== undefined;
}
