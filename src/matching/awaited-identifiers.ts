import { textArray, type Fragment, type Tx } from './fragment.js';
import { identifiers } from './matching-keys.js';
import { withoutTableScans } from '../db/without-table-scans.js';

/**
 * A record that a weaker key matched depends on payments that are not stored: those that this key or a stronger one
 * would find. `awaited_identifiers` has the values of these keys, so that the run after such a payment is stored
 * matches the record again (design 4.6). Records without a match are not here: each run matches them again.
 */

/** The columns of a record by which a payment can be found. */
export const awaitable = ['unique_id', ...identifiers] as const;

/** Only records with such a key are here. */
const weakerKeys = ['SHORT_ID', 'CONNECTOR_TX_ID', 'ATTRIBUTES'] as const;

/**
 * Stores what the records of this matching await, and deletes what they no longer do. That includes values that too
 * many payments have (`crowded-values.ts`): one of them may get another value.
 *
 * Reads `new_matches` and `undecided_records`.
 */
export async function storeAwaitedIdentifiers(tx: Tx): Promise<void> {
  await deleteFormer(tx);
  const values = awaitable
    .map((column) => tx`select ${column}::text as identifier, r.${tx(column)} as value`)
    .reduce((all, more) => tx`${all} union all ${more}`);
  const awaited = (ofRecords: Fragment) => tx`
    insert into awaited_identifiers (file_id, line, identifier, value)
    select r.file_id, r.line, v.identifier, v.value
    from new_matches n
    join undecided_records r on r.file_id = n.file_id and r.line = n.line
    cross join lateral (${values}) v
    where n.needs_review and ${ofRecords} and v.value <> '' and ${awaits(tx)}`;
  // A record without a former result has none of these. Without `on conflict`, and in the order of the index on values,
  // 240,000 of them take 1.5 instead of 2.0 s.
  await tx`${awaited(tx`n.is_new`)} order by v.value`;
  await tx`${awaited(tx`not n.is_new and n.former_matched_by is distinct from n.matched_by`)} on conflict do nothing`;
}

/** Deletes those of the records that another key has matched since, or none. */
async function deleteFormer(tx: Tx): Promise<void> {
  await tx`create temp table rematched_records on commit drop as
    select file_id, line from new_matches n
    where not n.is_new and n.former_matched_by = any (${textArray(tx, weakerKeys)}::matched_by[])
      and n.former_matched_by is distinct from n.matched_by`;
  const [any] = await tx`select from rematched_records limit 1`;
  if (any === undefined) return;
  await tx`analyze rematched_records`;
  // They are looked up among those of a year, whatever the planner expects.
  await withoutTableScans(
    tx,
    () =>
      tx`delete from awaited_identifiers a using rematched_records r where r.file_id = a.file_id and r.line = a.line`,
  );
}

/** Whether record `r`, as it is matched by `n`, awaits identifier `v`: one of the key or of a stronger one. */
function awaits(tx: Tx): Fragment {
  return tx`case n.matched_by
      when 'SHORT_ID' then v.identifier in ('unique_id', 'short_id')
      when 'CONNECTOR_TX_ID' then true
      when 'ATTRIBUTES' then true
      else false end`;
}
