import { suggestion } from '../../values/closest-name.js';
import { fieldsOf, isFieldName } from '../fields/catalogue/catalogue.js';
import { parseParameterName } from '../fields/parse-parameter-name.js';
import type { RequestKind } from '../fields/request-kinds.js';

/** A longer name is not compared with the others: that takes time, and few parameters have one. */
const longestExplained = 40;

/**
 * Why a request of this kind does not accept a name; completes "<name> …".
 *
 * @param template the name with placeholders instead of indexes, as the catalogue has it
 * @param isExplained whether to say which name was probably meant, which takes time: it is compared with all others
 */
export function whyNotAccepted(template: string, kind: RequestKind, isExplained: boolean): string {
  if (isFieldName(template)) return `is not accepted in a ${kind} request${insteadOf(template, kind)}`;
  return `is not a parameter${isExplained && template.length <= longestExplained ? hintFor(template, kind) : ''}`;
}

/** A checkout could only leave out what is never stored, but its payment can use it. */
function insteadOf(template: string, kind: RequestKind): string {
  const isProof = fieldsOf('payment').get(template)?.sensitivity === 'authentication';
  return isProof && kind === 'checkout'
    ? ', because it is never stored: send it with the payment of the checkout'
    : '';
}

/** A program may nest what a form cannot: `{ card: { number } }`. */
function hintFor(template: string, kind: RequestKind): string {
  const names = [...fieldsOf(kind).keys()];
  const inside = names.find((name) => name.startsWith(`${template}.`) || name.startsWith(`${template}[`));
  return inside === undefined ? suggestion(template, names) : `: names are flat, such as ${inside}`;
}

/**
 * The catalogue's name for what programs write in another notation: `card[number]` and `cart[items][0][name]`, as PHP
 * nests, `cart.items.0.name`, and `amount[]`. Completes the reason why it is not a name; quotes no part of it.
 */
export function hintForNotation(name: string, kind: RequestKind): string {
  if (name.length > longestNested) return '';
  for (const list of ['', '[0]']) {
    const dotted = name
      .replaceAll('[]', list)
      .replace(/\[([A-Za-z][A-Za-z0-9]*)\]/g, '.$1')
      .replace(/\.(\d{1,4})(?=\.|$)/g, '[$1]');
    const reading = parseParameterName(dotted);
    if (!reading.ok || reading.key !== null) continue;
    if (fieldsOf(kind).has(reading.template)) return ` (did you mean ${reading.template}?)`;
  }
  return '';
}

/** Longer than every name of the catalogue in brackets. */
const longestNested = 200;
