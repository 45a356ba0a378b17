import { isDivided } from '../../db/shards/is-divided.js';
import { collectFromShards } from '../../db/shards/on-shards.js';
import { rowsAtPlaces } from '../../db/shards/rows-by-key.js';
import type { RunScope } from '../../db/run-scope.js';
import { matchingDecisions } from '../../findings/matching-decisions.js';
import { collectRows } from '../collect-rows.js';
import { paymentKeys } from '../copies-from-shards.js';
import type { Fragment, Tx } from '../fragment.js';
import { deliveryKey } from './delivery-key.js';
import { listSuspects, type Corrections } from './list-suspects.js';

/**
 * Lists the records in scope that may have been delivered before or again with other cells, with all deliveries of
 * them.
 *
 * Reads what `listSuspects` reads, makes `delivery_groups` (the keys), `deliveries` (their records) and
 * `delivery_places`.
 *
 * @returns whether there are any
 */
export async function listDeliveries(tx: Tx, scope: RunScope, corrections: Corrections): Promise<boolean> {
  await listSuspects(tx, scope, corrections);
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
 * All records of the groups. `place` is the order of receipt: that of the first file that brought the record and is
 * not withdrawn. The record is a delivery of the source of that file. `number` is the group, for each source apart, and
 * `rank` the order of design 4.6 in a group, whose records share their SettlementTxId. `delivery_places` has the file
 * of each place: every file of the source that brings a record of the group, be it for the first time or again.
 */
async function listMembers(tx: Tx, corrections: Corrections): Promise<void> {
  const isOnShards = await isDivided(tx);
  await listPaymentsOfGroups(tx);
  if (isOnShards) await collectResults(tx);
  await listCandidates(tx);
  const candidates = tx`select file_id, line from delivery_candidates`;
  await tx`create temp table delivery_members on commit drop as
    select g.number, g.key, r.file_id, r.line, r.settlement_status = 'SUCCESS' as succeeded, r.amount_minor,
      r.currency, r.settlement_date, r.fingerprint, r.occurrence, coalesce(u.reason = 'WITHDRAWN', false) as withdrawn
    from (${candidates}) c
    join ${rowsAtPlaces(tx, isOnShards, 'settlement_records', candidates)} r on r.file_id = c.file_id and r.line = c.line
    join delivery_groups g on g.key = ${deliveryKey(tx)}
    left join lateral (select u.reason from uncounted_records u
      where u.file_id = r.file_id and u.line = r.line offset 0) u on true`;
  await tx`create unique index on pg_temp.delivery_members (file_id, line)`;
  await tx`analyze delivery_members`;
  await tx`create temp table carriers on commit drop as
    select m.file_id, m.line, b.by_file_id, min(b.by_line) as by_line from delivery_members m
    join (
      select file_id, line, file_id as by_file_id, line as by_line from delivery_members
      union all
      select o.file_id, o.line, k.file_id, k.line from delivery_members o
      cross join lateral (select k.file_id, k.line from already_known_rows k
        where k.record_file_id = o.file_id and k.record_line = o.line offset 0) k
    ) b on b.file_id = m.file_id and b.line = m.line
    where not m.withdrawn and b.by_file_id not in (select file_id from withdrawn_files)
    group by 1, 2, 3`;
  await tx`create index on pg_temp.carriers (file_id, line, by_file_id)`;
  await tx`analyze carriers`;
  await tx`create temp table received_deliveries on commit drop as
    select dense_rank() over (order by m.number, f.source)::integer as number, f.source, m.key, m.file_id, m.line,
      m.succeeded, m.amount_minor, m.currency, c.by_file_id,
      row_number() over (partition by m.number, f.source
        order by m.settlement_date, m.fingerprint, m.occurrence, m.file_id, m.line)::integer as rank,
      ${modeOf(tx, corrections)} as mode, d.kind::text as decision, d.number as decision_number
    from delivery_members m
    cross join lateral (select c.by_file_id from carriers c where c.file_id = m.file_id and c.line = m.line
      order by c.by_file_id limit 1) c
    join settlement_files f on f.id = c.by_file_id
    left join lateral (${matchingDecisions(tx, tx`d.file_id = m.file_id and d.line = m.line`)}) d
      on d.kind in ('supersede', 'keep-both')`;
  await tx`analyze received_deliveries`;
  await numberPlaces(tx);
}

/** Makes `delivery_places` and, with their place, `deliveries`. */
async function numberPlaces(tx: Tx): Promise<void> {
  await tx`create temp table delivery_places on commit drop as
    select number, by_file_id, dense_rank() over (partition by number order by by_file_id)::integer as place
    from (
      select distinct d.number, c.by_file_id from received_deliveries d
      join carriers c on c.file_id = d.file_id and c.line = d.line
      join settlement_files f on f.id = c.by_file_id and f.source = d.source) p`;
  await tx`create unique index on pg_temp.delivery_places (number, by_file_id)`;
  await tx`analyze delivery_places`;
  await tx`create temp table deliveries on commit drop as
    select d.*, p.place from received_deliveries d
    join delivery_places p on p.number = d.number and p.by_file_id = d.by_file_id`;
  await tx`create unique index on pg_temp.deliveries (number, place, rank)`;
  await tx`create index on pg_temp.deliveries (file_id, line)`;
  await tx`analyze deliveries`;
}

/** Makes `delivery_payments`, each payment once: all groups may name the same one. */
async function listPaymentsOfGroups(tx: Tx): Promise<void> {
  const payments = tx`select distinct p.key as payment_key from delivery_groups g join payments p on p.id = g.unique_id`;
  await collectRows(tx, 'delivery_payments', payments, [
    {
      name: 'delivery_groups',
      columns: 'unique_id text collate "C"',
      rows: tx`select distinct unique_id from delivery_groups where unique_id is not null`,
    },
  ]);
  await tx`create unique index on pg_temp.delivery_payments (payment_key)`;
  await tx`analyze delivery_payments`;
}

const resultsOfGroups = (tx: Tx): Fragment =>
  tx`select m.file_id, m.line from delivery_payments d join record_matches m on m.payment_key = d.payment_key`;

/** With shards: each is asked for its results of the payments, which may be on another shard than the payment. */
async function collectResults(tx: Tx): Promise<void> {
  await collectFromShards(tx, 'delivery_results', resultsOfGroups(tx), [
    paymentKeys(tx, 'delivery_payments'),
  ]);
}

/** Makes `delivery_candidates`: the records with the keys of the groups, and those of their payments. */
async function listCandidates(tx: Tx): Promise<void> {
  await tx`create temp table delivery_candidates on commit drop as
    select d.file_id, d.line from delivery_groups g join delivery_keys d on d.key = g.key
    union
    ${(await isDivided(tx)) ? tx`select file_id, line from delivery_results` : resultsOfGroups(tx)}
    union
    select n.file_id, n.line from delivery_payments d join new_matches n on n.payment_key = d.payment_key`;
  await tx`analyze delivery_candidates`;
}

function modeOf(tx: Tx, corrections: Corrections): Fragment {
  const named = Object.entries(corrections).filter(([, mode]) => mode !== 'ask');
  if (named.length === 0) return tx`'ask'::text`;
  return tx`(case f.source ${named.map(([name, mode]) => tx`when ${name} then ${mode}`)} else 'ask' end)`;
}
