import type { RunId } from '../../values/ids.js';
import type { Tx } from '../fragment.js';

/**
 * Lists the records that wait for a decision about their return (design 4.8), and that a file of this run brings once
 * more, or whose files were withdrawn or restored: their findings name the last file that brings them, so these are
 * made again. What counts is the same as before, so they are not among the changed records.
 *
 * Both lists may be long, so each is read once.
 *
 * Reads `moved_records`, makes `returned_again`.
 *
 * @returns whether there are any
 */
export async function listReturnedAgain(tx: Tx, runId: RunId): Promise<boolean> {
  const waiting = tx`from uncounted_records u where u.reason = 'REDELIVERED' and u.other_file_id > u.file_id`;
  const [any] = await tx`select ${waiting} limit 1`;
  if (any === undefined) return false;
  await tx`create temp table returned_again on commit drop as
    (select k.record_file_id as file_id, k.record_line as line from already_known_rows k
      where k.file_id in (select f.id from settlement_files f where f.finished_run_id = ${runId} and f.status = 'loaded')
    union
    select file_id, line from moved_records)
    intersect
    select u.file_id, u.line ${waiting}`;
  const [first] = await tx`select from returned_again limit 1`;
  return first !== undefined;
}
