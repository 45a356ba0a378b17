import { isDivided } from '../../db/shards/is-divided.js';
import { collectFromShards } from '../../db/shards/on-shards.js';
import { rowsAtPlaces } from '../../db/shards/rows-by-key.js';
import type { RunScope } from '../../db/run-scope.js';
import { matchingDecisions, recordsWithMatchingDecisions } from '../../findings/matching-decisions.js';
import { onCopiedPayments, paymentKeys, paymentsUnderReview } from '../copies-from-shards.js';
import { textArray, type Fragment, type Tx } from '../fragment.js';
import { typeFits, typeOfFound } from '../type-fit.js';
import { deliveryKey, hasDeliveryKey } from './delivery-key.js';

/** What a source says about corrected deliveries (design 4.8); a source that is not listed asks. */
export type Corrections = Readonly<Record<string, 'ask' | 'replace' | 'add'>>;

/**
 * Lists the records in scope that may have been delivered before or again with other cells, with all deliveries of
 * them.
 *
 * The look-up must be cheap, because most runs have no such record. A record that UniqueID matched is found by its
 * payment, for which `repeated_payments` is made in any case. The keys of the others, a few in a hundred, are stored in
 * `delivery_keys` and found there, and with them the UniqueIDs of those whose payment may come later.
 *
 * Reads `repeated_payments`, `review_records`, `changed_records` and `moved_records`, makes `delivery_groups` (the
 * keys) and `deliveries` (their records).
 *
 * @returns whether there are any
 */
export async function listDeliveries(tx: Tx, scope: RunScope, corrections: Corrections): Promise<boolean> {
  await tx`create temp table delivery_suspects (key uuid, unique_id text collate "C") on commit drop`;
  await listOfLatePayments(tx);
  await onCopiedPayments(tx, paymentsUnderReview(tx), () => listKeys(tx));
  await rememberKeys(tx);
  await listOfPayments(tx);
  await listOfOtherRecords(tx);
  await listOfDecisions(tx, scope, corrections);
  await tx`create temp table delivery_groups on commit drop as
    select row_number() over ()::integer as number, key, max(unique_id) as unique_id
    from delivery_suspects where key is not null group by key`;
  await tx`create index on pg_temp.delivery_groups (key)`;
  await tx`analyze delivery_groups`;
  const [any] = await tx`select from delivery_groups limit 1`;
  if (any === undefined) return false;
  await listMembers(tx, corrections);
  return true;
}

/**
 * Earlier records whose UniqueID found no payment, where that payment is stored now and has a record in scope: the two
 * may be deliveries of one record, however old the earlier one is. One look-up per such record, and usually no payment
 * is found.
 *
 * Forgets what a record in scope waited for, when UniqueID has matched it.
 */
async function listOfLatePayments(tx: Tx): Promise<void> {
  const awaited = tx`select d.file_id, d.line, d.key, d.awaited_id, p.key as payment_key from delivery_keys d
    cross join lateral (select p.key from payments p where p.id = d.awaited_id offset 0) p
    where d.awaited_id is not null`;
  if (await isDivided(tx)) {
    // The home server would fetch all payments for each of these records.
    await collectFromShards(tx, 'late_payments', awaited, [
      {
        name: 'delivery_keys',
        columns: 'file_id integer, line integer, key uuid, awaited_id text collate "C"',
        rows: tx`select file_id, line, key, awaited_id from delivery_keys where awaited_id is not null`,
      },
    ]);
  } else await tx`create temp table late_payments on commit drop as ${awaited}`;
  const [any] = await tx`select from late_payments limit 1`;
  if (any === undefined) return;
  await tx`create index on pg_temp.late_payments (payment_key)`;
  await tx`create index on pg_temp.late_payments (file_id, line)`;
  await tx`analyze late_payments`;
  await tx`
    update delivery_keys d set awaited_id = null from (
      select file_id, line from late_payments
      intersect
      select file_id, line from new_matches where matched_by = 'UNIQUE_ID') found
    where d.file_id = found.file_id and d.line = found.line`;
  await tx`
    insert into delivery_suspects
    select l.key, l.awaited_id from (
      select payment_key from late_payments intersect select payment_key from new_matches) again
    join late_payments l on l.payment_key = again.payment_key`;
}

/** Lists the keys of the records in scope that are not found by their payment. */
async function listKeys(tx: Tx): Promise<void> {
  const awaited = tx`case when n.matched_by is distinct from 'UNIQUE_ID' and n.status <> 'NOT_APPLICABLE'
    then nullif(r.unique_id, '') end`;
  await tx`create temp table keyed_records on commit drop as
    select k.file_id, k.line, k.key, max(k.awaited_id) as awaited_id from (
      select r.file_id, r.line, ${deliveryKey(tx)} as key, ${awaited} as awaited_id from review_records r
      join new_matches n on n.file_id = r.file_id and n.line = r.line and n.needs_review
      where ${hasDeliveryKey(tx)}
        and (n.matched_by is distinct from 'UNIQUE_ID' or not ${typeFits(tx, typeOfFound(tx))})
      union all
      select r.file_id, r.line, ${deliveryKey(tx)}, null from ${changedOrMoved(tx)} c
      join settlement_records r on r.file_id = c.file_id and r.line = c.line
      where ${hasDeliveryKey(tx)}) k
    group by k.file_id, k.line, k.key`;
}

/** Stores them in the order of their index: in any other, 100,000 of them took a fifth longer. */
async function rememberKeys(tx: Tx): Promise<void> {
  await tx`insert into delivery_keys (file_id, line, key, awaited_id)
    select k.file_id, k.line, k.key, k.awaited_id from keyed_records k
    where not exists (select from delivery_keys d where d.file_id = k.file_id and d.line = k.line)
    order by k.key`;
  await tx`update delivery_keys d set awaited_id = k.awaited_id from keyed_records k
    where k.awaited_id is not null and d.file_id = k.file_id and d.line = k.line and d.awaited_id is null`;
}

/** Payments with records of several files: the keys that two of their records share. */
async function listOfPayments(tx: Tx): Promise<void> {
  await tx`
    insert into delivery_suspects
    select k.key, max(k.unique_id) from (
      select ${deliveryKey(tx)} as key, r.unique_id, r.file_id from (
        select m.file_id, m.line from repeated_payments s join record_matches m on m.payment_key = s.payment_key
        where s.of_several_files
        union
        select n.file_id, n.line from repeated_payments s join new_matches n on n.payment_key = s.payment_key
        where s.of_several_files) t
      join settlement_records r on r.file_id = t.file_id and r.line = t.line
    ) k where k.key is not null
    group by k.key having min(k.file_id) <> max(k.file_id)`;
}

/** The records whose place among the deliveries may have changed. */
function changedOrMoved(tx: Tx): Fragment {
  return tx`(select file_id, line from changed_records union select file_id, line from moved_records)`;
}

/**
 * The records with stored keys: those that share a key, or whose UniqueID names a payment with such a record. Two
 * records of one file are not deliveries of each other, except when the file was withdrawn and other files bring the
 * two now.
 */
async function listOfOtherRecords(tx: Tx): Promise<void> {
  await tx`
    insert into delivery_suspects
    select k.key, null from keyed_records k
    where exists (select from delivery_keys d where d.key = k.key and d.file_id <> k.file_id)`;
  await tx`
    insert into delivery_suspects
    select k.key, null from ${changedOrMoved(tx)} c
    join keyed_records k on k.file_id = c.file_id and k.line = c.line
    where exists (select from delivery_keys d where d.key = k.key and d.file_id = k.file_id and d.line <> k.line)`;
  await tx`
    insert into delivery_suspects
    select ${deliveryKey(tx)}, r.unique_id from ${changedOrMoved(tx)} c
    join settlement_records r on r.file_id = c.file_id and r.line = c.line
    join payments p on p.id = r.unique_id
    where exists (select from record_matches m
      where m.payment_key = p.key and (m.file_id, m.line) <> (r.file_id, r.line))`;
}

/** Records that somebody decided about, and undecided ones of a source that no longer asks. */
async function listOfDecisions(tx: Tx, scope: RunScope, corrections: Corrections): Promise<void> {
  const inRange =
    scope.kind === 'run' ? tx`` : tx`and r.settlement_date between ${scope.from} and ${scope.to}`;
  const decided = Object.entries(corrections).filter(([, mode]) => mode !== 'ask');
  const sources = textArray(
    tx,
    decided.map(([name]) => name),
  );
  await tx`
    insert into delivery_suspects
    select ${deliveryKey(tx)}, nullif(r.unique_id, '') from (
      ${recordsWithMatchingDecisions(tx)}
      union
      select u.file_id, u.line from uncounted_records u join settlement_files o on o.id = u.file_id
      where u.reason = 'REDELIVERED' and o.source = any (${sources})) d
    join settlement_records r on r.file_id = d.file_id and r.line = d.line
    where true ${inRange}`;
}

/**
 * All records of the groups. `place` is the order of receipt: that of the first file that brought the record and is not
 * withdrawn. The record is a delivery of the source of that file. `number` is the group, for each source apart.
 */
async function listMembers(tx: Tx, corrections: Corrections): Promise<void> {
  const divided = await isDivided(tx);
  if (divided) await collectCandidates(tx);
  const candidates = divided ? tx`select file_id, line from delivery_candidates` : candidatesOfGroups(tx);
  await tx`create temp table delivery_members on commit drop as
    select g.number, g.key, r.file_id, r.line, r.settlement_status = 'SUCCESS' as succeeded, r.amount_minor,
      r.currency, ${deliveryOrder(tx)}, coalesce(u.reason = 'WITHDRAWN', false) as withdrawn
    from (${candidates}) c
    join ${rowsAtPlaces(tx, divided, 'settlement_records', candidates)} r on r.file_id = c.file_id and r.line = c.line
    join delivery_groups g on g.key = ${deliveryKey(tx)}
    left join uncounted_records u on u.file_id = r.file_id and u.line = r.line`;
  await tx`create unique index on pg_temp.delivery_members (file_id, line)`;
  await tx`analyze delivery_members`;
  await tx`create temp table carriers on commit drop as
    select m.file_id, m.line, b.by_file_id, min(b.by_line) as by_line from delivery_members m
    join (
      select file_id, line, file_id as by_file_id, line as by_line from delivery_members
      union all
      select k.record_file_id, k.record_line, k.file_id, k.line from already_known_rows k
      join delivery_members o on o.file_id = k.record_file_id and o.line = k.record_line
    ) b on b.file_id = m.file_id and b.line = m.line
    where not m.withdrawn and b.by_file_id not in (select file_id from withdrawn_files)
    group by 1, 2, 3`;
  await tx`create temp table deliveries on commit drop as
    select dense_rank() over (order by m.number, f.source)::integer as number, m.key, m.file_id, m.line, m.succeeded,
      m.amount_minor, m.currency, m.settlement_date, m.fingerprint, m.occurrence, c.by_file_id,
      dense_rank() over (partition by m.number, f.source order by c.by_file_id)::integer as place,
      ${modeOf(tx, corrections)} as mode, d.kind::text as decision, d.number as decision_number,
      null::boolean as counts, null::text as reason, null::integer as other_file_id, null::integer as other_line
    from delivery_members m
    join (select distinct on (file_id, line) * from carriers order by file_id, line, by_file_id) c
      on c.file_id = m.file_id and c.line = m.line
    join settlement_files f on f.id = c.by_file_id
    left join (${matchingDecisions(tx)}) d on d.file_id = m.file_id and d.line = m.line
      and d.kind in ('supersede', 'keep-both')`;
  await tx`create index on pg_temp.deliveries (number, place)`;
  await tx`create index on pg_temp.deliveries (file_id, line)`;
  await tx`create index on pg_temp.carriers (file_id, line)`;
  await tx`analyze carriers`;
  await tx`analyze deliveries`;
}

/** The columns of record `r` that decide the order of design 4.6 among deliveries, which share a SettlementTxId. */
export function deliveryOrder(tx: Tx): Fragment {
  return tx`r.settlement_date, r.fingerprint, r.occurrence`;
}

function candidatesOfGroups(tx: Tx): Fragment {
  return tx`
    ${recordsWithKeys(tx)}
    union
    select m.file_id, m.line from delivery_groups g join payments p on p.id = g.unique_id
    join record_matches m on m.payment_key = p.key
    union
    select n.file_id, n.line from delivery_groups g join payments p on p.id = g.unique_id
    join new_matches n on n.payment_key = p.key`;
}

function recordsWithKeys(tx: Tx): Fragment {
  return tx`select d.file_id, d.line from delivery_groups g join delivery_keys d on d.key = g.key`;
}

/**
 * The same with shards, as `delivery_candidates`: each shard is asked once for the payments of all groups, and once for
 * their results, which may be on another shard than the payment.
 */
async function collectCandidates(tx: Tx): Promise<void> {
  await collectFromShards(
    tx,
    'delivery_payments',
    tx`select p.key as payment_key from delivery_groups g join payments p on p.id = g.unique_id`,
    [
      {
        name: 'delivery_groups',
        columns: 'unique_id text collate "C"',
        rows: tx`select distinct unique_id from delivery_groups where unique_id is not null`,
      },
    ],
  );
  await collectFromShards(
    tx,
    'delivery_results',
    tx`select m.file_id, m.line from delivery_payments d join record_matches m on m.payment_key = d.payment_key`,
    [paymentKeys(tx, 'delivery_payments')],
  );
  await tx`create temp table delivery_candidates on commit drop as
    ${recordsWithKeys(tx)}
    union
    select file_id, line from delivery_results
    union
    select n.file_id, n.line from delivery_payments d join new_matches n on n.payment_key = d.payment_key`;
  await tx`analyze delivery_candidates`;
}

function modeOf(tx: Tx, corrections: Corrections): Fragment {
  const named = Object.entries(corrections).filter(([, mode]) => mode !== 'ask');
  if (named.length === 0) return tx`'ask'::text`;
  return tx`(case f.source ${named.map(([name, mode]) => tx`when ${name} then ${mode}`)} else 'ask' end)`;
}
