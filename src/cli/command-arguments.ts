import { userInfo } from 'node:os';
import { suggestion } from '../values/closest-name.js';
import { readEnvironment, type EnvironmentVariables } from '../config/environment.js';
import { ReconError } from '../errors.js';
import { isCalendarDate, type CalendarDate } from '../values/calendar-date.js';
import { runId, type RunId } from '../values/ids.js';
import { maskCardNumbers } from '../values/mask-card-numbers.js';

/** Options as commander returns them; each function checks one, and names it if it is wrong. */
export type Options = Readonly<Record<string, unknown>>;

/** An error that ends the command with exit code 2. */
export function usageError(message: string): ReconError {
  return new ReconError('USAGE_INVALID', message);
}

/** Null if the option was not given. */
export function textOption(options: Options, name: string): string | null {
  const value = options[name];
  return typeof value === 'string' ? value : null;
}

/** The values of an option that may be given several times; empty if it was not given. */
export function listOption(options: Options, name: string): string[] {
  const value = options[name];
  return Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [];
}

/** Whether an option without a value was given. */
export function isGiven(options: Options, name: string): boolean {
  return options[name] === true;
}

/** @throws ReconError USAGE_INVALID unless the text is an existing day from 1900 to 2099. */
export function dateOption(options: Options, name: string): CalendarDate | null {
  const text = textOption(options, name);
  if (text === null || isCalendarDate(text)) return text;
  const shaped = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const year = text.slice(0, 4);
  const reason = !shaped
    ? 'must be written yyyy-MM-dd'
    : year < '1900' || year > '2099'
      ? 'must be in the years 1900 to 2099'
      : 'must be an existing day';
  throw usageError(`--${dashed(name)} ${reason}; "${text}" is not.`);
}

/** Both ends included. */
export interface DateRange {
  readonly from: CalendarDate;
  readonly to: CalendarDate;
}

/** Both ends of a range, or null when neither is given. */
export function rangeOptions(options: Options): DateRange | null {
  const { from, to } = openRangeOptions(options);
  if (from === null && to === null) return null;
  if (from === null || to === null) throw usageError('--from and --to go together.');
  return { from, to };
}

/** A range; either end may be missing. */
export function openRangeOptions(options: Options): {
  readonly from: CalendarDate | null;
  readonly to: CalendarDate | null;
} {
  const [from, to] = [dateOption(options, 'from'), dateOption(options, 'to')];
  if (from !== null && to !== null && from > to) throw usageError(`--from ${from} is later than --to ${to}.`);
  return { from, to };
}

/** Nine digits fit in a column of type `integer`: no run has a higher number, and no list is longer. */
const mostNumber = 999_999_999;

/** A whole number from 1 to `most`, or null when the option is not given. */
export function numberOption(options: Options, name: string, most = mostNumber): number | null {
  const text = textOption(options, name);
  if (text === null) return null;
  if (!/^[1-9]\d{0,8}$/.test(text) || Number(text) > most) {
    throw usageError(`--${dashed(name)} must be a whole number from 1 to ${most}; "${text}" is not.`);
  }
  return Number(text);
}

/** The run that `--run` names, or null when the option is not given. */
export function runIdOption(options: Options): RunId | null {
  const given = numberOption(options, 'run');
  return given === null ? null : runId(given);
}

/** @throws ReconError USAGE_INVALID unless the text is one of the choices. */
export function choiceOption<T extends string>(
  options: Options,
  name: string,
  choices: readonly T[],
): T | null {
  const text = textOption(options, name);
  if (text === null) return null;
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  throw usageError(
    `--${dashed(name)} must be one of ${choices.join(', ')}; "${text}" is not${suggestion(text, choices)}.`,
  );
}

/**
 * Who decides something: `--by`, else RECON_USER, else the account that runs the command.
 *
 * @throws ReconError USAGE_INVALID when none of them gives a name
 */
export function authorOption(options: Options, environment: EnvironmentVariables): string {
  const author = givenAuthor(options, environment) ?? accountName()?.trim() ?? '';
  if (author === '') {
    throw usageError('This account has no name; say who decides with --by NAME or RECON_USER.');
  }
  return author;
}

/** Who does something, for the audit log: as {@link authorOption}, or the user id where it has no name. */
export function actorOption(options: Options, environment: EnvironmentVariables): string {
  const given = givenAuthor(options, environment) ?? accountName()?.trim() ?? '';
  const userId = process.getuid?.();
  return given || (userId === undefined ? 'recon' : `user id ${userId}`);
}

/** A name of blanks only counts as none. */
function givenAuthor(options: Options, environment: EnvironmentVariables): string | null {
  const given = (textOption(options, 'by') ?? readEnvironment(environment).user)?.trim() ?? '';
  return given === '' ? null : maskCardNumbers(given);
}

/** Null for a user id that has no name, as in a container. */
function accountName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}

/** The port to listen on, where 0 takes any that is free, or null when the option is not given. */
export function portOption(options: Options): number | null {
  const text = textOption(options, 'port');
  if (text === null) return null;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw usageError(`--port must be a number from 0 to 65535; "${text}" is not.`);
}

const dashed = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
