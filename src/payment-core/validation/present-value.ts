import { truncateCardNumber } from '../../values/mask-card-numbers.js';
import type { Field } from '../fields/field.js';

/** The replacement for a secret value. */
export const hidden = '***';

const longestShown = 80;

/** More than is ever shown, and short enough for every pattern. */
const looksAt = 2000;

/** 13 digits or more, however grouped: longer than any amount or date, so shown truncated for safety. */
const numberLike = /\d(?:[\s./-]?\d){12,}/g;
const cardLike = /^\d{13,32}$/;
const unprintable = /\p{C}/gu;

/** A refused value for a response or a log: secrets hidden or truncated, control characters escaped, cut to length. */
export function presentValue(field: Field | undefined, value: string): string {
  // The value of an unknown parameter may be a secret with a misspelt name.
  if (field === undefined || field.sensitivity === 'authentication') return hidden;
  if (field.sensitivity === 'account') return presentAccount(field, value);
  return presentText(value);
}

/** A refused text that is not secret: long numbers truncated, control characters escaped, cut to length. */
export function presentText(text: string, longest = longestShown): string {
  return cut(spellOut(truncateNumbers(text.slice(0, looksAt))), longest);
}

/** The name of a refused parameter: the sender chooses it as freely as a value. */
export function presentName(name: string): string {
  return presentText(name, 200);
}

function presentAccount(field: Field, value: string): string {
  const isCardNumber = field.name === 'card.number' || field.name === 'tokenAccount.number';
  const digits = value.slice(0, looksAt).replace(/[\s-]/g, '');
  return isCardNumber && cardLike.test(digits) ? truncateCardNumber(digits) : hidden;
}

function truncateNumbers(text: string): string {
  return text.replace(numberLike, (found) => truncateCardNumber(found.replace(/\D/g, '')));
}

function spellOut(text: string): string {
  return text.replace(
    unprintable,
    (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}}`,
  );
}

function cut(text: string, longest: number): string {
  const characters = Array.from(text.slice(0, 2 * longest + 2));
  return characters.length > longest ? `${characters.slice(0, longest).join('')}…` : characters.join('');
}
