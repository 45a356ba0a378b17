import { ReconError } from '../../errors.js';
import { presentName } from '../validation/present-value.js';
import { refusedName } from '../validation/refused-name.js';
import type { ParameterError } from '../validation/parameter-error.js';
import type { ReceivedParameters } from '../validation/receive-parameters.js';

/** The name of each option of an operation; the compiler compares them with its type. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/**
 * The violations by options that an operation does not have. The compiler checks those of a TypeScript program; this is
 * for programs that no compiler checks. Without it, a misspelt `settlementCurrency` would list every currency.
 */
export function unknownOptions<Options>(
  { values }: ReceivedParameters,
  known: OptionNames<Options>,
): readonly ParameterError[] {
  return namesBesides(values, known).map((name) => refusedName(name, `is not an option; ${say(known)}`));
}

/** What the value of an option must be: completes "limit must be …". */
export interface OptionKind {
  readonly says: string;
  readonly holds: (given: unknown) => boolean;
}

/** The kind of each option of an operation; the compiler compares the names with those of its type. */
export type OptionKinds<Options> = Readonly<Record<keyof Options, OptionKind>>;

/** A boolean. The texts `true` and `false` are refused: options are JavaScript values, other than parameters. */
export const flag: OptionKind = { says: 'true or false', holds: (given) => typeof given === 'boolean' };

/** A whole number that is not lower than this. */
export const wholeFrom = (least: number): OptionKind => ({
  says: `a whole number from ${least}`,
  holds: (given) => Number.isSafeInteger(given) && Number(given) >= least,
});

/**
 * The options of an operation whose response has no place for violations, with their names and values checked.
 *
 * @throws ReconError USAGE_INVALID that names every wrong option, and the known ones if one is unknown
 */
export function checkedOptions<Options>(
  operation: string,
  { values, error }: ReceivedParameters,
  known: OptionKinds<Options>,
): Options {
  const unknown = namesBesides(values, known).map((name) => `there is no option ${presentName(name)}`);
  const wrong = Object.entries<OptionKind>(known)
    .filter(([name, { holds }]) => values[name] !== undefined && !holds(values[name]))
    .map(([name, { says }]) => `${name} must be ${says}`);
  const notAnObject = error === undefined ? [] : ['the options must be an object'];
  const aboutNames = unknown.length + notAnObject.length === 0 ? [] : [say(known)];
  const problems = [...wrong, ...unknown, ...notAnObject, ...aboutNames];
  if (problems.length > 0) {
    throw new ReconError('USAGE_INVALID', `${operation}: ${problems.join('; ')}. Nothing was done.`);
  }
  // Every member has a known name, and a value of its kind.
  return values as Options;
}

function namesBesides(values: ReceivedParameters['values'], known: object): string[] {
  return Object.keys(values).filter((name) => !Object.hasOwn(known, name));
}

function say(known: object): string {
  const names = Object.keys(known);
  const last = names.at(-1) ?? '';
  return names.length < 2
    ? `the only option is ${last}`
    : `the options are ${names.slice(0, -1).join(', ')} and ${last}`;
}
