import { truncateCardNumber } from '../../values/mask-card-numbers.js';
import type { Parameters } from '../fields/parameters.js';
import { parseParameterName } from '../fields/parse-parameter-name.js';
import { sensitiveFields } from '../fields/sensitive-fields.js';

const accountFields: ReadonlySet<string> = new Set(
  sensitiveFields()
    .filter(({ sensitivity }) => sensitivity === 'account')
    .map(({ name }) => name),
);

/** Shorter ones are found in any text by chance. */
const shortest = 6;
/** From here on a number is cut inside a longer word as well. */
const distinctive = 12;

/** Whether the parameter holds an account number: of a card, bank account, token or gift card. */
export function holdsAccount(name: string): boolean {
  const reading = parseParameterName(name);
  return reading.ok && accountFields.has(reading.template);
}

/**
 * A function that cuts the account numbers of this very request out of a text, whether or not they have a check
 * digit, and however people group them. A card number keeps its first six and last four digits, as everywhere;
 * of any other its last four characters stay.
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
  // `$` would have a meaning in a replacement, and an account number may hold it.
  const tail = characters.slice(-4).join('').replaceAll('$', '$$$$');
  const replacement = isCard ? truncateCardNumber(number) : characters.length < 8 ? '***' : `***${tail}`;
  return { pattern, replacement };
}
