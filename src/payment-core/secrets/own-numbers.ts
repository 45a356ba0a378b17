import { truncateCardNumber } from '../../values/mask-card-numbers.js';
import type { Parameters } from '../fields/parameters.js';
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
export function cutterOf(parameters: Parameters): (text: string) => string {
  const cuts = Object.entries(parameters)
    .filter(([name, value]) => value.length >= shortest && holdsAccount(name))
    .map(([name, value]) => cutting(name, value.replace(/[\s-]/g, '')))
    .filter((cut) => cut !== undefined);
  return (text) => cuts.reduce((left, { pattern, replacement }) => left.replace(pattern, replacement), text);
}

function cutting(name: string, number: string): { pattern: RegExp; replacement: string } | undefined {
  const characters = Array.from(number);
  if (characters.length < shortest) return undefined;
  const grouped = characters.map((one) => one.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('[\\s./-]{0,2}');
  const whole = characters.length < distinctive;
  const pattern = new RegExp(whole ? `(?<![\\p{L}\\p{N}])${grouped}(?![\\p{L}\\p{N}])` : grouped, 'giu');
  const isCard = (name === 'card.number' || name === 'tokenAccount.number') && /^\d{13,}$/.test(number);
  // `$` has a meaning in a replacement text, and an account number may contain it.
  const tail = characters.slice(-4).join('').replaceAll('$', '$$$$');
  const replacement = isCard ? truncateCardNumber(number) : characters.length < 8 ? '***' : `***${tail}`;
  return { pattern, replacement };
}
