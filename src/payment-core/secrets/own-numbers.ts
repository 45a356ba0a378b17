import { truncateCardNumber } from '../../values/mask-card-numbers.js';
import type { ParameterValues } from '../fields/parameters.js';
import { parseParameterName } from '../fields/parse-parameter-name.js';
import { sensitiveFields } from '../fields/sensitive-fields.js';

const accountFields: ReadonlySet<string> = new Set(
  sensitiveFields()
    .filter(({ sensitivity }) => sensitivity === 'account')
    .map(({ name }) => name),
);

/** Shorter numbers occur in any text by chance. */
const shortest = 6;
/** From this length on, a number is also cut inside a longer word. */
const distinctive = 12;
const separator = /[\s./-]/;

/** Whether the parameter is an account number: of a card, bank account, token or gift card. */
export function holdsAccount(name: string): boolean {
  const reading = parseParameterName(name);
  return reading.ok && accountFields.has(reading.template);
}

/**
 * Returns a function that cuts the account numbers of this request out of a text, whether or not they have a check
 * digit, and however they are grouped. A card number keeps its first six and last four digits, as everywhere. Any
 * other number keeps its last four characters.
 */
export function cutterOf(parameters: ParameterValues): (text: string) => string {
  const cuts: ((text: string) => string)[] = [];
  for (const [name, value] of Object.entries(parameters)) {
    if (value.length < shortest || !holdsAccount(name)) continue;
    const cut = cutting(name, value.replace(/[\s-]/g, ''));
    if (cut !== undefined) cuts.push(cut);
  }
  return (text) => cuts.reduce((left, cut) => cut(left), text);
}

function cutting(name: string, number: string): ((text: string) => string) | undefined {
  const digits = countDigits(number);
  const least = lengthInCharacters(number, digits);
  if (least < shortest) return undefined;
  let cut: ((text: string) => string) | undefined;
  return (text) => {
    // Hardly any text is long enough and has enough digits, and compiling the pattern costs more than the rest.
    if (text.length < least || countDigits(text) < digits) return text;
    cut ??= replacing(name, number);
    return cut(text);
  };
}

/** A card number has nothing but digits. */
function lengthInCharacters(number: string, digits: number): number {
  return digits === number.length ? digits : Array.from(number).length;
}

function replacing(name: string, number: string): (text: string) => string {
  const characters = Array.from(number);
  const isCard = (name === 'card.number' || name === 'tokenAccount.number') && /^\d{13,}$/.test(number);
  // `$` has a meaning in a replacement text, and an account number may contain it.
  const tail = characters.slice(-4).join('').replaceAll('$', '$$$$');
  const replacement = isCard ? truncateCardNumber(number) : characters.length < 8 ? '***' : `***${tail}`;
  const pattern = patternOf(characters);
  return (text) => text.replace(pattern, replacement);
}

/**
 * Between two characters there may be a separator, unless one of them is a separator itself: a text that could match in
 * several ways would take exponential time, and a shopper can enter an account of dots.
 */
function patternOf(characters: readonly string[]): RegExp {
  const parts = characters.map((one, index) => {
    const isExact = index === 0 || separator.test(one) || separator.test(characters[index - 1] ?? '');
    return `${isExact ? '' : '[\\s./-]{0,2}'}${one.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}`;
  });
  const grouped = parts.join('');
  const whole = characters.length < distinctive;
  return new RegExp(whole ? `(?<![\\p{L}\\p{N}])${grouped}(?![\\p{L}\\p{N}])` : grouped, 'giu');
}

function countDigits(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 0x30 && code <= 0x39) count += 1;
  }
  return count;
}
