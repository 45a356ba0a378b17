import { appendAuditEvents } from '../db/audit-log/append-audit-events.js';
import type { Tx } from '../db/client.js';
import { readShards } from '../db/shards/enter-shards.js';
import { isDivided } from '../db/shards/is-divided.js';
import { fencedTransactions, moveFence } from '../db/fence.js';
import { inOwnTransaction } from '../db/transaction.js';
import { failPoint } from '../fail-point.js';
import { stopIfAborted } from '../interruption.js';
import { acquireLockWithoutRun } from '../run/run-lock.js';
import type { RunContext } from '../run/run-context.js';
import type { CalendarDate } from '../values/calendar-date.js';
import { countExpiredKeys, removeExpiredKeys } from './expired-keys.js';
import { readFileStates } from './file-states.js';
import type { KindPlan } from './kind-plan.js';
import { planArchive } from './old-archive.js';
import { planAuditEvents } from './old-audit-events.js';
import { planCheckouts } from './old-checkouts.js';
import { planEvents } from './old-events.js';
import { planFires, planJobs } from './old-jobs.js';
import { planRecords } from './old-records.js';
import { planRegistrations } from './old-registrations.js';
import { planRejectedRows } from './old-rejected-rows.js';
import { planReports } from './old-reports.js';
import { removalMoment } from './removal-moment.js';
import { limitsOf } from './limits.js';
import type { RetentionPolicy } from '../values/retention-policy.js';
import type { KindSums } from './tally.js';

/** What a purge may remove. */
export interface PurgeRequest {
  readonly policy: RetentionPolicy;
  /** The day from which ages are counted. */
  readonly asOf: CalendarDate;
  readonly dryRun: boolean;
}

/** What a purge removed, or would remove, by kind. */
export interface Purged {
  /** The day from which ages were counted. */
  readonly asOf: CalendarDate;
  /** True: nothing was removed. */
  readonly dryRun: boolean;
  /** One entry for each kind of data, also for those without a policy. */
  readonly kinds: readonly KindSums[];
  /** Idempotency keys, which have no policy: they have no effect after a day. */
  readonly expiredKeys: number;
}

/**
 * Removes what is older than the policy allows, and never what is open, waiting, or inside the look-back (design 11).
 *
 * Rows come first, in one transaction with the audit event; then the files that no row needs any more. So a purge that
 * is killed leaves either nothing removed, or files that nothing refers to, which the next purge removes. The other way
 * round, rows would refer to bytes that do not exist, and re-runs and `recon doctor` would report a damaged archive.
 *
 * It takes the run lock until the last file is removed: a run could otherwise receive the same bytes again meanwhile. A
 * dry run only reads, and takes no lock.
 *
 * @throws ReconError RUN_ACTIVE, RUN_INTERRUPTED, DISK_FAILED, errors of the database
 */
export async function purge(context: RunContext, request: PurgeRequest): Promise<Purged> {
  const { asOf, dryRun } = request;
  const purged = ({ plans, expiredKeys }: Planned) => ({
    asOf,
    dryRun,
    kinds: plans.map(({ sums }) => sums),
    expiredKeys,
  });
  if (dryRun) return purged(await previewPurge(context, request));
  const lock = await acquireLockWithoutRun(context, 'purge');
  const signal = AbortSignal.any([context.signal, lock.lost]);
  const stopIfInterrupted = () =>
    stopIfAborted(signal, 'The purge was interrupted; the next one removes the rest.');
  const fenced = fencedTransactions(context.database, lock.fence, signal);
  try {
    stopIfInterrupted();
    const done = await fenced.transact(async (tx) => {
      await moveFence(tx);
      const planned = await planPurge(tx, context, request);
      for (const { apply } of planned.plans) await apply(tx);
      await removeExpiredKeys(tx);
      await recordPurge(tx, context.author, purged(planned));
      failPoint('purge.commit.before');
      return planned;
    });
    failPoint('purge.commit.after');
    for (const { removeFiles } of done.plans) await removeFiles?.(stopIfInterrupted);
    return purged(done);
  } catch (thrown) {
    // A signal closes the connection of the transaction, which fails in its own way.
    stopIfInterrupted();
    throw thrown;
  } finally {
    await fenced.end();
    await lock.release();
  }
}

/** What a purge would do now. */
async function previewPurge(context: RunContext, request: PurgeRequest): Promise<Planned> {
  const { sql } = context.database;
  const isOnShards = await isDivided(sql);
  const plan = async (tx: Tx) => {
    if (isOnShards) await readShards(tx);
    return planPurge(tx, context, request);
  };
  return inOwnTransaction(sql, plan, 'isolation level repeatable read read only');
}

/** The plans in the order in which they are carried out. */
interface Planned {
  readonly plans: readonly KindPlan[];
  readonly expiredKeys: number;
}

async function planPurge(tx: Tx, context: RunContext, { policy, asOf }: PurgeRequest): Promise<Planned> {
  const { dataDirectory, reportFileMode, timezone } = context;
  const limits = limitsOf(policy, asOf, context);
  const files = await readFileStates(tx, { asOf, timezone });
  const now = new Date(await removalMoment(context)).toISOString();
  const deliverTo = context.deliverTo.map(({ name }) => name);
  const input = { limits, files, dataDirectory, reportFileMode, deliverTo, timezone, now };
  const plans: KindPlan[] = [];
  for (const plan of [
    planArchive,
    planReports,
    planRecords,
    planRejectedRows,
    planAuditEvents,
    planEvents,
    planCheckouts,
    // The fires of a job are removed while it can still be read.
    planFires,
    planJobs,
    planRegistrations,
  ]) {
    plans.push(await plan(tx, input));
  }
  return { plans, expiredKeys: await countExpiredKeys(tx) };
}

/** One event with the sums of all kinds; none if nothing was old. */
async function recordPurge(tx: Tx, author: string, { asOf, kinds }: Purged): Promise<void> {
  const removed = kinds.filter((kind) => kind.removed.count > 0);
  if (removed.length === 0) return;
  const details = {
    asOf,
    ...Object.fromEntries(removed.map((kind) => [kind.kind, { before: kind.before, ...kind.removed }])),
  };
  await appendAuditEvents(tx, author, [{ action: 'retention.applied', subject: 'retention', details }]);
}
