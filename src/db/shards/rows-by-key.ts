import type postgres from 'postgres';

type Reader = postgres.ISql<{ bigint: bigint }>;
type Fragment = postgres.PendingQuery<postgres.Row[]>;

/**
 * The rows of a divided table with these places (a select of `file_id, line`), or the table itself without shards.
 * Looked up one by one, each would be a round trip to a shard. Here each shard is sent all places as arrays, also in a
 * transaction that only reads. The first two conditions are those of an index, the third decides. `offset 0` keeps the
 * planner from a look-up for each place.
 */
export function rowsAtPlaces(
  sql: Reader,
  divided: boolean,
  table: 'settlement_records' | 'record_matches',
  places: Fragment,
): Fragment {
  if (!divided) return table === 'record_matches' ? sql`record_matches` : sql`settlement_records`;
  const of = (value: Fragment) => sql`any (array(select ${value} from (${places}) place))`;
  return sql`(select t.* from ${sql(table)} t
    where t.file_id = ${of(sql`place.file_id`)} and t.line = ${of(sql`place.line`)}
      and (t.file_id::bigint << 32 | t.line) = ${of(sql`place.file_id::bigint << 32 | place.line`)} offset 0)`;
}

/** The payments with these keys (a select of one column), in the same way. */
export function paymentsWithKeys(sql: Reader, divided: boolean, keys: Fragment): Fragment {
  if (!divided) return sql`payments`;
  return sql`(select t.* from payments t where t.key = any (array(${keys})) offset 0)`;
}
