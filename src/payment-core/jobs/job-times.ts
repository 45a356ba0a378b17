import { Cron } from 'croner';
import { Temporal } from 'temporal-polyfill';
import { cronParts, cronRanges, unrollRange, type CronPart } from '../fields/cron.js';
import type { ParameterValues } from '../fields/parameters.js';

/** The seven Quartz fields of a job, after its defaults were applied. */
export function expressionOf(parameters: ParameterValues): string {
  return cronParts.map((part) => parameters[`job.${part}`] ?? '*').join(' ');
}

/**
 * The first moment after `afterMs`, in epoch milliseconds, at which a Quartz expression fires in UTC;
 * undefined when it never fires again. Days of the week count from SUN=1.
 *
 * @throws Error for an expression that cannot be computed (`notComputable`)
 */
export function nextFire(expression: string, afterMs: number): number | undefined {
  return openSchedule(expression).nextRun(new Date(afterMs))?.getTime();
}

function openSchedule(expression: string): Cron {
  return new Cron(inCroner(expression), {
    alternativeWeekdays: true,
    sloppyRanges: true,
    timezone: 'UTC',
    paused: true,
  });
}

/** The last moment up to and including `untilMs` at which it fires; undefined when it never fired. */
export function lastFireUntil(expression: string, untilMs: number): number | undefined {
  // croner excludes the second of the reference, so the reference is one second later.
  return openSchedule(expression)
    .previousRuns(1, new Date(untilMs + 1000))[0]
    ?.getTime();
}

/** `?` means any day, since the other day field restricts it. */
function inCroner(expression: string): string {
  return expression
    .split(' ')
    .map((field, index) => {
      const part = cronParts[index];
      if (field === '?' || part === undefined) return '*';
      return field
        .split(',')
        .map((piece) => pieceInCroner(part, piece))
        .join(',');
    })
    .join(' ');
}

/** `L` without a day is the last day of the week. Steps of years begin in 1970 as in Quartz, not in 0. */
function pieceInCroner(part: CronPart, piece: string): string {
  if (part === 'dayOfWeek' && piece === 'L') return '7';
  const unrolled = unrollRange(part, piece);
  const { from, to } = cronRanges.year;
  return part === 'year' ? unrolled.replace(/^\*\//, `${from}-${to}/`) : unrolled;
}

/** `yyyy-MM-dd HH:mm:ss` as a moment in UTC. */
function readMoment(text: string): number {
  return Temporal.PlainDateTime.from(text.replace(' ', 'T')).toZonedDateTime('UTC').epochMilliseconds;
}

const units: Readonly<
  Record<string, 'years' | 'months' | 'weeks' | 'days' | 'hours' | 'minutes' | 'seconds'>
> = {
  YEAR: 'years',
  MONTH: 'months',
  WEEK: 'weeks',
  DAY: 'days',
  HOUR: 'hours',
  MINUTE: 'minutes',
  SECOND: 'seconds',
};

/** Years have four digits, in the database and in answers. */
const lastMoment = Date.UTC(9999, 11, 31, 23, 59, 59);

/**
 * A moment that is some calendar units later: a month after 31 January is the end of February.
 *
 * @throws RangeError for a moment that no calendar covers, or after the year 9999
 */
function later(fromMs: number, number: number, unit: string): number {
  const name = units[unit];
  if (name === undefined) throw new RangeError('unknown unit');
  const { epochMilliseconds } = Temporal.Instant.fromEpochMilliseconds(fromMs)
    .toZonedDateTimeISO('UTC')
    .add({ [name]: number });
  if (epochMilliseconds > lastMoment) throw new RangeError('after the year 9999');
  return epochMilliseconds;
}

/**
 * The first end of a period at `earliest` or later. Each end is counted from the start, so a month that starts on the
 * 31st ends on the last day of every month. Halving finds it, since there may be billions of periods before it.
 */
function endOfPeriod(startsAt: number, number: number, unit: string, earliest: number): number {
  if (earliest <= startsAt) return startsAt;
  const endOf = (periods: number) => later(startsAt, periods * number, unit);
  let [before, found] = [0, 1];
  while (endOf(found) < earliest) [before, found] = [found, found * 2];
  while (found - before > 1) {
    const middle = Math.floor((before + found) / 2);
    if (endOf(middle) < earliest) before = middle;
    else found = middle;
  }
  return endOf(found);
}

/** The start of a job and, unless it continues until it is deleted, the last moment that belongs to it. */
export interface JobPeriod {
  readonly startsAt: number;
  readonly endsAt: number | null;
}

/**
 * A duration does not contain the moment at which it ends: twelve months have twelve monthly payments, and the next
 * moment would belong to the next period.
 */
function lastOfDuration(endMs: number): number {
  return endMs - 1;
}

/** Without its unit, a number is not a notice: nobody could end the job in time. */
function hasNotice(parameters: ParameterValues): boolean {
  return parameters['job.noticeNumber'] !== undefined && parameters['job.noticeUnit'] !== undefined;
}

/**
 * The period of a job (catalogue 2.24): from job.startDate, or now, until job.endDate, which belongs to it. A duration
 * also ends it, unless a notice is agreed: then the duration repeats until the job is deleted.
 *
 * @throws RangeError for a duration that no calendar covers
 */
export function periodOf(parameters: ParameterValues, nowMs: number): JobPeriod {
  const start = parameters['job.startDate'];
  const end = parameters['job.endDate'];
  const startsAt = start === undefined ? nowMs : readMoment(start);
  const ends = end === undefined ? [] : [readMoment(end)];
  const number = parameters['job.durationNumber'];
  const unit = parameters['job.durationUnit'];
  if (number !== undefined && unit !== undefined && !hasNotice(parameters)) {
    ends.push(lastOfDuration(later(startsAt, Number(number), unit)));
  }
  return { startsAt, endsAt: ends.length === 0 ? null : Math.min(...ends) };
}

/**
 * The last moment of a job that is deleted now: now without a notice; with ANYTIME the end of the notice; with
 * DURATION_END the end of the current period, or of the next one when the notice is too late for the current one.
 *
 * @throws RangeError for a notice or duration that no calendar covers
 */
export function endAfterNotice(parameters: ParameterValues, startsAt: number, nowMs: number): number {
  const noticeNumber = parameters['job.noticeNumber'];
  const noticeUnit = parameters['job.noticeUnit'];
  if (noticeNumber === undefined || noticeUnit === undefined) return nowMs;
  const earliest = later(nowMs, Number(noticeNumber), noticeUnit);
  const number = parameters['job.durationNumber'];
  const unit = parameters['job.durationUnit'];
  const atPeriodEnd = parameters['job.noticeCallable'] === 'DURATION_END';
  if (!atPeriodEnd || number === undefined || unit === undefined || Number(number) === 0) {
    return lastOfDuration(earliest);
  }
  return lastOfDuration(endOfPeriod(startsAt, Number(number), unit, earliest));
}

/**
 * The last moment of a stored job. Earlier versions counted the end of a duration as part of it, so that such a job
 * would make a thirteenth payment after twelve months. If the end is exactly that of a duration, its moment does not
 * belong to the job; if it is job.endDate, it does.
 */
export function exclusiveEnd(parameters: ParameterValues, { startsAt, endsAt }: JobPeriod): number | null {
  const number = Number(parameters['job.durationNumber'] ?? '0');
  const unit = parameters['job.durationUnit'];
  if (endsAt === null || unit === undefined || !(number > 0)) return endsAt;
  try {
    const own = periodOf(parameters, startsAt).endsAt;
    if (endsAt === own) return endsAt;
    // With a notice, the duration repeats, and the job was deleted to the end of one of its periods.
    const end = hasNotice(parameters)
      ? endOfPeriod(startsAt, number, unit, endsAt)
      : later(startsAt, number, unit);
    return endsAt === end ? lastOfDuration(end) : endsAt;
  } catch {
    // No calendar has the end of this duration.
    return endsAt;
  }
}

/** The next fire after `afterMs` within the period. */
export function nextFireWithin(expression: string, period: JobPeriod, afterMs: number): number | undefined {
  // A fire exactly at the start belongs to the job.
  const next = nextFire(expression, Math.max(afterMs, period.startsAt - 1));
  return next === undefined || (period.endsAt !== null && next > period.endsAt) ? undefined : next;
}
