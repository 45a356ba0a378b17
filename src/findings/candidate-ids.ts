import type { Fragment, Reader } from '../db/client.js';

/** How a statement over `m` (record_matches) reads the ids of its candidates, ascending and separated by commas. */
export interface CandidateIds {
  /** Follows its other joins; empty without shards. */
  readonly join: Fragment;
  /** Null without any. */
  readonly ids: Fragment;
}

/**
 * The ids of the candidates of a record are looked up one by one. With shards, each of these look-ups would be a round
 * trip to each shard, so every shard is asked once for the candidates of all records, and the statement is joined with
 * the answers.
 *
 * @param records restricts the records whose candidates are fetched from shards to those of `select file_id, line`
 */
export function candidateIds(sql: Reader, isOnShards: boolean, records?: Fragment): CandidateIds {
  if (!isOnShards) return { join: sql``, ids: lookedUpCandidates(sql, sql`payments`) };
  const of = records === undefined ? sql`` : sql`where (c.file_id, c.line) in (${records})`;
  return {
    join: sql` left join (${fetchedCandidates(sql, of)}) fetched on fetched.file_id = m.file_id and fetched.line = m.line`,
    ids: sql`fetched.ids`,
  };
}

/** @param payments the table with the payments */
export function lookedUpCandidates(sql: Reader, payments: Fragment): Fragment {
  return sql`(
      select string_agg(paid.id, ',' order by paid.id collate "C")
      from match_candidates c join ${payments} paid on paid.key = c.payment_key
      where c.file_id = m.file_id and c.line = m.line)`;
}

/**
 * A shard is sent the keys as one array. `offset 0` keeps the planner from a look-up for each candidate. A left join,
 * because the planner then expects as many rows as there are candidates; it knows nothing of the length of the array.
 */
function fetchedCandidates(sql: Reader, of: Fragment): Fragment {
  const keys = sql`array(select c.payment_key from match_candidates c ${of})`;
  return sql`
    select c.file_id, c.line, string_agg(paid.id, ',' order by paid.id collate "C") as ids
    from match_candidates c
    left join (select p.key, p.id from payments p where p.key = any (${keys}) offset 0) paid on paid.key = c.payment_key
    ${of}
    group by c.file_id, c.line`;
}
