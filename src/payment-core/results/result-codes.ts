import { declineCodes } from './decline-codes.js';
import { outcomeCodes } from './outcome-codes.js';
import { requestCodes } from './request-codes.js';
import type { KnownResultClass } from './result-classes.js';
import { riskCodes } from './risk-codes.js';

/**
 * The catalogue of result codes by class: what the core itself answers, what the INTERNAL simulator can be
 * asked for, and what gateways of this family return in public. The specification shows only four codes.
 */
const byClass: Readonly<Record<KnownResultClass, Readonly<Record<string, string>>>> = {
  ...outcomeCodes,
  ...declineCodes,
  ...riskCodes,
  ...requestCodes,
};

export interface ResultCodeEntry {
  readonly code: string;
  readonly description: string;
  readonly resultClass: KnownResultClass;
}

/** Every known code, in ascending order. */
export const resultCodes: readonly ResultCodeEntry[] = Object.entries(byClass)
  .flatMap(([name, codes]) =>
    Object.entries(codes).map(([code, description]) => ({
      code,
      description,
      // `Object.entries` forgets that the names are the classes.
      resultClass: name as KnownResultClass,
    })),
  )
  .sort((left, right) => (left.code < right.code ? -1 : 1));
