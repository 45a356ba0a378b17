import { isDivided } from '../db/shards/is-divided.js';
import { askShards, awaitAnswers } from '../db/shards/on-shards.js';
import type { Fragment, Tx } from './fragment.js';

/**
 * Removes the names of the keys from the results of withdrawn records that lost their chargeback id: such a record
 * keeps the name only for as long as it has an id, because only then is it not matched again.
 *
 * @param records a select of `file_id` and `line`
 */
export async function forgetKeys(tx: Tx, records: Fragment): Promise<void> {
  const forgetting = `update record_matches m set matched_by = null, matched_through = null`;
  const condition = `where m.file_id = x.file_id and m.line = x.line and m.status = 'NOT_APPLICABLE'
    and m.matched_by is not null`;
  if (!(await isDivided(tx))) {
    await tx`${tx.unsafe(forgetting)} from (${records}) x ${tx.unsafe(condition)}`;
    return;
  }
  await askShards(tx, {
    inputs: [{ name: 'forgotten_keys', columns: 'file_id integer, line integer', rows: records }],
    step: `${forgetting} from forgotten_keys x ${condition}`,
    answer: `select ''::text where false`,
  });
  await awaitAnswers(tx);
}
