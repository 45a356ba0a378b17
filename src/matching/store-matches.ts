import { matchedPaymentIds } from '../findings/matched-payment-ids.js';
import { inNumberedBatches } from '../db/shards/in-numbered-batches.js';
import { isDivided } from '../db/shards/is-divided.js';
import { askShards, awaitAnswers } from '../db/shards/on-shards.js';
import { onCopiedPayments } from './copies-from-shards.js';
import type { Fragment, Tx } from './fragment.js';
import { refreshCandidateStatistics } from './refresh-statistics.js';
import type { RunId } from '../values/ids.js';

/**
 * Writes the results that changed, and keeps the former ones for `recon diff`. New rows are inserted without
 * `on conflict`, whose speculative insertion costs as much again over a million rows; the run lock makes sure that
 * nobody else inserts them.
 */
export async function storeMatches(tx: Tx, runId: RunId): Promise<void> {
  if (await isDivided(tx)) await storeOnShards(tx, runId);
  else
    await tx`
    insert into record_matches (file_id, line, status, matched_by, matched_through, payment_key, run_id)
    select file_id, line, status, matched_by, matched_through, payment_key, ${runId} from new_matches where is_new`;
  await onCopiedPayments(tx, formerPayments(tx), () => replaceChanged(tx, runId));
}

const isChanged = (tx: Tx) => tx`not n.is_new
      and (n.former_status, n.former_matched_by, n.former_matched_through, n.former_payment_key)
        is distinct from (n.status, n.matched_by, n.matched_through, n.payment_key)`;

/** The payments that the changed results named before: a select of `payment_key`. */
function formerPayments(tx: Tx): Fragment {
  const changed = isChanged(tx);
  return tx`select n.former_payment_key as payment_key from new_matches n
      where ${changed} and n.former_payment_key is not null
    union all
    select c.payment_key from new_matches n join match_candidates c on c.file_id = n.file_id and c.line = n.line
      where ${changed} and n.former_status = 'MULTIPLE_MATCHES'`;
}

async function replaceChanged(tx: Tx, runId: RunId): Promise<void> {
  const isOnShards = await isDivided(tx);
  const former = tx`n.file_id, n.line, n.former_status as status, n.former_matched_by as matched_by,
        n.former_matched_through as matched_through, n.former_payment_key as payment_key`;
  if (isOnShards) await replaceOnShards(tx, runId);
  const changed = isOnShards
    ? tx`select ${former} from new_matches n where ${isChanged(tx)}`
    : tx`update record_matches m set status = n.status, matched_by = n.matched_by,
        matched_through = n.matched_through, payment_key = n.payment_key, run_id = ${runId}
      from new_matches n where m.file_id = n.file_id and m.line = n.line and ${isChanged(tx)}
      returning ${former}`;
  await tx`
    with changed as (
      ${changed}
    )
    insert into match_changes (file_id, line, run_id, status, matched_by, matched_through, payments)
    select m.file_id, m.line, ${runId}, m.status, m.matched_by, m.matched_through, ${matchedPaymentIds(tx)}
    from changed m
    on conflict do nothing`;
}

/** Each shard replaces its own results. Through the foreign tables, each would be a separate statement. */
async function replaceOnShards(tx: Tx, runId: RunId): Promise<void> {
  const values = tx`n.status, n.matched_by, n.matched_through, n.payment_key`;
  await tx`create temp table changed_results on commit drop as
    select n.file_id, n.line, ${values}, row_number() over (order by n.file_id, n.line) as number
    from new_matches n where ${isChanged(tx)}`;
  await inNumberedBatches(tx, 'changed_results', async (batch) => {
    await askShards(tx, {
      inputs: [
        {
          name: 'changed_results',
          columns: `file_id integer, line integer, status matching_status, matched_by matched_by,
            matched_through text collate "C", payment_key bigint`,
          rows: tx`select n.file_id, n.line, ${values} from changed_results n where ${batch}`,
        },
      ],
      step: `update record_matches m set status = n.status, matched_by = n.matched_by,
          matched_through = n.matched_through, payment_key = n.payment_key, run_id = ${Number(runId)}
        from changed_results n where m.file_id = n.file_id and m.line = n.line`,
      answer: `select ''::text where false`,
    });
    await awaitAnswers(tx);
  });
  await tx`drop table pg_temp.changed_results`;
}

/** Each shard stores what it found, and the home server stores the results that it may have changed since. */
async function storeOnShards(tx: Tx, runId: RunId): Promise<void> {
  const maybeChanged = tx`(n.needs_review or n.is_on_shard is not true or exists (
    select from uncounted_records u where u.file_id = n.file_id and u.line = n.line))`;
  await askShards(tx, {
    inputs: [
      {
        name: 'stored_by_home',
        columns: 'file_id integer, line integer',
        rows: tx`select n.file_id, n.line from new_matches n where n.is_new and ${maybeChanged}`,
      },
    ],
    step: `insert into record_matches (file_id, line, status, matched_by, matched_through, payment_key, run_id)
      select file_id, line, status, matched_by, matched_through, payment_key, ${Number(runId)} from own_matches n
      where is_new and not exists (select from stored_by_home h where h.file_id = n.file_id and h.line = n.line)`,
    answer: `select ''::text where false`,
  });
  await awaitAnswers(tx);
  await tx`
    insert into record_matches (file_id, line, status, matched_by, matched_through, payment_key, run_id, shard)
    select n.file_id, n.line, n.status, n.matched_by, n.matched_through, n.payment_key, ${runId}, n.shard
    from new_matches n where n.is_new and ${maybeChanged}`;
}

/**
 * Stores the payments of records with MULTIPLE_MATCHES, and deletes those of records that have been decided since. New
 * records have nothing stored, and of the others only what differs is written. What is deleted is looked up: a join may
 * compare each such row with all that are stored.
 *
 * Makes `lost_payments`, with the payments that are deleted, and `changed_candidates`, with the earlier records of
 * which one was deleted or added.
 */
export async function storeCandidates(tx: Tx): Promise<void> {
  const stored = tx`select c.file_id, c.line, c.payment_key
      from new_matches n join match_candidates c on c.file_id = n.file_id and c.line = n.line
      where not n.is_new and n.former_status = 'MULTIPLE_MATCHES'`;
  const left = tx`select k.file_id, k.line, k.payment_key
      from kept_hits k join new_matches n on n.file_id = k.file_id and n.line = k.line
      where n.status = 'MULTIPLE_MATCHES' and n.needs_review`;
  await tx`create temp table lost_payments (key bigint) on commit drop`;
  await tx`create temp table changed_candidates (file_id integer, line integer) on commit drop`;
  await tx`
    with deleted as (delete from match_candidates where ctid = any (array(
      select c.ctid from (
        ${stored}
        except
        ${left} and not n.is_new
      ) gone
      cross join lateral (select c.ctid from match_candidates c
        where c.file_id = gone.file_id and c.line = gone.line and c.payment_key = gone.payment_key offset 0) c))
    returning file_id, line, payment_key),
    noted as (insert into changed_candidates select file_id, line from deleted)
    insert into lost_payments select payment_key from deleted`;
  const ofNew = await tx`insert into match_candidates (file_id, line, payment_key) ${left} and n.is_new`;
  const ofEarlier = await tx`
    with added as (
      insert into match_candidates (file_id, line, payment_key)
      ${left} and not n.is_new
      except
      ${stored}
      returning file_id, line)
    insert into changed_candidates select file_id, line from added`;
  await refreshCandidateStatistics(tx, 'match_candidates', ofNew.count + ofEarlier.count);
}
