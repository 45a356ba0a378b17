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

/**
 * The same for an operation whose response has no place for violations.
 *
 * @throws ReconError USAGE_INVALID that names every unknown option and the known ones
 */
export function refuseUnknownOptions<Options>(
  operation: string,
  { values, error }: ReceivedParameters,
  known: OptionNames<Options>,
): void {
  const unknown = namesBesides(values, known).map((name) => `there is no option ${presentName(name)}`);
  const problems = error === undefined ? unknown : ['the options must be an object'];
  if (problems.length === 0) return;
  throw new ReconError(
    'USAGE_INVALID',
    `${operation}: ${problems.join('; ')}; ${say(known)}. Nothing was done.`,
  );
}

function namesBesides<Options>(values: ReceivedParameters['values'], known: OptionNames<Options>): string[] {
  return Object.keys(values).filter((name) => !Object.hasOwn(known, name));
}

function say<Options>(known: OptionNames<Options>): string {
  const names = Object.keys(known);
  const last = names.at(-1) ?? '';
  return names.length < 2
    ? `the only option is ${last}`
    : `the options are ${names.slice(0, -1).join(', ')} and ${last}`;
}
