import { emptyParameters } from './empty-parameters.js';
import type { ParameterError } from './parameter-error.js';
import { hidden, presentName } from './present-value.js';
import { mostParameters } from './receive-parameters.js';

/**
 * Collects name-value pairs, for example of a form-encoded body, into a record without prototype. A name that is sent
 * twice is a violation: neither the first nor the last value is chosen. A list with too many parameters is a violation
 * as well, and none of its parameters are returned.
 */
export function readParameterList(pairs: Iterable<readonly [name: string, value: string]>): {
  readonly parameters: Readonly<Record<string, string>>;
  readonly errors: readonly ParameterError[];
} {
  const parameters = emptyParameters();
  const twice = new Set<string>();
  let count = 0;
  for (const [name, value] of pairs) {
    count += 1;
    if (count > mostParameters) {
      const message = `A request has at most ${mostParameters} parameters`;
      return { parameters: emptyParameters(), errors: [{ name: '', value: null, message }] };
    }
    if (Object.hasOwn(parameters, name)) twice.add(name);
    else parameters[name] = value;
  }
  const errors = [...twice].sort().map((name) => {
    const shown = presentName(name);
    return { name: shown, value: hidden, message: `${shown} is sent more than once` };
  });
  return { parameters, errors };
}
