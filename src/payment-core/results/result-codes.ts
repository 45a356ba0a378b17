import { declineCodes } from './decline-codes.js';
import { outcomeCodes } from './outcome-codes.js';
import { parameterCodes } from './parameter-codes.js';
import { referenceCodes } from './reference-codes.js';
import { requestCodes } from './request-codes.js';
import type { KnownResultClass } from './result-classes.js';
import { riskCodes } from './risk-codes.js';

/**
 * The catalogue of result codes by class: the codes of the core, those that a request can trigger in the INTERNAL
 * simulator, and the public codes of gateways of this family. The specification shows only four codes.
 *
 * The descriptions are short sentences of this project. Two have the words that the specification demands: 600.200.701
 * (operations 1) and 800.120.100 (operations 7.2).
 */
const byClass: Readonly<Record<KnownResultClass, Readonly<Record<string, string>>>> = {
  ...outcomeCodes,
  ...declineCodes,
  ...riskCodes,
  ...requestCodes,
  ...referenceCodes,
  ...parameterCodes,
};

/** A code of the catalogue with its text and class. */
export interface ResultCodeEntry {
  /** Three groups of digits, such as 000.100.110 (operations 2.5). */
  readonly code: string;
  /** The text that a response has as `result.description`. */
  readonly description: string;
  /** What the code says about the payment: success, pending, or why it failed. */
  readonly resultClass: KnownResultClass;
}

/** Every known code, in ascending order. */
export const resultCodes: readonly ResultCodeEntry[] = Object.entries(byClass)
  .flatMap(([name, codes]) =>
    Object.entries(codes).map(([code, description]) => ({
      code,
      description,
      // `Object.entries` loses the type of the names, which are the classes.
      resultClass: name as KnownResultClass,
    })),
  )
  .sort((left, right) => (left.code < right.code ? -1 : 1));
