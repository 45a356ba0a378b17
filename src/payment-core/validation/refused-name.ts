import type { ParameterError } from './parameter-error.js';
import { hidden, presentName } from './present-value.js';

/**
 * The violation by a name that is not accepted. Both name and value may be a secret that was put in the wrong place.
 */
export function refusedName(name: string, reason = 'is not accepted here'): ParameterError {
  const shown = presentName(name);
  return { name: shown, value: hidden, message: `${shown === '' ? 'A name' : shown} ${reason}` };
}
