import { isDivided } from '../db/shards/is-divided.js';
import type { Fragment, Tx } from './fragment.js';
import { indexMatches } from './work-tables.js';

/**
 * Writes the hits of the weaker keys and of the references to `new_matches`: one payment, or several that cannot be
 * distinguished.
 *
 * Reads `kept_hits`, which is analysed.
 */
export async function applyKeyHits(tx: Tx): Promise<void> {
  // With shards, `new_matches` has more columns.
  if (!(await isDivided(tx)) && (await haveManyHits(tx))) await writeAll(tx);
  else await updateEach(tx);
}

/** Whether a tenth of the records were found by weaker keys, as in a file without UniqueIDs. */
async function haveManyHits(tx: Tx): Promise<boolean> {
  const [row] = await tx<{ many: boolean }[]>`
    select 10 * kept.reltuples > all_of_them.reltuples as many
    from pg_class kept cross join pg_class all_of_them
    where kept.oid = 'pg_temp.kept_hits'::regclass and all_of_them.oid = 'pg_temp.new_matches'::regclass`;
  return row?.many === true;
}

/** The result of each record of `kept_hits`. */
function results(tx: Tx): Fragment {
  return tx`select file_id, line, min(matched_by) as matched_by,
      (case count(*) when 1 then 'MATCHED' else 'MULTIPLE_MATCHES' end)::matching_status as status,
      case when bool_or(through_reference) then 'REFERENCE' end as matched_through,
      case count(*) when 1 then min(payment_key) end as payment_key,
      case when count(*) = 1 and bool_and(settles) then min(payment_key) end as settled_key
    from kept_hits group by file_id, line`;
}

async function updateEach(tx: Tx): Promise<void> {
  await tx`
    update new_matches n set matched_by = d.matched_by, status = d.status, matched_through = d.matched_through,
      payment_key = d.payment_key, settled_key = d.settled_key
    from (${results(tx)}) d
    where n.file_id = d.file_id and n.line = d.line and n.needs_review`;
}

/** The same as a new table: 3 instead of 9 s for 980,000 of 1,000,000 records, because no index follows each row. */
async function writeAll(tx: Tx): Promise<void> {
  const decided = (column: string) =>
    tx`case when d.file_id is null then n.${tx(column)} else d.${tx(column)} end as ${tx(column)}`;
  await tx`alter table pg_temp.new_matches rename to former_matches`;
  await tx`create temp table new_matches on commit drop as
    select n.file_id, n.line, n.reconciliation_type, n.pinned, ${decided('status')}, ${decided('matched_by')},
      ${decided('matched_through')}, ${decided('payment_key')}, n.is_new, n.former_status, n.former_matched_by,
      n.former_matched_through, n.former_payment_key, n.needs_review, n.found_type, ${decided('settled_key')}
    from former_matches n
    left join (${results(tx)}) d on d.file_id = n.file_id and d.line = n.line`;
  await tx`drop table former_matches`;
  await indexMatches(tx);
}
