import type { Caller, CoreContext } from '../core/core-context.js';
import type { ParameterValues } from '../fields/parameters.js';
import { accepted, checkRequest, rejected, type Checked } from '../core/check-request.js';
import { newId } from '../values/identifiers.js';
import { storedMoment } from '../values/moments.js';
import { isMistakenZero, zeroAmount } from '../values/zero-amount.js';
import { readSharedMoment } from '../core/shared-moment.js';
import { inKeyedTransaction, useKey } from '../idempotency/keyed-operation.js';
import { findUsableRegistration } from '../stored-registrations/find-registration.js';
import { refuse } from '../responses/stamp-response.js';
import { splitSecrets } from '../secrets/split-secrets.js';
import { jobResponse, type JobResponse } from './job-response.js';
import { endAfterNotice, expressionOf, nextFireWithin, periodOf, type JobPeriod } from './job-times.js';
import type { StoredJob } from './stored-job.js';
import { whyImpossible, whyNeverDue } from './why-never-due.js';
import type { ParameterError } from '../validation/parameter-error.js';
import type { ReceivedParameters } from '../validation/receive-parameters.js';

/** The code for times that are well-formed but that no calendar has. */
export const impossible = '100.250.120';

/**
 * Schedules payments with a registration (catalogue 2.24): a DB unless paymentType names another type, by default
 * as a recurring payment by the merchant (standingInstruction REPEATED, MIT, RECURRING). Times are UTC.
 *
 * @returns the job; 100.150.200 or 100.150.202 without its registration, 100.250.120 for times that cannot be
 *   computed, 100.250.110 when it would never run, 100.550.300 for an amount of zero
 */
export async function createJob(
  context: CoreContext,
  registrationId: string,
  received: ReceivedParameters,
  caller: Caller,
): Promise<JobResponse> {
  const found = missingAmount(received);
  const checked = checkRequest(context, received, { kind: 'job', caller, found });
  if (!checked.ok) return checked.response;
  const request = withPaymentDefaults(splitSecrets(checked.value).open);
  if (isMistakenZero(request)) return refuse(context, zeroAmount);
  const now = await readSharedMoment(context, context.sql);
  const planned = planJob(context, request, now);
  if (!planned.ok) return planned.response;
  return inKeyedTransaction(context, async (tx) => {
    const registration = await findUsableRegistration(context, tx, {
      id: registrationId,
      caller,
      lock: 'share',
    });
    if (!registration.ok) return registration.response;
    const job: StoredJob = {
      id: newId(context.random),
      registrationId,
      entityId: request['entityId'] ?? registration.value.entityId,
      parameters: request,
      status: 'active',
      skippedFires: 0,
      skippedFrom: null,
      skippedTo: null,
      ...planned.value,
    };
    await tx`
      insert into jobs (id, environment, entity_id, registration_id, name, expression, parameters, status,
        starts_at, ends_at, next_run_at, created_at, updated_at)
      select ${job.id}::text, ${context.environment}::text, ${job.entityId}::text, ${registrationId}::text,
        ${request['job.name'] ?? null}::text, ${job.expression}::text, ${JSON.stringify(request)}::text::jsonb,
        'active', ${storedMoment(job.startsAt)}::text::timestamptz,
        ${job.endsAt === null ? null : storedMoment(job.endsAt)}::text::timestamptz,
        ${job.nextRunAt === null ? null : storedMoment(job.nextRunAt)}::text::timestamptz,
        ${storedMoment(now)}::text::timestamptz, ${storedMoment(now)}::text::timestamptz`;
    await useKey(context, tx, 'job', job.id);
    return jobResponse(context, job);
  });
}

/** A new job needs both; a change of one needs neither. If only one is missing, a rule of the fields reports it. */
function missingAmount({ values }: ReceivedParameters): readonly ParameterError[] {
  const names = ['amount', 'currency'] as const;
  return names.every((name) => values[name] === undefined)
    ? names.map((name) => ({ name, value: null, message: `${name} is required` }))
    : [];
}

/** When a job fires. Moments are epoch milliseconds; `nextRunAt` is null once it does not fire any more. */
export interface JobPlan extends JobPeriod {
  readonly expression: string;
  readonly nextRunAt: number | null;
}

/** What limits the plan of a job that exists already. */
interface PlanLimits {
  /** The next run is later than this; by default it may be now. */
  readonly afterMs?: number;
  /** The job ends at this moment at the latest; null or missing when only its parameters end it. */
  readonly endsBy?: number | null;
}

/** The first run of a job, or the code that refuses the job. */
export function planJob(
  context: CoreContext,
  request: ParameterValues,
  nowMs: number,
  { afterMs = nowMs - 1, endsBy = null }: PlanLimits = {},
): Checked<JobPlan> {
  const expression = expressionOf(request);
  try {
    const own = periodOf(request, nowMs);
    const ends = [own.endsAt, endsBy].filter((end) => end !== null);
    const period = { ...own, endsAt: ends.length === 0 ? null : Math.min(...ends) };
    // A notice that never expires would make a job that nobody can end.
    endAfterNotice(request, period.startsAt, nowMs);
    const next = nextFireWithin(expression, period, afterMs);
    return next === undefined
      ? rejected(refuse(context, '100.250.110', whyNeverDue(request, expression, period, afterMs)))
      : accepted({ expression, ...period, nextRunAt: next });
  } catch {
    // croner and the calendar refuse times that are well-formed but impossible.
    return rejected(refuse(context, impossible, whyImpossible(request, nowMs)));
  }
}

/** The defaults of a scheduled payment. */
function withPaymentDefaults(parameters: ParameterValues): ParameterValues {
  const saysHow = Object.keys(parameters).some((name) => name.startsWith('standingInstruction.'));
  return {
    paymentType: 'DB',
    ...(saysHow
      ? {}
      : {
          'standingInstruction.mode': 'REPEATED',
          'standingInstruction.source': 'MIT',
          'standingInstruction.type': 'RECURRING',
        }),
    ...parameters,
  };
}
