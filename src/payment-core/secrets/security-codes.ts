import type { ParameterValues } from '../fields/parameters.js';
import { sensitiveFields } from '../fields/sensitive-fields.js';

/** Codes, cryptograms and tokens that authenticate somebody. None of these names has a placeholder. */
const codeFields: readonly string[] = sensitiveFields()
  .filter(({ sensitivity }) => sensitivity === 'authentication')
  .map(({ name }) => name);

/** From this length on, no other text has the same characters by chance. */
const distinctive = 12;
const removed = '***';

/** Removes the security codes and cryptograms of one request from what its connector returns. */
export interface CodeRemover {
  /** From a text for people. A short code is removed where it stands alone, and not as a part of a number. */
  readonly fromText: (text: string) => string;
  /** From a text that a program reads, such as an address: only what cannot be there by chance. */
  readonly fromData: (text: string) => string;
  /** Whether a reference is nothing but such a code. */
  readonly isCode: (reference: string) => boolean;
}

/** For an answer whose request is not known. */
export const noCodes: CodeRemover = {
  fromText: (text) => text,
  fromData: (text) => text,
  isCode: () => false,
};

/** A connector knows the request, so its answer may quote the code. A code is never stored, not even there. */
export function codeRemoverOf(parameters: ParameterValues): CodeRemover {
  const codes = codeFields.flatMap((name) => parameters[name] ?? []);
  if (codes.length === 0) return noCodes;
  const long = codes.filter((code) => code.length >= distinctive);
  const short = codes.filter((code) => code.length < distinctive);
  const fromData = (text: string) => long.reduce((left, code) => left.replaceAll(code, () => removed), text);
  const patterns = short.map(standingAlone);
  return {
    fromText: (text) =>
      patterns.reduce((left, pattern) => left.replace(pattern, () => removed), fromData(text)),
    fromData,
    isCode: (reference) => codes.includes(reference),
  };
}

function standingAlone(code: string): RegExp {
  const escaped = code.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}]|\\d[.,])${escaped}(?![\\p{L}\\p{N}]|[.,]\\d)`, 'gu');
}

const codeNames =
  /^(?:card)?(?:cvv2?|cvc2?|cvn2?|csc|(?:card)?securitycode|(?:card)?verification(?:code|number|value))$/i;

/**
 * Whether a name and its value are a security code, whichever request it belongs to: an acquirer that reports an
 * outcome later does so without the request.
 */
export function isNamedCode(name: string, value: unknown): boolean {
  return typeof value === 'string' && /^\d{3,4}$/.test(value) && codeNames.test(name.replace(/[._-]/g, ''));
}
