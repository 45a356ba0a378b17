import type { Tx } from '../../db/client.js';
import { changedEntity } from '../core/changed-entity.js';
import type { Caller, CoreContext } from '../core/core-context.js';
import type { ParameterValues } from '../fields/parameters.js';
import { checkRequest } from '../core/check-request.js';
import { storedMoment } from '../values/moments.js';
import { isMistakenZero, zeroAmount } from '../values/zero-amount.js';
import { readSharedMoment, sharedMoment } from '../core/shared-moment.js';
import { mustHaveWritten, reading } from '../core/transactions.js';
import { inKeyedTransaction, useKey } from '../idempotency/keyed-operation.js';
import { refuse } from '../responses/stamp-response.js';
import { splitSecrets } from '../secrets/split-secrets.js';
import { applyDefaults } from '../validation/apply-defaults.js';
import { validateParameters } from '../validation/validate-parameters.js';
import { impossible, planJob } from './create-job.js';
import { jobResponse, type JobResponse } from './job-response.js';
import { endAfterNotice, nextFireWithin, periodOf } from './job-times.js';
import { findJob, type StoredJob } from './stored-job.js';
import type { ReceivedParameters } from '../validation/receive-parameters.js';

/** @returns the job; 200.300.406 when it does not exist */
export async function getJob(context: CoreContext, id: string, caller: Caller): Promise<JobResponse> {
  const job = await reading(() => findJob(context, context.sql, { id, caller, lock: 'none' }));
  return job === undefined ? refuse(context, '200.300.406') : jobResponse(context, job);
}

/**
 * Changes an active job. Its past payments are not affected. A new time or start replaces the old time as a whole; with
 * any other change, a payment that is due already is still made. A job that was deleted with notice still ends then.
 * The changed job is validated as a whole, because its payments are made of all its parameters.
 *
 * @returns the job; 200.300.406 when it does not exist, 100.360.300 when it is no longer active, 200.300.404 when the
 *   changed job would violate a rule
 */
export async function updateJob(
  context: CoreContext,
  id: string,
  received: ReceivedParameters,
  caller: Caller,
): Promise<JobResponse> {
  const shape = { kind: 'job', caller, options: { partial: true } } as const;
  const checked = checkRequest(context, received, shape);
  if (!checked.ok) return checked.response;
  const changes = splitSecrets(checked.value).open;
  return inKeyedTransaction(context, async (tx) => {
    const job = await findJob(context, tx, { id, caller, lock: 'update' });
    if (job === undefined) return refuse(context, '200.300.406');
    if (job.status !== 'active') return refuse(context, '100.360.300');
    const { environment, schemeOf } = context;
    const whole = { ...withoutTime(job.parameters), ...changes };
    const errors = [
      ...validateParameters('job', whole, { environment, schemeOf }),
      ...changedEntity(changes, job),
    ];
    if (errors.length > 0) return refuse(context, '200.300.404', errors);
    const merged = mergeChanges(context, job.parameters, changes);
    if (isMistakenZero(merged)) return refuse(context, zeroAmount);
    const now = await readSharedMoment(context, tx);
    const planned = planJob(context, merged, job.startsAt, {
      afterMs: Object.keys(changes).some(isTime) ? now : beforeNext(job, now),
      endsBy: agreedEnd(job),
    });
    if (!planned.ok) return planned.response;
    return store(context, tx, { ...job, parameters: merged, ...planned.value });
  });
}

/**
 * Ends a job immediately, or after the agreed notice (job.notice*). Until then the job continues.
 *
 * @returns the job; 200.300.406 when it does not exist, 100.360.303 when it has already ended, 100.250.120 when its
 *   notice ends after the year 9999
 */
export async function deleteJob(context: CoreContext, id: string, caller: Caller): Promise<JobResponse> {
  return inKeyedTransaction(context, async (tx) => {
    const job = await findJob(context, tx, { id, caller, lock: 'update' });
    if (job === undefined) return refuse(context, '200.300.406');
    if (job.status !== 'active') return refuse(context, '100.360.303');
    const now = await readSharedMoment(context, tx);
    const end = endOfDeleted(job, now);
    if (end === undefined) return refuse(context, impossible);
    const endsAt = job.endsAt === null ? end : Math.min(end, job.endsAt);
    const next =
      end <= now
        ? undefined
        : nextFireWithin(job.expression, { startsAt: job.startsAt, endsAt }, beforeNext(job, now));
    return store(context, tx, {
      ...job,
      endsAt,
      nextRunAt: next ?? null,
      status: next === undefined ? 'deleted' : 'active',
    });
  });
}

/** The last moment of a job that is deleted now; undefined for a notice of an earlier version that is too long. */
function endOfDeleted({ parameters, startsAt }: StoredJob, nowMs: number): number | undefined {
  try {
    return endAfterNotice(parameters, startsAt, nowMs);
  } catch {
    return undefined;
  }
}

/** The moment before the planned run, which may be due already, so that this run is planned again. */
function beforeNext({ nextRunAt }: StoredJob, nowMs: number): number {
  return nextRunAt === null ? nowMs : nextRunAt - 1;
}

/** The end of a job that was deleted with notice: it is earlier than the end that its parameters set. */
function agreedEnd({ parameters, startsAt, endsAt }: StoredJob): number | null {
  if (endsAt === null) return null;
  const own = periodOf(parameters, startsAt).endsAt;
  return own === null || endsAt < own ? endsAt : null;
}

function isTime(name: string): boolean {
  return name === 'job.startDate' || timeField.test(name);
}

const timeField = /^job\.(?:second|minute|hour|dayOfMonth|month|dayOfWeek|year|expression)$/;

function mergeChanges(
  context: CoreContext,
  before: ParameterValues,
  changes: ParameterValues,
): ParameterValues {
  const changesTime = Object.keys(changes).some((name) => timeField.test(name));
  if (!changesTime) return { ...before, ...changes };
  return applyDefaults('job', { ...withoutTime(before), ...changes }, { environment: context.environment });
}

/** The stored time is complete and computed; the one that a request names is not. */
function withoutTime(parameters: ParameterValues): ParameterValues {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !timeField.test(name)));
}

async function store(context: CoreContext, tx: Tx, job: StoredJob): Promise<JobResponse> {
  const written = await tx`
    update jobs set expression = ${job.expression}, parameters = ${JSON.stringify(job.parameters)}::text::jsonb,
      name = ${job.parameters['job.name'] ?? null}, status = ${job.status},
      starts_at = ${storedMoment(job.startsAt)}::text::timestamptz,
      ends_at = ${job.endsAt === null ? null : storedMoment(job.endsAt)}::text::timestamptz,
      next_run_at = ${job.nextRunAt === null ? null : storedMoment(job.nextRunAt)}::text::timestamptz,
      updated_at = ${sharedMoment(context, tx)}
    where id = ${job.id}`;
  mustHaveWritten(written);
  await useKey(context, tx, 'job', job.id);
  return jobResponse(context, job);
}
