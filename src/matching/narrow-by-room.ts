import type { RunScope } from '../db/run-scope.js';
import { takesPart } from './deliveries/takes-part.js';
import type { Fragment, Tx } from './fragment.js';
import {
  eachOnce,
  hasRemovedSettlements,
  listStoredAgain,
  removedAndNotBack,
  removedAsRecords,
} from './removed-settlements.js';
import { typeFits } from './type-fit.js';
import { refreshCandidateStatistics } from './refresh-statistics.js';

/**
 * Step (d) of narrowing (design 4.4): of several payments left to a SETTLED record, those that still have room: the
 * settled records that are matched to a payment do not reach its amount yet. Only the records that need no such step
 * count, so the result does not depend on an order: first all records are decided without it, then their sums show
 * which payments have room.
 *
 * The payments that a record was left with are stored. When the room of one of these payments changes, the record is
 * judged again in the same run, whatever its age, and counts as checked again.
 *
 * Changes `new_matches`, `kept_hits`, `review_records` and `room_candidates`.
 */
export async function narrowByRoom(tx: Tx, scope: RunScope): Promise<void> {
  const [contested] = await tx`select from ${contestedHits(tx)} limit 1`;
  const [stored] = await tx`select from room_candidates limit 1`;
  if (contested === undefined && stored === undefined) return;
  await measureRoom(tx);
  await listContested(tx);
  await addContested(tx, scope);
  await decideByRoom(tx);
  await storeRoom(tx);
}

/** The payments `k` left to the records `n` in scope, where there are several. */
function contestedHits(tx: Tx): Fragment {
  return tx`kept_hits k join new_matches n on n.file_id = k.file_id and n.line = k.line
      and n.needs_review and n.status = 'MULTIPLE_MATCHES' and n.reconciliation_type = 'SETTLED'`;
}

/** Finds out which payments have room: those of contested records whose own records may have changed. */
async function measureRoom(tx: Tx): Promise<void> {
  await tx`create temp table room_payments (payment_key bigint) on commit drop`;
  await tx`insert into room_payments
    select k.payment_key from ${contestedHits(tx)}
    union
    (select payment_key from room_candidates
      intersect
      (select payment_key from new_matches where payment_key is not null
        union all
        select former_payment_key from new_matches where not is_new and former_payment_key is not null))`;
  await tx`create unique index on pg_temp.room_payments (payment_key)`;
  await tx`analyze room_payments`;
  await tx`create temp table room_takers (file_id integer, line integer, payment_key bigint) on commit drop`;
  const takers = await tx`insert into room_takers
    select file_id, line, payment_key from new_matches
    where payment_key in (select payment_key from room_payments)
    union all
    (select m.file_id, m.line, m.payment_key from room_payments s
        join record_matches m on m.payment_key = s.payment_key
      except
      select file_id, line, former_payment_key from new_matches
        where not is_new and former_payment_key in (select payment_key from room_payments)
      except
      select m.file_id, m.line, m.payment_key from (
        select m.* from room_payments s join record_matches m on m.payment_key = s.payment_key offset 0) m
      where exists (select from room_candidates c where c.file_id = m.file_id and c.line = m.line offset 0))`;
  await tx`analyze room_takers`;
  await tx`create temp table rooms (payment_key bigint primary key, has_room boolean) on commit drop`;
  // With a year of records, it takes long to plan the statement about those that take room. There are often none.
  if (takers.count === 0) await tx`insert into rooms select payment_key, true from room_payments`;
  else await addUpRooms(tx);
  await tx`analyze rooms`;
}

/** Fills `rooms` with what the records in `room_takers`, removed ones too, take of each payment. */
async function addUpRooms(tx: Tx): Promise<void> {
  const takers = (records: Fragment, isRemoved: Fragment) => tx`
      select t.payment_key, r.amount_minor, r.fingerprint, r.occurrence, r.file_id, r.line, ${isRemoved} as is_removed
      from room_takers t
      join payments p on p.key = t.payment_key
      join ${records} on r.file_id = t.file_id and r.line = t.line
      where ${takesRoom(tx)}`;
  const stored = takers(tx`settlement_records r`, tx`false`);
  const hasRemoved = await hasRemovedSettlements(tx);
  if (hasRemoved) await leaveOutStoredAgain(tx);
  const all = hasRemoved
    ? eachOnce(tx, tx`${stored} union all ${takers(removedAsRecords(tx), tx`true`)}`)
    : tx`(${stored})`;
  await tx`insert into rooms
    select p.key, coalesce(t.settled < p.amount_minor, true)
    from room_payments s
    join payments p on p.key = s.payment_key
    left join (
      select t.payment_key, sum(t.amount_minor) as settled from ${all} t group by t.payment_key
    ) t on t.payment_key = s.payment_key`;
}

/** A removed settlement takes no room if a file has brought it again: its record may be one that is narrowed now. */
async function leaveOutStoredAgain(tx: Tx): Promise<void> {
  await listStoredAgain(tx, tx`select file_id, line from room_takers`);
  await tx`delete from room_takers t using stored_again a where a.file_id = t.file_id and a.line = t.line`;
}

/**
 * Whether record `r` uses room of the payment `p` that it is matched to; not while it waits for a decision about two
 * deliveries.
 */
function takesRoom(tx: Tx): Fragment {
  return tx`(r.reconciliation_type = 'SETTLED' and r.settlement_status = 'SUCCESS' and r.currency = p.currency
    and ${typeFits(tx)} and ${takesPart(tx)})`;
}

/**
 * Whether payment `p` has room, by what is stored: for the payments that a record may be about (`recon explain`).
 * Results and records are looked up, with `offset 0`: where most records name one payment, the planner expects that
 * each payment has as many, and reads all results for each of 10,000 refunds.
 */
export function hasRoom(tx: Tx): Fragment {
  const takers = (records: Fragment, isRemoved: Fragment) => tx`
      select p.key as payment_key, r.amount_minor, r.fingerprint, r.occurrence, r.file_id, r.line,
        ${isRemoved} as is_removed
      from (select m.file_id, m.line from record_matches m where m.payment_key = p.key offset 0) m
      cross join lateral (select r.* from ${records} where r.file_id = m.file_id and r.line = m.line offset 0) r
      where ${takesRoom(tx)}
        and (select true from room_candidates c where c.file_id = m.file_id and c.line = m.line limit 1) is null`;
  const all = tx`${takers(tx`settlement_records r`, tx`false`)} union all ${takers(removedAndNotBack(tx), tx`true`)}`;
  return tx`coalesce((select sum(t.amount_minor) < p.amount_minor from ${eachOnce(tx, all)} t), true)`;
}

/** Makes `contested`: the payments left to the records in scope, and which of them have room. */
async function listContested(tx: Tx): Promise<void> {
  await tx`create temp table contested (file_id integer, line integer, payment_key bigint, has_room boolean)
    on commit drop`;
  await tx`insert into contested
    select k.file_id, k.line, k.payment_key, x.has_room from ${contestedHits(tx)}
    left join rooms x on x.payment_key = k.payment_key`;
}

/** Adds to this matching the records outside the scope whose payments gained or lost room. */
async function addContested(tx: Tx, scope: RunScope): Promise<void> {
  await tx`create temp table room_rechecks (file_id integer, line integer, primary key (file_id, line))
    on commit drop`;
  await tx`insert into room_rechecks
    select distinct c.file_id, c.line from rooms x
    join room_candidates c on c.payment_key = x.payment_key
    where c.has_room <> x.has_room`;
  const [any] = await tx`select from room_rechecks limit 1`;
  if (any !== undefined) {
    await tx`analyze room_rechecks`;
    await tx`delete from room_rechecks x using new_matches n where n.file_id = x.file_id and n.line = x.line`;
    await addToScope(tx, scope);
  }
  await tx`analyze contested`;
}

async function addToScope(tx: Tx, scope: RunScope): Promise<void> {
  await tx`insert into contested
    select c.file_id, c.line, c.payment_key, coalesce(x.has_room, c.has_room) from room_rechecks r
    join room_candidates c on c.file_id = r.file_id and c.line = r.line
    left join rooms x on x.payment_key = c.payment_key`;
  await tx`insert into new_matches (file_id, line, reconciliation_type, pinned, status, matched_by, matched_through,
      is_new, former_status, former_matched_by, former_matched_through, former_payment_key, needs_review)
    select m.file_id, m.line, 'SETTLED', false, 'MULTIPLE_MATCHES', m.matched_by, m.matched_through,
      false, m.status, m.matched_by, m.matched_through, m.payment_key, true
    from room_rechecks x join record_matches m on m.file_id = x.file_id and m.line = x.line`;
  await tx`insert into review_records
    select false, r.* from room_rechecks x
    join settlement_records r on r.file_id = x.file_id and r.line = x.line`;
  await tx`insert into kept_hits (file_id, line, payment_key)
    select c.file_id, c.line, c.payment_key from room_rechecks x
    join room_candidates c on c.file_id = x.file_id and c.line = x.line`;
  if (scope.kind === 'run') {
    await tx`insert into run_rechecks (run_id, file_id, line)
      select ${scope.runId}, file_id, line from room_rechecks on conflict do nothing`;
  } else {
    await tx`insert into extra_records (file_id, line) select file_id, line from room_rechecks
      on conflict do nothing`;
  }
}

/**
 * Drops the payments without room, unless none has any. A contested record has at least two payments, so one that has
 * a single payment with room loses all others, and this is written to `new_matches`.
 */
async function decideByRoom(tx: Tx): Promise<void> {
  await tx`create temp table without_room on commit drop as
    select c.file_id, c.line, c.payment_key from contested c
    where not c.has_room and (c.file_id, c.line) in (select file_id, line from contested where has_room)`;
  await tx`create index on pg_temp.without_room (file_id, line)`;
  await tx`analyze without_room`;
  await tx`delete from kept_hits k using without_room w
    where w.file_id = k.file_id and w.line = k.line and w.payment_key = k.payment_key`;
  await tx`
    update new_matches n set status = 'MATCHED', payment_key = d.payment_key
    from (
      select file_id, line, min(payment_key) as payment_key from contested where has_room
      group by file_id, line having count(*) = 1) d
    where n.file_id = d.file_id and n.line = d.line and n.needs_review`;
}

/**
 * Stores what the contested records were left with, for the run in which the room changes. New records have nothing
 * stored, and of the others only what differs is written: a thousand records with the value of a thousand payments are
 * a million rows.
 */
async function storeRoom(tx: Tx): Promise<void> {
  const former = tx`new_matches n on n.file_id = c.file_id and n.line = c.line and not n.is_new`;
  await tx`
    delete from room_candidates where ctid = any (array(
      select c.ctid from (
        select c.file_id, c.line, c.payment_key from room_candidates c join ${former}
        except
        select file_id, line, payment_key from contested
      ) gone
      cross join lateral (select c.ctid from room_candidates c
        where c.file_id = gone.file_id and c.line = gone.line and c.payment_key = gone.payment_key offset 0) c))`;
  const ofNew = await tx`
    insert into room_candidates (file_id, line, payment_key, has_room)
    select c.file_id, c.line, c.payment_key, c.has_room from contested c
    join new_matches n on n.file_id = c.file_id and n.line = c.line and n.is_new`;
  const ofEarlier = await tx`
    insert into room_candidates (file_id, line, payment_key, has_room)
    select c.file_id, c.line, c.payment_key, c.has_room from contested c join ${former}
    except
    select c.file_id, c.line, c.payment_key, c.has_room from room_candidates c join ${former}
    on conflict (file_id, line, payment_key) do update set has_room = excluded.has_room`;
  await refreshCandidateStatistics(tx, 'room_candidates', ofNew.count + ofEarlier.count);
}
