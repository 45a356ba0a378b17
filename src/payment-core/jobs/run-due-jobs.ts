import type { Sql, Tx } from '../../db/client.js';
import { ReconError } from '../../errors.js';
import type { CoreContext } from '../core/core-context.js';
import { wholeFrom, type OptionKinds } from '../core/option-names.js';
import type { ParameterValues } from '../fields/parameters.js';
import { responseTimestamp, storedMoment } from '../values/moments.js';
import { readSharedMoment, sharedMoment } from '../core/shared-moment.js';
import { inTransaction, mustHaveWritten, reading } from '../core/transactions.js';
import type { BegunPayment } from '../payments/decide-payment.js';
import { beginPayment, finishPayment } from '../payments/process-payment.js';
import { prepareWithRegistration } from '../registrations/pay-with-registration.js';
import type { SkippedFires } from './job-response.js';
import { nextFireWithin } from './job-times.js';
import { judgeMisfires, type DueFires, type MisfirePolicy, type Skip } from './judge-misfires.js';
import { readJob, selectJob, type JobRow, type StoredJob } from './stored-job.js';

/** The result of a fire of a job. */
export interface JobRun {
  /** The job that fired: 32 letters or digits. */
  readonly jobId: string;
  /** The planned moment, `yyyy-MM-dd HH:mm:ss+0000`. */
  readonly firedAt: string;
  /** Missing when no payment could be made, for example because the registration is gone. */
  readonly paymentId?: string;
  /** Of the payment, or of the refusal if none was made. */
  readonly resultCode: string;
  /** Missed fires before this one that were skipped (`job.misfirePolicy`). */
  readonly skipped?: SkippedFires;
}

/** The limits of one call. The remaining fires stay due for the next call. */
export interface RunLimits {
  /** The most payments of the call; default 500. */
  readonly limit?: number;
  /** The most payments of one job; default 20. */
  readonly limitPerJob?: number;
}

/** The values that the members of {@link RunLimits} may have. */
export const runLimits: OptionKinds<RunLimits> = { limit: wholeFrom(0), limitPerJob: wholeFrom(0) };

const defaultLimit = 500;
const defaultLimitPerJob = 20;

/**
 * So many due jobs are listed at a time. When each turn looked for its own job, it read all that were still due: 5,000
 * that fall due at the same moment were 12,500,000 rows.
 */
const mostListed = 500;

/** The end of the year 9999; later moments have no text that PostgreSQL reads. */
const lastMoment = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * The moment of a call, of a program that no compiler may have checked.
 *
 * @throws ReconError USAGE_INVALID unless it is left out or a number of milliseconds since the epoch
 */
export function receiveMoment(operation: string, given: unknown): number | undefined {
  if (given === undefined) return undefined;
  if (typeof given === 'number' && given >= 0 && given <= lastMoment) return given;
  throw new ReconError(
    'USAGE_INVALID',
    `${operation}: nowMs must be a number of milliseconds since 1970. Nothing was done.`,
  );
}

/**
 * Makes the payments of jobs that are due. Each fire is made at most once: the fire, its payment and the next run are
 * one transaction, and any number of processes may call it at the same time. Jobs take turns, so a job that is days
 * behind does not delay the others. The job's `job.misfirePolicy` decides which missed fires are made and which are
 * skipped and recorded. A job whose registration was deleted ends. A job whose account number cannot be decrypted stays
 * due and waits behind the others, because only the operator can change that.
 *
 * @param givenMs epoch milliseconds; default: the present by the clock of the database
 * @throws ReconError CONFIG_INVALID when jobs are due whose account numbers cannot be decrypted, and no others
 */
export async function runDueJobs(
  context: CoreContext,
  givenMs: number | undefined,
  { limit: most = defaultLimit, limitPerJob: mostOfJob = defaultLimitPerJob }: RunLimits = {},
): Promise<JobRun[]> {
  const nowMs = givenMs ?? (await readSharedMoment(context, context.sql));
  const runs: JobRun[] = [];
  const failures: ReconError[] = [];
  const fires = new Map<string, number>();
  let waiting: string[] = [];
  /** The jobs that had their turn in this round, and whether any of these turns did something. */
  let round = { had: new Set<string>(), hasActed: false };
  while (runs.length < most && failures.length < most) {
    const next = waiting.shift();
    if (next === undefined) {
      const exhausted = [...fires].filter(([, count]) => count >= mostOfJob).map(([id]) => id);
      const resting = [...new Set([...round.had, ...exhausted])];
      waiting = await listDue(context, nowMs, resting, Math.min(most - runs.length, mostListed));
      if (waiting.length > 0) continue;
      // No other job is due: the next round begins, unless this round did nothing.
      if (!round.hasActed) break;
      round = { had: new Set(), hasActed: false };
      continue;
    }
    round.had.add(next);
    const turn = await takeTurn(context, nowMs, next);
    // Another process had it meanwhile.
    if (turn === undefined) continue;
    if (turn instanceof ReconError) {
      failures.push(turn);
      fires.set(next, mostOfJob);
      continue;
    }
    round.hasActed = true;
    fires.set(turn.jobId, (fires.get(turn.jobId) ?? 0) + 1);
    const { fired } = turn;
    if (fired === null) continue;
    const response = fired.begun === null ? undefined : await finishPayment(context, fired.begun);
    runs.push({ ...fired.run, resultCode: response?.result.code ?? fired.run.resultCode });
    if (response !== undefined) await storeResult(context, fired, response.result.code);
  }
  const [failure] = failures;
  if (failure !== undefined && runs.length === 0) throw failure;
  return runs;
}

/** The ids of jobs that are due, in the order of their turns, without those that rest until the next round. */
async function listDue(
  { sql, environment }: CoreContext,
  nowMs: number,
  resting: readonly string[],
  limit: number,
): Promise<string[]> {
  const rows = await reading(
    () => sql<{ id: string }[]>`
      select id from jobs
      where ${isDue(sql, environment, nowMs)}
        and id not in (select jsonb_array_elements_text(${JSON.stringify(resting)}::text::jsonb) collate "C")
      -- The job that waited longest for its turn comes first, not the job that is furthest behind.
      order by updated_at, next_run_at, id limit ${limit}::int`,
  );
  return rows.map(({ id }) => id);
}

function isDue(sql: Sql | Tx, environment: string, nowMs: number) {
  return sql`environment = ${environment} and status = 'active'
      and next_run_at <= ${storedMoment(nowMs)}::text::timestamptz`;
}

/** The turn of a job. `fired` is null when all due fires were skipped. */
interface Turn {
  readonly jobId: string;
  readonly fired: Fired | null;
}

interface Fired {
  readonly run: JobRun;
  readonly firedAtMs: number;
  readonly begun: BegunPayment | null;
}

/** Gives a job its turn. If its account number cannot be decrypted, it waits behind the others: returns why. */
async function takeTurn(
  context: CoreContext,
  nowMs: number,
  id: string,
): Promise<Turn | ReconError | undefined> {
  try {
    return await inTransaction(context.sql, (tx) => fireNext(context, tx, nowMs, id));
  } catch (thrown) {
    if (!(thrown instanceof ReconError) || thrown.code !== 'CONFIG_INVALID') throw thrown;
    context.logger.warn({ job: id, err: thrown }, 'A scheduled payment could not be made; it stays due.');
    await inTransaction(
      context.sql,
      (tx) => tx`update jobs set updated_at = ${sharedMoment(context, tx)} where id = ${id}`,
    );
    return thrown;
  }
}

/** The turn of a job; undefined if another process has it, or had it since the job was listed. */
async function fireNext(context: CoreContext, tx: Tx, nowMs: number, id: string): Promise<Turn | undefined> {
  const [row] = await tx<JobRow[]>`
    select ${selectJob(tx)} from jobs
    where id = ${id} and ${isDue(tx, context.environment, nowMs)} for update skip locked`;
  if (row === undefined) return undefined;
  const job = readJob(row);
  if (job.nextRunAt === null) {
    // An earlier version planned a payment at the end of its duration.
    await planNext(context, tx, job, { nextMs: undefined, skip: undefined });
    return { jobId: job.id, fired: null };
  }
  const due = judgeMisfires(policyOf(job), job, job.nextRunAt, nowMs);
  if (due.fireAtMs === undefined) {
    await planNext(context, tx, job, due);
    return { jobId: job.id, fired: null };
  }
  return { jobId: job.id, fired: await fire(context, tx, job, { firedAtMs: due.fireAtMs, skip: due.skip }) };
}

/** The registration is unknown, or was deleted. */
const withoutRegistration: ReadonlySet<string> = new Set(['100.150.200', '100.150.202']);

function policyOf({ parameters }: StoredJob): MisfirePolicy {
  const policy = parameters['job.misfirePolicy'];
  return policy === 'all' || policy === 'none' ? policy : 'latest';
}

/** Makes the payment of one planned moment, whose skipped predecessors are noted with it. */
async function fire(
  context: CoreContext,
  tx: Tx,
  job: StoredJob,
  { firedAtMs, skip }: { readonly firedAtMs: number; readonly skip: Skip | undefined },
): Promise<Fired> {
  const started = await beginPayment(context, tx, () =>
    prepareWithRegistration(context, tx, {
      registrationId: job.registrationId,
      checkoutId: null,
      parameters: paymentOf(job),
      caller: {},
    }),
  );
  const begun = started.ok ? started.value : null;
  const resultCode = started.ok ? started.value.payment.resultCode : started.response.result.code;
  const paymentId = begun?.payment.id ?? null;
  await tx`
    insert into job_runs (job_id, fired_at, payment_id, result_code)
    select ${job.id}::text, ${storedMoment(firedAtMs)}::text::timestamptz, ${paymentId}::text, ${resultCode}::text`;
  // Any other refusal, such as that of a connector that is missing, is about this payment only.
  const nextMs =
    begun === null && withoutRegistration.has(resultCode)
      ? undefined
      : nextFireWithin(job.expression, job, firedAtMs);
  await planNext(context, tx, job, { nextMs, skip });
  const run = {
    jobId: job.id,
    firedAt: responseTimestamp(firedAtMs),
    ...(paymentId === null ? {} : { paymentId }),
    resultCode,
    ...(skip === undefined ? {} : { skipped: shown(skip) }),
  };
  return { run, firedAtMs, begun };
}

function shown({ fires, fromMs, toMs }: Skip): SkippedFires {
  return { fires, from: responseTimestamp(fromMs), to: responseTimestamp(toMs) };
}

/** The parameters of the job that belong to its payments. */
function paymentOf(job: StoredJob): ParameterValues {
  const own = Object.entries(job.parameters).filter(([name]) => !name.startsWith('job.'));
  return { ...Object.fromEntries(own), ...(job.entityId === null ? {} : { entityId: job.entityId }) };
}

/** Stores the next planned moment of a job, without which it ends, and the gap that was skipped. */
async function planNext(
  context: CoreContext,
  tx: Tx,
  job: StoredJob,
  { nextMs, skip }: Pick<DueFires, 'nextMs' | 'skip'>,
): Promise<void> {
  const from = skip?.fromMs ?? job.skippedFrom;
  const to = skip?.toMs ?? job.skippedTo;
  const updated = await tx`
    update jobs set status = ${nextMs === undefined ? 'ended' : 'active'},
      next_run_at = ${nextMs === undefined ? null : storedMoment(nextMs)}::text::timestamptz,
      skipped_fires = least(skipped_fires::bigint + ${skip?.fires ?? 0}::int, 2147483647)::int,
      skipped_from = ${from === null ? null : storedMoment(from)}::text::timestamptz,
      skipped_to = ${to === null ? null : storedMoment(to)}::text::timestamptz,
      updated_at = ${sharedMoment(context, tx)}
    where id = ${job.id}`;
  mustHaveWritten(updated);
}

async function storeResult(context: CoreContext, { run, firedAtMs }: Fired, code: string): Promise<void> {
  if (run.resultCode === code) return;
  await inTransaction(context.sql, async (tx) => {
    const updated = await tx`
      update job_runs set result_code = ${code}
      where job_id = ${run.jobId} and fired_at = ${storedMoment(firedAtMs)}::text::timestamptz`;
    mustHaveWritten(updated);
  });
}
