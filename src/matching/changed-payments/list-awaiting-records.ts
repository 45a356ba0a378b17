import { placeholdersAmong } from '../crowded-values.js';
import type { Fragment, Tx } from '../fragment.js';
import { identifierNames, identifiers } from '../matching-keys.js';
import { collectRowsAgain } from '../collect-rows.js';
import type { SeenPayments } from './seen-payments.js';

/**
 * Lists in `awaiting_records` the earlier records that await an identifier of a changed payment or of a payment of its
 * family, and those for which a value identifies a payment again because another one no longer has it. A record that
 * names a payment of the family, and another payment of another family, may find the changed one through the first.
 *
 * Reads `changed_payments` and `related_payments`.
 */
export async function listAwaitingRecords(
  tx: Tx,
  { change }: SeenPayments,
  maxPaymentsPerKey: number,
): Promise<void> {
  await tx`create temp table awaiting_records (file_id integer, line integer) on commit drop`;
  await tx`create temp table awaited_values on commit drop as
    select c.identifier, c.value from (${changedValues(tx, change)}) c
    cross join lateral (select from awaited_identifiers a
      where a.value = c.value and a.identifier = c.identifier limit 1) a`;
  const [any] = await tx`select from awaited_values limit 1`;
  if (any === undefined) return;
  await tx`analyze awaited_values`;
  // They identified no payment before, and do not now.
  const isUnchanged = tx`p.key not in (select key from changed_payments)`;
  const placeholders = placeholdersAmong(tx, 'awaited_values', isUnchanged, maxPaymentsPerKey);
  await collectRowsAgain(tx, 'placeholders', placeholders, [
    {
      name: 'awaited_values',
      columns: 'identifier text collate "C", value text collate "C"',
      rows: tx`select identifier, value from awaited_values`,
    },
    {
      name: 'changed_payments',
      columns: 'key bigint',
      rows: tx`select key from changed_payments`,
    },
  ]);
  await tx`insert into awaiting_records
    select a.file_id, a.line from (
      select identifier, value from awaited_values except select identifier, value from placeholders) c
    cross join lateral (select a.file_id, a.line from awaited_identifiers a
      where a.value = c.value and a.identifier = c.identifier offset 0) a`;
}

/** The identifiers of the changed payments and of the related ones, and those that imports have taken from them. */
function changedValues(tx: Tx, change: string): Fragment {
  const present = identifiers.reduce(
    (all, identifier) => tx`${all}
      union select ${identifier}::text, ${tx(identifier)} from related_payments`,
    tx`select 'unique_id'::text as identifier, id as value from changed_payments`,
  );
  const former = identifiers
    .map(
      (identifier) => tx`select ${identifier}::text as identifier, old_value as value from payment_changes
        where id > ${change}::bigint and column_name = ${identifierNames[identifier]} and old_value is not null`,
    )
    .reduce((all, more) => tx`${all} union ${more}`);
  return tx`${present} union ${former}`;
}
