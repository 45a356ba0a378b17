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

/** The values of each part of a schedule (catalogue 2.24), and the characters that it may have. */
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

/** As Quartz counts them: SUN is 1. */
const weekdays: readonly string[] = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const plainNumber = /^\d{1,4}$/;

function within(range: CronRange, text: string): boolean {
  return plainNumber.test(text) && Number(text) >= range.from && Number(text) <= range.to;
}

function isPoint(part: CronPart, text: string): boolean {
  return within(cronRanges[part], text) || (part === 'dayOfWeek' && weekdays.includes(text));
}

/** The number of a point of a field that `isCronField` accepts: 6 for `6` and for `FRI`. */
function pointOf(text: string): number {
  return plainNumber.test(text) ? Number(text) : weekdays.indexOf(text) + 1;
}

/** A range that ends before it begins, such as `FRI-MON` or `22-2/2`. */
function readBackwards(piece: string): { from: number; to: number; step: number } | undefined {
  const [, first, last, step = '1'] = /^(\w+)-(\w+)(?:\/(\d+))?$/.exec(piece) ?? [];
  if (first === undefined || last === undefined || first === 'L') return undefined;
  const [from, to] = [pointOf(first), pointOf(last)];
  return from > to ? { from, to, step: Number(step) } : undefined;
}

/**
 * A range that ends before it begins as a list of its points, as Quartz reads it: `FRI-MON` is `6,7,1,2`, and `22-2/2`
 * is `22,0,2`. Anything else stays as it is.
 */
export function unrollRange(part: CronPart, piece: string): string {
  const backwards = readBackwards(piece);
  if (backwards === undefined) return piece;
  const { from: lowest, to: highest } = cronRanges[part];
  const points: number[] = [];
  const size = highest - lowest + 1;
  for (let point = backwards.from; point <= backwards.to + size; point += backwards.step) {
    points.push(point > highest ? point - size : point);
  }
  return points.join(',');
}

/** Why a field that `isCronField` accepts cannot be computed; undefined if it can. Completes "<name> …". */
export function notComputable(part: CronPart, text: string): string | undefined {
  const pieces = text.split(',');
  if (part === 'year') {
    return pieces.some((piece) => readBackwards(piece) !== undefined)
      ? 'has a range of years that ends before it begins'
      : undefined;
  }
  if (part !== 'dayOfMonth') return undefined;
  if (pieces.some((piece) => piece.startsWith('L-'))) {
    return 'cannot count days back from the last day of the month (L-2); L and LW are supported';
  }
  return pieces.length > 1 && pieces.includes('LW') ? 'cannot have LW beside other days' : undefined;
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
  const read = splitExpression(expression);
  return read === undefined || wrongParts(read).length > 0 ? undefined : read;
}

/** Why a text that `readCronExpression` refuses is not an expression. Completes "<name> …", without quoting it. */
export function whyNotExpression(expression: string): string {
  const read = splitExpression(expression);
  if (read === undefined) {
    return `must have 6 or 7 fields between blanks, and this one has ${fieldsOf(expression).length}: ${cronOrder}`;
  }
  return `has ${wrongParts(read)
    .map((part) => `a wrong ${wordOf(part)} (${saysInExpression(part)})`)
    .join(' and ')}`;
}

function fieldsOf(expression: string): readonly string[] {
  return expression.split(/\s+/).filter((field) => field !== '');
}

function splitExpression(expression: string): Readonly<Record<CronPart, string>> | undefined {
  const fields = fieldsOf(expression);
  if (fields.length < 6 || fields.length > 7) return undefined;
  const [second = '', minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = '', year = '*'] =
    fields;
  return { second, minute, hour, dayOfMonth, month, dayOfWeek, year };
}

function wrongParts(read: Readonly<Record<CronPart, string>>): readonly CronPart[] {
  return cronParts.filter((part) => !isCronField(part, read[part]));
}

/** `dayOfMonth` in words: `day of month`. */
function wordOf(part: CronPart): string {
  return part.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** In an expression, a minute may have the symbols of a second, and a year is left out instead of empty. */
function saysInExpression(part: CronPart): string {
  return cronRanges[part === 'minute' ? 'second' : part].says.replace(/^empty or /, '');
}

/** The fields of an expression in their order, in words. */
export const cronOrder = cronParts.map(wordOf).join(', ');
