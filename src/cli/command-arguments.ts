import { ReconError } from '../errors.js';
import { isCalendarDate, type CalendarDate } from '../values/calendar-date.js';

/** Options as commander gives them; each reader checks one and names it when it is wrong. */
export type Options = Readonly<Record<string, unknown>>;

function usage(message: string): ReconError {
  return new ReconError('USAGE_INVALID', message);
}

export function textOption(options: Options, name: string): string | null {
  const value = options[name];
  return typeof value === 'string' ? value : null;
}

export function listOption(options: Options, name: string): string[] {
  const value = options[name];
  return Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [];
}

/** @throws ReconError USAGE_INVALID unless the text is a day that exists. */
export function dateOption(options: Options, name: string): CalendarDate | null {
  const text = textOption(options, name);
  if (text === null) return null;
  if (!isCalendarDate(text)) {
    throw usage(`--${dashed(name)} must be a day that exists, written yyyy-MM-dd; "${text}" is not.`);
  }
  return text;
}

/** Both ends of a range, or null when neither is given. */
export function rangeOptions(options: Options): { from: CalendarDate; to: CalendarDate } | null {
  const [from, to] = [dateOption(options, 'from'), dateOption(options, 'to')];
  if (from === null && to === null) return null;
  if (from === null || to === null) throw usage('--from and --to go together.');
  if (from > to) throw usage(`--from ${from} is later than --to ${to}.`);
  return { from, to };
}

export function countOption(options: Options, name: string, fallback: number): number {
  const text = textOption(options, name);
  if (text === null) return fallback;
  if (!/^[1-9]\d{0,6}$/.test(text))
    throw usage(`--${dashed(name)} must be a whole number from 1; "${text}" is not.`);
  return Number(text);
}

export function choiceOption<T extends string>(
  options: Options,
  name: string,
  choices: readonly T[],
): T | null {
  const text = textOption(options, name);
  if (text === null) return null;
  const found = choices.find((choice) => choice === text);
  if (found === undefined)
    throw usage(`--${dashed(name)} must be one of ${choices.join(', ')}; "${text}" is not.`);
  return found;
}

export const severities = ['error', 'warning', 'info'] as const;
export type Severity = (typeof severities)[number];

const dashed = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
