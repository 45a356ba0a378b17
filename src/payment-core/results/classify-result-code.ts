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
 * The class of a code. One that the catalogue does not hold takes the class whose pattern it fits, as every
 * integrator of such gateways reads it; `unknown` is what fits none or is no code.
 */
export function classifyResultCode(code: string): ResultClass {
  return byCode.get(code)?.resultClass ?? classOfPattern(code) ?? 'unknown';
}

function classOfPattern(code: string): KnownResultClass | undefined {
  if (!codeShape.test(code)) return undefined;
  const [found] = Object.entries(resultClasses).find(([, { pattern }]) => pattern.test(code)) ?? [];
  // `Object.entries` forgets the names of the classes.
  return found as KnownResultClass | undefined;
}

/** The catalogue's text for a code, empty for an unknown one. */
export function describeResultCode(code: string): string {
  return byCode.get(code)?.description ?? '';
}

/** What a code says about the payment. An unknown code says that it failed. */
export function dispositionOf(code: string): ResultDisposition {
  const resultClass = classifyResultCode(code);
  return resultClass === 'unknown' ? 'failed' : resultClasses[resultClass].disposition;
}

/** Design 5's patterns, which `payments.outcome` is generated from. */
const storedSuccess = /^(?:000\.000\.|000\.100\.1|000\.[36]|000\.400\.1[12]0|000\.400\.0[^3]|000\.400\.100)/;
/** With the codes that wait for days. */
const storedPending = /^(?:000\.200\.|800\.400\.5|100\.400\.500)/;

/**
 * How a stored payment with this code counts for the reconciliation (design 5). It looks at the shape alone,
 * since imported payments bring codes of any gateway; for every code of the catalogue it agrees with
 * `dispositionOf` on what is a success and what is pending.
 */
export function storedOutcomeOf(code: string): 'SUCCESS' | 'PENDING' | 'FAILED' {
  if (storedSuccess.test(code)) return 'SUCCESS';
  return storedPending.test(code) ? 'PENDING' : 'FAILED';
}

/** HTTP status that goes with a result (operations 4 and 7.1). */
export function httpStatusOf(code: string): 200 | 400 | 404 | 429 {
  if (code === '800.120.100') return 429;
  const disposition = dispositionOf(code);
  if (code === '700.400.580' || code === '100.150.200' || code === '200.300.406') return 404;
  return disposition === 'success' || disposition === 'pending' || disposition === 'chargeback' ? 200 : 400;
}
