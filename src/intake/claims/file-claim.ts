import { sqlStateOf } from '../../db/database-errors.js';
import type { Tx } from '../../db/client.js';
import type { Transact } from '../../db/fence.js';
import type { FileId, RunId } from '../../values/ids.js';

/** One attempt at loading a file that a run shares. Whoever claims the file later has a higher attempt. */
export interface FileClaim {
  readonly runId: RunId;
  readonly place: number;
  readonly fileId: FileId;
  readonly owner: string;
  readonly attempt: number;
}

/** Somebody else has the file now, or the run no longer shares it. Nothing of the attempt is stored. */
export class ClaimLost extends Error {}

/** The channel of notifications that there is a file to claim. A worker that misses one looks within seconds. */
export const claimChannel = 'recon_files';

/** The first key of the advisory locks that show which connection loads a file; the second is the file's id. */
const loadingLock = 1_886_417_004;

/**
 * Transactions that load a claimed file. Each ends the file: what it stores and the end of the claim are committed
 * together or not at all. So a file is loaded once, whoever loads it, and however late a suspended process continues.
 */
export function claimedTransactions(transact: Transact, claim: FileClaim): Transact {
  // The lease may be extended meanwhile, which changes the row that ends here: a snapshot would collide with that.
  return (work, sees = 'what is committed') =>
    transact(async (tx) => {
      await holdFile(tx, claim);
      const result = await work(tx);
      await finishClaim(tx, claim);
      return result;
    }, sees);
}

/** Shows until the end of the transaction that this connection loads the file. */
async function holdFile(tx: Tx, claim: FileClaim): Promise<void> {
  if (claim.attempt > 1) {
    await requireClaim(tx, claim);
    await endEarlierLoad(tx, claim.fileId);
  }
  await tx`select pg_advisory_xact_lock(${loadingLock}::integer, ${claim.fileId}::integer)`;
  await requireClaim(tx, claim);
}

async function requireClaim(tx: Tx, claim: FileClaim): Promise<void> {
  if (!(await isOwner(tx, claim))) throw new ClaimLost();
}

/** Whether the file is still this owner's. */
export async function isOwner(tx: Tx, claim: FileClaim): Promise<boolean> {
  const rows = await tx`
    select from file_claims where run_id = ${claim.runId} and place = ${claim.place}
      and attempt = ${claim.attempt} and owner = ${claim.owner}`;
  return rows.count > 0;
}

async function finishClaim(tx: Tx, claim: FileClaim): Promise<void> {
  const finished = await tx`
    update file_claims set finished_at = clock_timestamp()
    where run_id = ${claim.runId} and place = ${claim.place} and attempt = ${claim.attempt}
      and owner = ${claim.owner} and finished_at is null`;
  if (finished.count === 0) throw new ClaimLost();
}

/**
 * Ends the transaction in which an earlier owner loads a file: it may be stopped and hold rows that others wait for.
 */
export async function endEarlierLoad(tx: Tx, fileId: FileId): Promise<void> {
  await endConnections(
    tx,
    (point) => point`
      select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and classid = ${loadingLock}::integer::oid
        and objid = ${fileId}::integer::oid and objsubid = 2 and granted and pid <> pg_backend_pid()
        and database = (select oid from pg_database where datname = current_database())`,
  );
}

/**
 * Ends connections. Those of another account, which this account may not end, stay: this process then waits for their
 * locks, and their claims are refused.
 */
export async function endConnections(tx: Tx, end: (point: Tx) => Promise<unknown>): Promise<void> {
  try {
    await tx.savepoint(end);
  } catch (thrown) {
    if (sqlStateOf(thrown) !== '42501') throw thrown;
  }
}

/** Extends the leases of an owner. Returns the places that are still its own. */
export async function renewClaims(tx: Tx, runId: RunId, owner: string): Promise<Set<number>> {
  const rows = await tx<{ place: number }[]>`
    update file_claims set lease_until = clock_timestamp() + make_interval(secs => lease_seconds)
    where run_id = ${runId} and owner = ${owner} and finished_at is null
    returning place`;
  return new Set(rows.map(({ place }) => place));
}

/**
 * Lets somebody else load the file at once.
 *
 * @param options.declines whether this owner could not load it, and does not get it again
 */
export async function handBackFile(
  tx: Tx,
  claim: FileClaim,
  { declines }: { readonly declines: boolean },
): Promise<void> {
  await tx`
    update file_claims set owner = null, lease_until = null,
      declined_by = case when ${declines} then array_append(declined_by, ${claim.owner}::text) else declined_by end
    where run_id = ${claim.runId} and place = ${claim.place} and attempt = ${claim.attempt}
      and owner = ${claim.owner} and finished_at is null`;
  await tx`select pg_notify(${claimChannel}, '')`;
}
