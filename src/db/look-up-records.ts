import type { Fragment, Reader } from './client.js';
import { isDivided } from './shards/is-divided.js';

/**
 * Whether a list is so short beside all records that looking up the record of each row is quicker than a join.
 *
 * The planner cannot decide this: it counts a look-up once for each table of records, although it is made in only one
 * of them. With 110 tables, each report read all 1,100,000 records twice, for 6,800 open items. A look-up takes eight
 * times as long as a record of a join. With shards it would be a round trip.
 *
 * @param rows selects the rows; at most a tenth of the number of records are read
 */
export async function areFewBesideRecords(sql: Reader, rows: Fragment): Promise<boolean> {
  if (await isDivided(sql)) return false;
  const [row] = await sql<{ few: boolean }[]>`
    select (select count(*) from (${rows} limit stored.tenth) listed) < stored.tenth as few
    from (select coalesce(sum(rows_accepted - rows_already_known), 0)::bigint / 10 as tenth
      from settlement_files where status = 'loaded') stored`;
  return row?.few ?? true;
}

/** Whether the open findings are so few. */
export function areOpenFindingsFew(sql: Reader): Promise<boolean> {
  return areFewBesideRecords(
    sql,
    sql`select from discrepancies
      where not is_settled or (resolved_run is null and accepted_at_risk_minor is not null)`,
  );
}

/**
 * A left join of the findings `d` with their records, as `r`. With `limit 1`, the planner knows that a look-up finds
 * one record: else it expects one of each table, and reads all payments to join them with so many records.
 */
export function recordsOfFindings(sql: Reader, looksUp: boolean): Fragment {
  const isOfFinding = sql`r.file_id = d.file_id and r.line = d.line`;
  return looksUp
    ? sql`left join lateral (select r.* from settlement_records r where ${isOfFinding} limit 1) r on true`
    : sql`left join settlement_records r on ${isOfFinding}`;
}
