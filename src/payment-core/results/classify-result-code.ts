import {
  resultClasses,
  type KnownResultClass,
  type ResultClass,
  type ResultDisposition,
} from './result-classes.js';
import { resultCodes } from './result-codes.js';

const byCode = new Map(resultCodes.map((entry) => [entry.code, entry]));

const codeShape = /^\d{3}\.\d{3}\.\d{3}$/;

/**
 * The class of a code. A code outside the catalogue gets the class whose pattern it fits, which is how integrators
 * of such gateways read it. A text that fits no pattern is `unknown`.
 */
export function classifyResultCode(code: string): ResultClass {
  return byCode.get(code)?.resultClass ?? classOfPattern(code) ?? 'unknown';
}

function classOfPattern(code: string): KnownResultClass | undefined {
  if (!codeShape.test(code)) return undefined;
  const [found] = Object.entries(resultClasses).find(([, { pattern }]) => pattern.test(code)) ?? [];
  // `Object.entries` loses the type of the class names.
  return found as KnownResultClass | undefined;
}

/** The text of a code in the catalogue; empty for an unknown code. */
export function describeResultCode(code: string): string {
  return byCode.get(code)?.description ?? '';
}

/** The meaning of a code for the payment. An unknown code means that it failed. */
export function dispositionOf(code: string): ResultDisposition {
  const resultClass = classifyResultCode(code);
  return resultClass === 'unknown' ? 'failed' : resultClasses[resultClass].disposition;
}

/** The patterns of design 5. The column `payments.outcome` is generated from them. */
const storedSuccess = /^(?:000\.000\.|000\.100\.1|000\.[36]|000\.400\.1[12]0|000\.400\.0[^3]|000\.400\.100)/;
/** Includes the codes of payments that stay pending for days. */
const storedPending = /^(?:000\.200\.|800\.400\.5|100\.400\.500)/;

/**
 * How a stored payment with this code counts for the reconciliation (design 5). Only the shape of the code matters,
 * since imported payments have codes of any gateway. For every code of the catalogue it agrees with `dispositionOf`
 * about successful and pending payments.
 */
export function storedOutcomeOf(code: string): 'SUCCESS' | 'PENDING' | 'FAILED' {
  if (storedSuccess.test(code)) return 'SUCCESS';
  return storedPending.test(code) ? 'PENDING' : 'FAILED';
}

/** The HTTP status for a result (operations 4 and 7.1). */
export function httpStatusOf(code: string): 200 | 400 | 404 | 429 {
  if (code === '800.120.100') return 429;
  const disposition = dispositionOf(code);
  if (code === '700.400.580' || code === '100.150.200' || code === '200.300.406') return 404;
  return disposition === 'success' || disposition === 'pending' || disposition === 'chargeback' ? 200 : 400;
}
