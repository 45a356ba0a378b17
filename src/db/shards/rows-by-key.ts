import type { Fragment, Reader } from '../client.js';

/**
 * The rows of a divided table with these places (a select of `file_id, line`), or the table itself without shards.
 * Looked up one by one, each would be a round trip to a shard. Here each shard is sent all places as arrays, also in a
 * transaction that only reads. The first two conditions are those of an index, the third decides. `offset 0` keeps the
 * planner from a look-up for each place.
 */
export function rowsAtPlaces(
  sql: Reader,
  isOnShards: boolean,
  table: 'settlement_records' | 'record_matches',
  places: Fragment,
): Fragment {
  if (!isOnShards) return table === 'record_matches' ? sql`record_matches` : sql`settlement_records`;
  const of = (value: Fragment) => sql`any (array(select ${value} from (${places}) place))`;
  return sql`(select t.* from ${sql(table)} t
    where t.file_id = ${of(sql`place.file_id`)} and t.line = ${of(sql`place.line`)}
      and (t.file_id::bigint << 32 | t.line) = ${of(sql`place.file_id::bigint << 32 | place.line`)} offset 0)`;
}

/** Records that a statement joins with a table of places. */
interface JoinedRecords {
  readonly isOnShards: boolean;
  /** The columns of `r` that it reads, besides `file_id` and `line`: a name that `r` had twice would be ambiguous. */
  readonly columns: Fragment;
  /** The alias of the table of places. */
  readonly of: Fragment;
  /** Selects its `file_id` and `line`. */
  readonly places: Fragment;
}

/**
 * The records of a table of places as `r`, with the condition of the join. Without shards, each is looked up, because a
 * join could read all records; with shards, all are fetched together.
 */
export function lookedUpRecords(sql: Reader, { isOnShards, columns, of, places }: JoinedRecords): Fragment {
  const isOfPlace = sql`r.file_id = ${of}.file_id and r.line = ${of}.line`;
  if (!isOnShards)
    return sql`lateral (select ${columns} from settlement_records r
      where ${isOfPlace} limit 1) r on true`;
  return sql`(select r.file_id, r.line, ${columns} from ${rowsAtPlaces(sql, isOnShards, 'settlement_records', places)} r) r
    on ${isOfPlace}`;
}

/** The results that name payments with these keys (a select of one column), in the same way. */
export function resultsOfPayments(sql: Reader, isOnShards: boolean, keys: Fragment): Fragment {
  if (!isOnShards) return sql`record_matches`;
  return sql`(select t.* from record_matches t where t.payment_key = any (array(${keys})) offset 0)`;
}

/** The payments with these keys (a select of one column), in the same way. */
export function paymentsWithKeys(sql: Reader, isOnShards: boolean, keys: Fragment): Fragment {
  if (!isOnShards) return sql`payments`;
  return sql`(select t.* from payments t where t.key = any (array(${keys})) offset 0)`;
}

/**
 * The payments with these ids, in the same way.
 *
 * @param ids a select of one column of the default collation: with another one, `postgres_fdw` would send no condition,
 *   and fetch all payments. The comparison has the collation of the payments nevertheless
 */
export function paymentsWithIds(sql: Reader, isOnShards: boolean, ids: Fragment): Fragment {
  if (!isOnShards) return sql`payments`;
  return sql`(select t.* from payments t where t.id = any (array(${ids})) offset 0)`;
}
