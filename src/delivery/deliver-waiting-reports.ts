import type { Logger } from 'pino';
import type { Sql, Tx } from '../db/client.js';
import { inOwnTransaction } from '../db/transaction.js';
import { ReconError } from '../errors.js';
import type { OutcomeError, ReportDelivery } from '../outcome.js';
import { openTarget } from '../remote/open-target.js';
import type { TargetFolder } from '../remote/target-folder.js';
import type { DeliveryTarget } from '../remote/target-settings.js';
import { deliverReport, ReportProblem } from './deliver-report.js';
import { noteAttempt, noteSending, waitingDeliveries, type WaitingDelivery } from './stored-deliveries.js';

/** What the delivery of reports needs, whichever command it is part of. */
export interface ReportDeliveryContext {
  readonly sql: Sql;
  readonly targets: readonly DeliveryTarget[];
  /** The folder with the report folders. */
  readonly reportsDirectory: string;
  /** The permission bits of new files at a target; folders get matching execute bits. */
  readonly fileMode: number;
  readonly logger: Logger;
  readonly clock: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Delivers every report that waits, target by target, the oldest first. A failure ends the tries for one target, never
 * those for another one, and what could not be delivered waits for the next call.
 *
 * @throws ReconError for a failure of the database
 */
export async function deliverWaitingReports(context: ReportDeliveryContext): Promise<ReportDelivery[]> {
  const deliveries: ReportDelivery[] = [];
  for (const target of context.targets) {
    const waiting = await waitingDeliveries(context.sql, [target.name]);
    if (waiting.length > 0) deliveries.push(...(await deliverLocked(context, target)));
  }
  return deliveries;
}

/** The first part of the key of the lock; the second one is the target. */
const lockKey = 1_952_870_211;
const lockPollMs = 500;
const lockPolls = 60;

/** One process at a time delivers to a target. The lock is free as soon as the process that has it dies. */
async function deliverLocked(
  context: ReportDeliveryContext,
  target: DeliveryTarget,
): Promise<readonly ReportDelivery[]> {
  const lost = new AbortController();
  const signal = AbortSignal.any([context.signal, lost.signal]);
  let work: Promise<readonly ReportDelivery[]> | undefined;
  try {
    return await inOwnTransaction(context.sql, async (tx) => {
      if (!(await isLocked(tx, context, target.name))) {
        const others = await waitingDeliveries(tx, [target.name]);
        return others.map(({ folder }) => outcomeOf(target, folder, signal.aborted ? interrupted : busy));
      }
      work = deliverTo({ ...context, signal }, target);
      return await work;
    });
  } catch (thrown) {
    // Without the lock another process may begin: nothing more may be written.
    lost.abort();
    await work?.catch(() => undefined);
    throw thrown;
  }
}

const busy = {
  code: 'REPORT_UNDELIVERED',
  message: 'Another process is delivering to the same place.',
} as const;

const interrupted = { code: 'RUN_INTERRUPTED', message: 'The delivery was interrupted.' } as const;

async function isLocked(tx: Tx, { sleep, signal }: ReportDeliveryContext, target: string): Promise<boolean> {
  for (let poll = 0; poll < lockPolls && !signal.aborted; poll += 1) {
    const [row] = await tx<{ locked: boolean }[]>`
      select pg_try_advisory_xact_lock(${lockKey}, hashtext(${target})) as locked`;
    if (row?.locked === true) return true;
    await sleep(lockPollMs);
  }
  return false;
}

/** What became of each report in this call, and the reports with a problem that passes in none of its tries. */
interface Progress {
  readonly outcomes: Map<string, ReportDelivery>;
  readonly problems: Set<string>;
}

/** All tries of one target. */
async function deliverTo(
  context: ReportDeliveryContext,
  target: DeliveryTarget,
): Promise<readonly ReportDelivery[]> {
  const { logger, signal } = context;
  const progress: Progress = { outcomes: new Map(), problems: new Set() };
  for (let attempt = 1; ; attempt += 1) {
    const failure = await tryAll(context, target, progress);
    if (failure === null) break;
    const { attempts } = target;
    logger.warn({ target: target.name, code: failure.code, attempt, attempts }, failure.message);
    if (failure.retry !== 'at once' || attempt >= attempts) break;
    await pause(context, attempt);
    if (signal.aborted) break;
  }
  return [...progress.outcomes.values()];
}

/** 1, 4, 16 … seconds, half fixed and half random. */
async function pause({ random, sleep }: ReportDeliveryContext, attempt: number): Promise<void> {
  // A signal ends the pause.
  await sleep(Math.round(1000 * 4 ** (attempt - 1) * (0.5 + random() / 2))).catch(() => undefined);
}

/** One try of everything that waits. Returns the failure of the target that ended it; null if there was none. */
async function tryAll(
  context: ReportDeliveryContext,
  target: DeliveryTarget,
  { outcomes, problems }: Progress,
): Promise<ReconError | null> {
  const { sql, clock, logger } = context;
  const waiting = (await waitingDeliveries(sql, [target.name])).filter(({ folder }) => !problems.has(folder));
  const note = async (each: WaitingDelivery, error: OutcomeError | null) => {
    outcomes.set(each.folder, outcomeOf(target, each.folder, error));
    await noteAttempt(sql, each, error?.message ?? null, clock());
  };
  let opened: TargetFolder | undefined;
  let delivered = 0;
  try {
    opened = await openTarget(target, context.fileMode, context.signal);
    for (const each of waiting) {
      const problem = await deliverOne(context, opened, each);
      await note(each, problem);
      if (problem === null) logger.info({ target: target.name, folder: each.folder }, 'report delivered');
      else problems.add(each.folder);
      delivered += 1;
    }
    return null;
  } catch (thrown) {
    const failure = failureOf(thrown, context.signal);
    const { code, message } = failure;
    for (const each of waiting.slice(delivered)) await note(each, { code, message });
    return failure;
  } finally {
    await opened?.close();
  }
}

/** Returns what is wrong with this report, or null. */
async function deliverOne(
  { sql, reportsDirectory, signal }: ReportDeliveryContext,
  target: TargetFolder,
  waiting: WaitingDelivery,
): Promise<OutcomeError | null> {
  try {
    const beforeSending = (manifest: string) => noteSending(sql, waiting, manifest);
    await deliverReport(target, {
      reportsDirectory,
      name: waiting.folder,
      sent: waiting.sent,
      beforeSending,
      signal,
    });
    return null;
  } catch (thrown) {
    if (!(thrown instanceof ReportProblem)) throw thrown;
    return { code: 'REPORT_UNDELIVERED', message: thrown.message };
  }
}

/** A failure of the target; whatever else was thrown (by the database, or a defect) is thrown again. */
function failureOf(thrown: unknown, signal: AbortSignal): ReconError {
  if (!(thrown instanceof ReconError)) throw thrown;
  return signal.aborted ? new ReconError(interrupted.code, interrupted.message) : thrown;
}

function outcomeOf(target: DeliveryTarget, folder: string, error: OutcomeError | null): ReportDelivery {
  return { target: target.name, folder, status: error === null ? 'delivered' : 'waiting', error };
}
