import type { CoreContext, Parameters } from '../core/core-context.js';
import { responseTimestamp, storedMoment } from '../core/moments.js';
import { inTransaction, mustHaveWritten, within, type CoreTx } from '../core/transactions.js';
import { beginPayment, finishPayment, type BegunPayment } from '../payments/process-payment.js';
import { prepareWithRegistration } from '../registrations/pay-with-registration.js';
import { nextFireWithin } from './job-times.js';
import { readJob, selectJob, type JobRow, type StoredJob } from './stored-job.js';

/** What a fire of a job came to. */
export interface JobRun {
  readonly jobId: string;
  /** The planned moment, `yyyy-MM-dd HH:mm:ss+0000`. */
  readonly firedAt: string;
  /** Missing when no payment could be made, for example because the registration is gone. */
  readonly paymentId?: string;
  readonly resultCode: string;
}

/**
 * Makes the payments of all jobs that are due, those of missed fires included, each exactly once: the fire, its
 * payment and the next run are one transaction, and any number of processes may call it at the same time. A
 * job whose registration is gone ends.
 *
 * @param nowMs epoch milliseconds, the clock's unless given
 */
export async function runDueJobs(context: CoreContext, nowMs = context.clock()): Promise<JobRun[]> {
  const runs: JobRun[] = [];
  for (;;) {
    const fired = await inTransaction(context.sql, (tx) => fireNext(context, tx, nowMs));
    if (fired === undefined) return runs;
    const response = fired.begun === null ? undefined : await finishPayment(context, fired.begun);
    runs.push({ ...fired.run, resultCode: response?.result.code ?? fired.run.resultCode });
    if (response !== undefined) await rememberResult(context, fired, response.result.code);
  }
}

interface Fired {
  readonly run: JobRun;
  readonly firedAtMs: number;
  readonly begun: BegunPayment | null;
}

async function fireNext(context: CoreContext, tx: CoreTx, nowMs: number): Promise<Fired | undefined> {
  const [row] = await tx.sql<JobRow[]>`
    select ${selectJob(tx.sql)} from jobs
    where environment = ${context.environment} and status = 'active'
      and next_run_at <= ${storedMoment(nowMs)}::text::timestamptz
    order by next_run_at, id limit 1 for update skip locked`;
  if (row === undefined) return undefined;
  const job = readJob(row);
  const firedAtMs = job.nextRunAt ?? nowMs;
  const started = await beginPayment(context, tx, () =>
    prepareWithRegistration(context, tx, job.registrationId, paymentOf(job), {}),
  );
  const begun = started.ok ? started.value : null;
  const resultCode = started.ok ? started.value.payment.resultCode : started.response.result.code;
  const paymentId = begun?.payment.id ?? null;
  const recorded = await tx.sql`
    insert into job_runs (job_id, fired_at, payment_id, result_code)
    select ${job.id}::text, ${storedMoment(firedAtMs)}::text::timestamptz, ${paymentId}::text, ${resultCode}::text
    where ${within(tx)}`;
  mustHaveWritten(recorded);
  await planNext(context, tx, job, firedAtMs, begun !== null);
  const run = { jobId: job.id, firedAt: responseTimestamp(firedAtMs), resultCode };
  return { run: paymentId === null ? run : { ...run, paymentId }, firedAtMs, begun };
}

/** The job's parameters that are the payment's. */
function paymentOf(job: StoredJob): Parameters {
  const own = Object.entries(job.parameters).filter(([name]) => !name.startsWith('job.'));
  return { ...Object.fromEntries(own), ...(job.entityId === null ? {} : { entityId: job.entityId }) };
}

async function planNext(
  context: CoreContext,
  tx: CoreTx,
  job: StoredJob,
  firedAtMs: number,
  goesOn: boolean,
): Promise<void> {
  const next = goesOn ? nextFireWithin(job.expression, job, firedAtMs) : undefined;
  const updated = await tx.sql`
    update jobs set status = ${next === undefined ? 'ended' : 'active'},
      next_run_at = ${next === undefined ? null : storedMoment(next)}::text::timestamptz,
      updated_at = ${storedMoment(context.clock())}::text::timestamptz
    where id = ${job.id} and ${within(tx)}`;
  mustHaveWritten(updated);
}

async function rememberResult(context: CoreContext, { run, firedAtMs }: Fired, code: string): Promise<void> {
  if (run.resultCode === code) return;
  await inTransaction(context.sql, async (tx) => {
    const updated = await tx.sql`
      update job_runs set result_code = ${code}
      where job_id = ${run.jobId} and fired_at = ${storedMoment(firedAtMs)}::text::timestamptz and ${within(tx)}`;
    mustHaveWritten(updated);
  });
}
