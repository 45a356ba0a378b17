import type { CoreContext } from '../core/core-context.js';
import { readAmount, writeAmount } from '../values/amounts.js';
import { responseTimestamp } from '../values/moments.js';
import { optional } from '../responses/optional-member.js';
import type { EchoedGroup } from '../responses/echoed-group.js';
import { nestParameters } from '../responses/nest-parameters.js';
import { resultOf, stampResponse } from '../responses/stamp-response.js';
import type { ErrorResponse } from '../responses/response-types.js';
import type { StoredJob } from './stored-job.js';

/** `fires` is the total; `from` and `to` are the planned moments of the last gap. */
export interface SkippedFires {
  /** Payments that were not made, over the life of the job. */
  readonly fires: number;
  /** `yyyy-MM-dd HH:mm:ss+0000`. */
  readonly from: string;
  /** `yyyy-MM-dd HH:mm:ss+0000`; the same as `from` for one fire. */
  readonly to: string;
}

/** A scheduled job (catalogue 2.24). Moments are `yyyy-MM-dd HH:mm:ss+0000`. */
export interface JobResponse extends ErrorResponse {
  /** The registration that pays: 32 letters or digits. */
  readonly registrationId?: string;
  /** `ended`: nothing more is due. `deleted`: it was ended on request. */
  readonly status?: 'active' | 'ended' | 'deleted';
  /** Seven Quartz fields, seconds first. */
  readonly expression?: string;
  /** The parameters `job.*` of the request, nested. */
  readonly job?: EchoedGroup<'job'>;
  /** PA, DB or CD: what each fire makes. */
  readonly paymentType?: string;
  /** Of each payment, with two decimals. */
  readonly amount?: string;
  /** A code of ISO 4217. */
  readonly currency?: string;
  /** Missing when it will not run again. */
  readonly nextRunAt?: string;
  /** When it ends; missing when it continues until it is deleted. */
  readonly endsAt?: string;
  /** Missed fires that the job's misfire policy left out. */
  readonly skipped?: SkippedFires;
}

/** The stored job as the API answers with it. */
export function jobResponse(context: CoreContext, job: StoredJob): JobResponse {
  const { parameters } = job;
  const { job: nested } = nestParameters(parameters);
  return {
    id: job.id,
    registrationId: job.registrationId,
    status: job.status,
    expression: job.expression,
    // All names of the catalogue that begin with it have a second part.
    ...(nested === undefined ? {} : { job: nested as EchoedGroup<'job'> }),
    ...optional('paymentType', parameters['paymentType']),
    ...optional('amount', amountOf(parameters)),
    ...optional('currency', parameters['currency']),
    ...(job.nextRunAt === null ? {} : { nextRunAt: responseTimestamp(job.nextRunAt) }),
    ...(job.endsAt === null ? {} : { endsAt: responseTimestamp(nextSecond(job.endsAt)) }),
    ...skippedOf(job),
    result: resultOf('000.000.100'),
    ...stampResponse(context),
  };
}

/** A duration ends a millisecond after its last moment; answers have no fractions of a second. */
function nextSecond(epochMs: number): number {
  return Math.ceil(epochMs / 1000) * 1000;
}

/** Two decimals, as in every answer (operations 2.5). */
function amountOf({ amount }: StoredJob['parameters']): string | undefined {
  const minor = readAmount(amount);
  return minor === undefined ? undefined : writeAmount(minor);
}

function skippedOf({ skippedFires, skippedFrom, skippedTo }: StoredJob): { readonly skipped?: SkippedFires } {
  if (skippedFrom === null || skippedTo === null) return {};
  const [from, to] = [responseTimestamp(skippedFrom), responseTimestamp(skippedTo)];
  return { skipped: { fires: skippedFires, from, to } };
}
