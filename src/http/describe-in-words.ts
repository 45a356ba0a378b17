import type { ParameterDescription } from '../payment-core/index.js';

/** The valid values of a parameter as a sentence, with the section that defines them. */
export function describeInWords({ says, section }: ParameterDescription): string {
  return `${says.slice(0, 1).toUpperCase()}${says.slice(1)} (${section}).`;
}
