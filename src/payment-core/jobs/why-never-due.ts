import type { ParameterName } from '../fields/parameter-names.js';
import type { ParameterValues } from '../fields/parameters.js';
import type { ParameterError } from '../validation/parameter-error.js';
import { responseTimestamp } from '../values/moments.js';
import { endAfterNotice, nextFire, periodOf, type JobPeriod } from './job-times.js';

/**
 * Which parameter to change of a job that would never run.
 *
 * @param expression the seven Quartz fields of the job
 * @param afterMs the next run is later than this
 */
export function whyNeverDue(
  request: ParameterValues,
  expression: string,
  { startsAt, endsAt }: JobPeriod,
  afterMs: number,
): readonly ParameterError[] {
  const next = nextFire(expression, Math.max(afterMs, startsAt - 1));
  if (next === undefined)
    return errorOf(request, timeOf(request), 'names no time after the start of the job');
  // The duration may repeat, and so end nothing.
  if (endsAt === null || endsAt !== periodOf(request, startsAt).endsAt) {
    return errorOf(
      request,
      timeOf(request),
      'names no time before the end of the job, which was deleted with notice',
    );
  }
  const isByDate = responseTimestamp(endsAt).startsWith(request['job.endDate'] ?? '-');
  const name = isByDate ? 'job.endDate' : 'job.durationNumber';
  return errorOf(
    request,
    name,
    `ends the job before its next payment, which is due at ${responseTimestamp(next)}`,
  );
}

/** Which parameter makes the times of a job impossible: its duration or its notice ends after the year 9999. */
export function whyImpossible(request: ParameterValues, nowMs: number): readonly ParameterError[] {
  const { 'job.durationNumber': _duration, ...withoutDuration } = request;
  const isPossible = (parameters: ParameterValues) => {
    try {
      endAfterNotice(parameters, periodOf(parameters, nowMs).startsAt, nowMs);
      return true;
    } catch {
      return false;
    }
  };
  const tooLarge = 'is too large: its end is after the year 9999';
  if (!isPossible(withoutDuration)) return errorOf(request, 'job.noticeNumber', tooLarge);
  if (!isPossible(request)) return errorOf(request, 'job.durationNumber', tooLarge);
  return errorOf(request, timeOf(request), 'cannot be computed');
}

/** Where the time of a job was named; its fields have defaults, and the expression overwrites them. */
function timeOf(request: ParameterValues): ParameterName {
  if (request['job.expression'] !== undefined) return 'job.expression';
  const isOneYear = /^\d/.test(request['job.year'] ?? '');
  return isOneYear || request['job.dayOfMonth'] === '?' ? 'job.year' : 'job.dayOfMonth';
}

function errorOf(request: ParameterValues, name: ParameterName, reason: string): readonly ParameterError[] {
  return [{ name, value: request[name] ?? null, message: `${name} ${reason}` }];
}
