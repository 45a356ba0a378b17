import { filesInScope, latestWithdrawals, type RunScope } from '../../db/run-scope.js';
import type { AppliedWithdrawal } from '../../outcome.js';
import type { RunId } from '../../values/ids.js';
import type { Fragment, Tx } from '../fragment.js';
import { repeatedByCorrections } from '../repeated-by-corrections.js';
import { addHoldersOfIds } from './add-holders-of-ids.js';

/**
 * Puts withdrawals and restorations of files into effect (design 4.8): in a run those of all files, in a re-run those
 * of the files with records in its range. A record of a withdrawn file still counts if another file, which is not
 * withdrawn, brought it too; it stays the record of the first file.
 *
 * Whether a record counts is computed from the files alone and compared with `uncounted_records`. So the order in which
 * files arrive and are withdrawn makes no difference, and repeating this step changes nothing.
 *
 * Makes `changed_records`: the records that start or stop counting, and those that hold the chargeback id of one; and
 * `moved_records`: those that still count, and that another file may have brought first now, so that their deliveries
 * have another order.
 *
 * @returns what took effect, in the order of the files
 */
export async function applyWithdrawals(
  tx: Tx,
  scope: RunScope,
  runId: RunId,
): Promise<readonly AppliedWithdrawal[]> {
  await tx`create temp table changed_records (file_id integer, line integer, counts boolean,
    primary key (file_id, line)) on commit drop`;
  await tx`create temp table moved_records (file_id integer, line integer, primary key (file_id, line))
    on commit drop`;
  const [any] = await tx`select from file_withdrawals limit 1`;
  if (any === undefined) return [];
  await listPendingFiles(tx, scope);
  if (!(await listAffectedRecords(tx, scope))) return markInEffect(tx, runId);
  await listChangedRecords(tx);
  await tx`delete from uncounted_records u using changed_records c
    where c.counts and u.file_id = c.file_id and u.line = c.line and u.reason = 'WITHDRAWN'`;
  await tx`
    insert into uncounted_records (file_id, line, reason, run_id)
    select file_id, line, 'WITHDRAWN', ${runId} from changed_records where not counts
    on conflict (file_id, line) do update set reason = 'WITHDRAWN', other_file_id = null, other_line = null,
      run_id = excluded.run_id`;
  const applied = await markInEffect(tx, runId);
  await addHoldersOfIds(tx);
  return applied;
}

/** The withdrawn files that have records, and the files on whose latest decision no run has acted. */
async function listPendingFiles(tx: Tx, scope: RunScope): Promise<void> {
  await tx`create temp table withdrawn_now on commit drop as
    select w.file_id from (${latestWithdrawals(tx)}) w
    join settlement_files f on f.id = w.file_id and f.status <> 'rejected'
    where w.kind = 'withdraw'`;
  await tx`create unique index on pg_temp.withdrawn_now (file_id)`;
  await tx`create temp table pending_files on commit drop as
    select coalesce(now.file_id, before.file_id) as file_id, now.file_id is not null as withdrawn
    from withdrawn_now now full join withdrawn_files before on before.file_id = now.file_id
    where (now.file_id is null or before.file_id is null)
      ${scope.kind === 'run' ? tx`` : tx`and coalesce(now.file_id, before.file_id) in (${filesInScope(tx, scope)})`}`;
  await tx`analyze withdrawn_now`;
  await tx`analyze pending_files`;
}

/**
 * The records of the pending files, those that they repeat, and those of withdrawn files that new files or corrected
 * rows repeat.
 *
 * @returns whether there are any
 */
async function listAffectedRecords(tx: Tx, scope: RunScope): Promise<boolean> {
  await tx`create temp table affected_records on commit drop as
    select r.file_id, r.line from settlement_records r where r.file_id in (select file_id from pending_files)
    union
    select k.record_file_id, k.record_line from already_known_rows k
    where k.file_id in (select file_id from pending_files)
    union
    select k.record_file_id, k.record_line from already_known_rows k
    where k.file_id in (${filesInScope(tx, scope)}) and k.record_file_id in (select file_id from withdrawn_now)
    ${scope.kind === 'run' ? tx`union ${broughtByCorrections(tx)}` : tx``}`;
  await tx`create unique index on pg_temp.affected_records (file_id, line)`;
  await tx`analyze affected_records`;
  const found = await tx`select from affected_records limit 1`;
  return found.length > 0;
}

/**
 * The records that do not count although a corrected row has their cells (design 4.9), and its file is not withdrawn.
 * That file is usually an earlier one, so it is not in the scope of a run.
 */
const broughtByCorrections = (
  tx: Tx,
): Fragment => tx`select k.record_file_id, k.record_line from ${repeatedByCorrections(tx)}
    cross join lateral (select from uncounted_records u
      where u.file_id = k.record_file_id and u.line = k.record_line and u.reason = 'WITHDRAWN' offset 0) u
    where c.file_id not in (select file_id from withdrawn_now)`;

/** The affected records whose state changes: no longer counted, or counted again. */
async function listChangedRecords(tx: Tx): Promise<void> {
  await tx`create temp table brought_again on commit drop as
    select k.record_file_id as file_id, k.record_line as line
    from already_known_rows k join affected_records a on a.file_id = k.record_file_id and a.line = k.record_line
    where k.file_id not in (select file_id from withdrawn_now)
    group by 1, 2`;
  await tx`create unique index on pg_temp.brought_again (file_id, line)`;
  await tx`analyze brought_again`;
  await tx`
    insert into changed_records (file_id, line, counts)
    select a.file_id, a.line, w.file_id is null or b.file_id is not null
    from affected_records a
    left join withdrawn_now w on w.file_id = a.file_id
    left join brought_again b on b.file_id = a.file_id and b.line = a.line
    left join uncounted_records u on u.file_id = a.file_id and u.line = a.line and u.reason = 'WITHDRAWN'
    where (w.file_id is null or b.file_id is not null) <> (u.file_id is null)`;
  await tx`analyze changed_records`;
  await tx`
    insert into moved_records (file_id, line)
    select k.record_file_id, k.record_line from already_known_rows k
    join affected_records a on a.file_id = k.record_file_id and a.line = k.record_line
    except
    select file_id, line from changed_records`;
  await tx`analyze moved_records`;
}

async function markInEffect(tx: Tx, runId: RunId): Promise<readonly AppliedWithdrawal[]> {
  // Looked up: as a join, PostgreSQL 15 compared each of many files with all that are withdrawn.
  await tx`delete from withdrawn_files where ctid = any (array(
    select w.ctid from pending_files p
    cross join lateral (select ctid from withdrawn_files w where w.file_id = p.file_id offset 0) w
    where not p.withdrawn))`;
  await tx`insert into withdrawn_files (file_id, run_id)
    select file_id, ${runId} from pending_files where withdrawn`;
  const applied = await tx<AppliedWithdrawal[]>`
    with changed as (${changesByFile(tx)})
    select case when p.withdrawn then 'withdrawn' else 'restored' end as status, f.source, f.name, f.sha256,
      coalesce(c.records, 0) as records, l.author as by, l.reason
    from pending_files p join settlement_files f on f.id = p.file_id
    left join changed c on c.file_id = p.file_id
    cross join lateral (select w.author, w.reason from file_withdrawals w
      where w.file_id = p.file_id order by w.number desc limit 1) l
    order by p.file_id`;
  return applied.map((each) => ({ ...each }));
}

/**
 * How many records start or stop counting with each pending file: its own records, and those of an earlier file that is
 * not pending, of which it has the last copy that counted, or the first that counts again.
 */
const changesByFile = (tx: Tx): Fragment => tx`
      select coalesce(own.file_id, other.file_id) as file_id, count(*)::integer as records
      from changed_records c
      left join pending_files own on own.file_id = c.file_id
      left join lateral (
        select k.file_id from already_known_rows k join pending_files p on p.file_id = k.file_id
        where own.file_id is null and k.record_file_id = c.file_id and k.record_line = c.line
          and p.withdrawn <> c.counts
        order by k.file_id limit 1) other on true
      group by 1`;
