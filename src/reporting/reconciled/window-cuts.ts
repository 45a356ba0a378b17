import type { Fragment, Tx } from '../../db/client.js';
import type { FileId } from '../../values/ids.js';

/** Candidates in one window: their ids are half a megabyte. */
export const candidatesAtOnce = 16_384;

/** A record with more is crowded: 1,024 rows of fewer are a few megabytes. */
const mostCandidates = 100;

interface FileWithCandidates {
  readonly id: FileId;
  readonly rows_already_known: number;
  /** See {@link hasManyCandidates}. */
  readonly has_many_candidates: boolean;
}

/**
 * Whether the records of a file, over `settlement_files`, have more candidates than one window holds. It reads no more
 * candidates than that.
 */
export function hasManyCandidates(tx: Tx): Fragment {
  return tx`exists (select from match_candidates c where c.file_id = settlement_files.id offset ${candidatesAtOnce})`;
}

/**
 * The lines before which a window of results ends, ascending, because the records up to there have enough candidates:
 * none for nearly every file. A record may have a thousand candidates, which are 33 kB of text. By lines alone, the
 * result of one window was 33 MB for 1,000 such records, and beyond 16,000 of them it was longer than a text may be:
 * the run failed.
 */
export async function windowCuts(tx: Tx, file: FileWithCandidates): Promise<readonly number[]> {
  if (hasFewCandidates(file)) return [];
  const rows = await tx<{ line: number }[]>`
    select min(line) as line from (
      select line, div(sum(count) over (order by line) - count, ${candidatesAtOnce}) as number
      from (${countCandidates(tx, file)}) counted) windows
    where number > 0 group by number order by 1`;
  return rows.map(({ line }) => line);
}

/** Whether a row of a file has so many candidates that not even a thousand such rows may be read at once. */
export async function hasCrowdedRows(tx: Tx, file: FileWithCandidates): Promise<boolean> {
  if (hasFewCandidates(file)) return false;
  const [row] = await tx<{ crowded: boolean }[]>`
    select exists (select from (${countCandidates(tx, file)}) counted where count > ${mostCandidates}) as crowded`;
  return row?.crowded === true;
}

/** Whether no window of the file can be too large. Rows that were already known may have those of their records. */
function hasFewCandidates({
  has_many_candidates: hasMany,
  rows_already_known: known,
}: FileWithCandidates): boolean {
  return !hasMany && known === 0;
}

/** Selects `line` and `count` for each row with candidates; a row that was already known has those of its record. */
function countCandidates(tx: Tx, { id, rows_already_known: known }: FileWithCandidates): Fragment {
  const own = tx`select line, count(*) from match_candidates where file_id = ${id} group by line`;
  if (known === 0) return own;
  // A full join is never a loop within a loop.
  return tx`${own}
    union all
    select k.line, c.count
    from (select line, record_file_id, record_line from already_known_rows where file_id = ${id}) k
    full join (
      select file_id, line, count(*) from match_candidates
      where file_id = any (array(select distinct record_file_id from already_known_rows where file_id = ${id}))
      group by file_id, line) c on c.file_id = k.record_file_id and c.line = k.record_line
    where coalesce(k.line is not null and c.line is not null, false)`;
}
