import { emptyParameters } from './empty-parameters.js';
import type { ParameterError } from './parameter-error.js';
import { hidden, presentName } from './present-value.js';
import { mostParameters } from './receive-parameters.js';

/**
 * Gathers name-value pairs, as a form-encoded body brings them, into a record without prototype. A name that
 * is sent twice is a violation, never first- or last-wins; so is a list beyond all measure, of which no
 * parameter is returned.
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
