import { isDivided } from '../../db/shards/is-divided.js';
import { onCopies } from '../../db/shards/on-copies.js';
import { lookedUpRecords, rowsAtPlaces } from '../../db/shards/rows-by-key.js';
import { filesInScope, type RunScope } from '../../db/run-scope.js';
import { recordsWithMatchingDecisions } from '../../findings/matching-decisions.js';
import { collectRows } from '../collect-rows.js';
import { copyOfResults, onCopiedPayments, paymentsUnderReview } from '../copies-from-shards.js';
import { textArray, type Fragment, type Tx } from '../fragment.js';
import { typeFits, typeOfFound } from '../type-fit.js';
import { columnsOfDeliveryKey, deliveryKey, hasDeliveryKey } from './delivery-key.js';
import { changedOrMoved, listSuspectsOfChanged, placesChangedOrMoved } from './suspects-of-changed.js';

/** What a source says about corrected deliveries (design 4.8); a source that is not listed asks. */
export type Corrections = Readonly<Record<string, 'ask' | 'replace' | 'add'>>;

/**
 * Makes `delivery_suspects`: the keys of records in scope that may have been delivered before or again with other
 * cells, and the UniqueIDs of some of them.
 *
 * The look-up must take little time, because most runs have no such record. A record that UniqueID matched is found by
 * its payment, for which `repeated_payments` is made in any case. The keys of the others, a few in a hundred, are
 * stored in `delivery_keys` and found there, and with them the UniqueIDs of those whose payment may come later.
 *
 * Reads `repeated_payments`, `review_records`, `changed_records` and `moved_records`.
 */
export async function listSuspects(tx: Tx, scope: RunScope, corrections: Corrections): Promise<void> {
  await tx`create temp table delivery_suspects (key uuid, unique_id text collate "C") on commit drop`;
  await listOfLatePayments(tx);
  // There are usually none of these, of repeated payments and of decided records, and each statement about records
  // takes long to plan with a year of them.
  const [anyChanged] = await tx`select from ${changedOrMoved(tx)} c limit 1`;
  const hasChanged = anyChanged !== undefined;
  await onCopiedPayments(tx, paymentsUnderReview(tx), () => listKeys(tx, { hasChanged }));
  await rememberKeys(tx);
  const [anyRepeated] = await tx`select from repeated_payments where of_several_files limit 1`;
  if (anyRepeated !== undefined) await onRowsOfRepeated(tx, () => listOfPayments(tx));
  await listOfOtherRecords(tx);
  if (hasChanged) await listSuspectsOfChanged(tx);
  await listOfDecisions(tx, scope, corrections);
  await listOfReplaced(tx, scope);
}

/**
 * Earlier records whose UniqueID found no payment, where that payment is stored now and has a record in scope: the two
 * may be deliveries of one record, however old the earlier one is. One look-up per such record, and usually no payment
 * is found.
 *
 * Removes what a record in scope waited for, when UniqueID has matched it.
 */
async function listOfLatePayments(tx: Tx): Promise<void> {
  const awaited = tx`select d.file_id, d.line, d.key, d.awaited_id, p.key as payment_key from delivery_keys d
    cross join lateral (select p.key from payments p where p.id = d.awaited_id offset 0) p
    where d.awaited_id is not null`;
  // With shards, the home server would fetch all payments for each of these records.
  await collectRows(tx, 'late_payments', awaited, [
    {
      name: 'delivery_keys',
      columns: 'file_id integer, line integer, key uuid, awaited_id text collate "C"',
      rows: tx`select file_id, line, key, awaited_id from delivery_keys where awaited_id is not null`,
    },
  ]);
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
async function listKeys(tx: Tx, { hasChanged }: { readonly hasChanged: boolean }): Promise<void> {
  const records = rowsAtPlaces(tx, await isDivided(tx), 'settlement_records', placesChangedOrMoved(tx));
  const awaited = tx`case when n.matched_by is distinct from 'UNIQUE_ID' and n.status <> 'NOT_APPLICABLE'
    then nullif(r.unique_id, '') end`;
  const ofChanged = tx`
      union all
      select r.file_id, r.line, ${deliveryKey(tx)}, null, false from ${changedOrMoved(tx)} c
      join ${records} r on r.file_id = c.file_id and r.line = c.line
      where ${hasDeliveryKey(tx)}`;
  await tx`create temp table keyed_records on commit drop as
    select k.file_id, k.line, k.key, max(k.awaited_id) as awaited_id, bool_and(k.is_new) as is_new from (
      select r.file_id, r.line, ${deliveryKey(tx)} as key, ${awaited} as awaited_id, n.is_new from review_records r
      join new_matches n on n.file_id = r.file_id and n.line = r.line and n.needs_review
      where ${hasDeliveryKey(tx)}
        and (n.matched_by is distinct from 'UNIQUE_ID' or not ${typeFits(tx, typeOfFound(tx))})
      ${hasChanged ? ofChanged : tx``}) k
    group by k.file_id, k.line, k.key`;
  await tx`create unique index on pg_temp.keyed_records (file_id, line)`;
  await tx`create index on pg_temp.keyed_records (key)`;
  await tx`analyze keyed_records`;
}

/**
 * Stores the keys in the order of their index: in any other order, 100,000 of them took a fifth longer. Each key is
 * looked up, unless its record is new. In a join, it was compared with every key that this transaction stored, of which
 * the planner knows nothing.
 */
async function rememberKeys(tx: Tx): Promise<void> {
  await tx`insert into delivery_keys (file_id, line, key, awaited_id)
    select k.file_id, k.line, k.key, k.awaited_id from keyed_records k
    where case when k.is_new then true
      else (select true from delivery_keys d where d.file_id = k.file_id and d.line = k.line) is null end
    order by k.key`;
  await tx`update delivery_keys d set awaited_id = k.awaited_id from keyed_records k
    where k.awaited_id is not null and not k.is_new and d.file_id = k.file_id and d.line = k.line and d.awaited_id is null`;
}

/**
 * Does work that reads only the results of payments with records of several files, and the records of these and of
 * their new results. With shards, it is done on copies.
 */
async function onRowsOfRepeated(tx: Tx, work: () => Promise<void>): Promise<void> {
  const results = tx`repeated_payments s join record_matches m on m.payment_key = s.payment_key`;
  const of = tx`from repeated_payments s where s.of_several_files`;
  await onCopies(
    tx,
    {
      inputs: [
        {
          name: 'repeated_payments',
          columns: 'payment_key bigint',
          rows: tx`select s.payment_key ${of}`,
        },
        {
          name: 'new_matches',
          columns: 'file_id integer, line integer',
          rows: tx`select n.file_id, n.line from new_matches n
            where n.payment_key in (select s.payment_key ${of})`,
        },
      ],
      copies: [
        {
          table: 'settlement_records',
          rows: tx`select r.file_id, r.line, ${columnsOfDeliveryKey(tx)} from (
              select m.file_id, m.line from ${results} union select n.file_id, n.line from new_matches n) t
            join settlement_records r on r.file_id = t.file_id and r.line = t.line`,
          indexed: 'file_id, line',
        },
        copyOfResults(tx, results),
      ],
    },
    work,
  );
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

/**
 * The records with stored keys that share a key. Two records of one file are not deliveries of each other.
 *
 * All records may have one key, so what is stored about each key is read once and grouped.
 */
async function listOfOtherRecords(tx: Tx): Promise<void> {
  await tx`
    insert into delivery_suspects
    select d.key, null from (select distinct key from keyed_records) k
    join delivery_keys d on d.key = k.key
    group by d.key having min(d.file_id) <> max(d.file_id)`;
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
  const places = tx`
      ${recordsWithMatchingDecisions(tx)}
      union
      select u.file_id, u.line from uncounted_records u join settlement_files o on o.id = u.file_id
      where u.reason = 'REDELIVERED' and o.source = any (${sources})`;
  const columns = tx`${columnsOfDeliveryKey(tx)}, r.settlement_date`;
  const [any] = await tx`select from (${places}) d limit 1`;
  if (any === undefined) return;
  await tx`
    insert into delivery_suspects
    select ${deliveryKey(tx)}, nullif(r.unique_id, '') from (${places}) d
    join ${lookedUpRecords(tx, { isOnShards: await isDivided(tx), columns, of: tx`d`, places })}
    where true ${inRange}`;
}

/**
 * The records of files in scope that replace others already: a re-run has matched some of these files' days after a run
 * was killed, and the other records of the file may replace the same ones.
 */
const replacingInFiles = (tx: Tx, scope: RunScope): Fragment =>
  tx`select u.other_file_id, u.other_line from uncounted_records u
    where u.reason = 'SUPERSEDED' and u.other_file_id in (${filesInScope(tx, scope)})`;

/**
 * Replaced records that a file in scope brings again, or a re-run those in scope that any file does: their sender may
 * have taken the correction back. A file may repeat a whole month, and any number of records may have been replaced.
 * So both lists are read once, whatever the planner expects of them.
 */
async function listOfReplaced(tx: Tx, scope: RunScope): Promise<void> {
  const [any] = await tx`select from uncounted_records where reason = 'SUPERSEDED' limit 1`;
  if (any === undefined) return;
  const inScope =
    scope.kind === 'run'
      ? tx`select k.record_file_id as file_id, k.record_line as line from already_known_rows k
        where k.file_id in (${filesInScope(tx, scope)})`
      : tx`select n.file_id, n.line from new_matches n`;
  const replaced = tx`
      ${inScope}
      intersect
      select u.file_id, u.line from uncounted_records u where u.reason = 'SUPERSEDED'`;
  const places =
    scope.kind === 'run'
      ? tx`${replaced} union ${replacingInFiles(tx, scope)}`
      : tx`select s.file_id, s.line from (${replaced}) s
        where (select true from already_known_rows k
          where k.record_file_id = s.file_id and k.record_line = s.line limit 1)`;
  const columns = columnsOfDeliveryKey(tx);
  await tx`
    insert into delivery_suspects
    select ${deliveryKey(tx)}, nullif(r.unique_id, '') from (${places}) k
    join ${lookedUpRecords(tx, { isOnShards: await isDivided(tx), columns, of: tx`k`, places })}`;
}
