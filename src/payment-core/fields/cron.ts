/**
 * The cron dialect of job.* (catalogue 2.24): seven fields, seconds first, `?` for "no particular day".
 * This file only checks the notation. `jobs/job-times.ts` computes when a job fires.
 */

export type CronPart = 'second' | 'minute' | 'hour' | 'dayOfMonth' | 'month' | 'dayOfWeek' | 'year';

/** The order of the fields of an expression. The last one may be omitted. */
export const cronParts: readonly CronPart[] = [
  'second',
  'minute',
  'hour',
  'dayOfMonth',
  'month',
  'dayOfWeek',
  'year',
];

interface CronRange {
  readonly from: number;
  readonly to: number;
  /** Completes "must be …". */
  readonly says: string;
}

export const cronRanges: Readonly<Record<CronPart, CronRange>> = {
  second: { from: 0, to: 59, says: '0-59, with comma, hyphen, asterisk and slash' },
  minute: { from: 0, to: 59, says: 'a number 0-59' },
  hour: { from: 0, to: 23, says: '0-23, with comma, hyphen, asterisk and slash' },
  dayOfMonth: { from: 1, to: 31, says: '1-31, with comma, hyphen, asterisk, question mark, slash, L and W' },
  month: { from: 1, to: 12, says: '1-12, with comma, hyphen, asterisk and slash' },
  dayOfWeek: {
    from: 1,
    to: 7,
    says: '1-7 or SUN-SAT, with comma, hyphen, asterisk, question mark, slash, L and number sign',
  },
  year: { from: 1970, to: 2099, says: 'empty or 1970-2099, with comma, hyphen, asterisk and slash' },
};

const weekdays: ReadonlySet<string> = new Set(['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']);
const plainNumber = /^\d{1,4}$/;

function within(range: CronRange, text: string): boolean {
  return plainNumber.test(text) && Number(text) >= range.from && Number(text) <= range.to;
}

function isPoint(part: CronPart, text: string): boolean {
  return within(cronRanges[part], text) || (part === 'dayOfWeek' && weekdays.has(text));
}

function isSpecialDay(part: CronPart, text: string): boolean {
  if (part === 'dayOfMonth') {
    if (text === 'L' || text === 'LW') return true;
    if (text.startsWith('L-')) return within({ ...cronRanges.dayOfMonth, to: 30 }, text.slice(2));
    return text.endsWith('W') && isPoint(part, text.slice(0, -1));
  }
  if (part !== 'dayOfWeek') return false;
  if (text === 'L') return true;
  if (text.endsWith('L')) return isPoint(part, text.slice(0, -1));
  const [day = '', ordinal = '', ...more] = text.split('#');
  return more.length === 0 && isPoint(part, day) && /^[1-5]$/.test(ordinal);
}

/** `*`, `5`, `1-5`, each with an optional step `/n`. */
function isStretch(part: CronPart, text: string): boolean {
  const [base = '', step, ...more] = text.split('/');
  if (more.length > 0) return false;
  if (step !== undefined && !within({ ...cronRanges[part], from: 1 }, step)) return false;
  if (base === '*') return true;
  const ends = base.split('-');
  return ends.length <= 2 && ends.every((end) => isPoint(part, end));
}

/** Whether the text is one field of a cron expression. `?` is allowed in the two day fields. */
function isCronField(part: CronPart, text: string): boolean {
  if (text === '') return part === 'year';
  if (text === '?') return part === 'dayOfMonth' || part === 'dayOfWeek';
  return text.split(',').every((piece) => isStretch(part, piece) || isSpecialDay(part, piece));
}

/** Whether the text may be sent as `job.<part>`: the same as in an expression, except that a minute is a number. */
export function isJobField(part: CronPart, text: string): boolean {
  return part === 'minute' ? within(cronRanges.minute, text) : isCronField(part, text);
}

/** The fields of an expression by name, `*` for an omitted year; undefined for any other text. */
export function readCronExpression(expression: string): Readonly<Record<CronPart, string>> | undefined {
  const fields = expression.trim().split(/\s+/);
  if (fields.length < 6 || fields.length > 7) return undefined;
  const [second = '', minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = '', year = '*'] =
    fields;
  const read: Record<CronPart, string> = { second, minute, hour, dayOfMonth, month, dayOfWeek, year };
  return cronParts.every((part) => isCronField(part, read[part])) ? read : undefined;
}
