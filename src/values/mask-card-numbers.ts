/**
 * The only truncation of card numbers: first six, last four. Two different truncations of the same number would reveal
 * it (PCI DSS FAQ 1091), so no other code may shorten one.
 */

/**
 * What stands between the groups of a number: a space or a hyphen, also those that word processors and spreadsheets
 * write in their place, so that a number stays on one line.
 */
const groupSeparator =
  '[ \\u00a0\\u2000-\\u200a\\u202f\\u205f\\u3000\\-\\u2010-\\u2015\\u2212\\ufe58\\ufe63\\uff0d]';

/** 13 digits or more, optionally grouped by single separators, not part of a longer word. */
const candidate = new RegExp(`(?<![\\dA-Za-z])\\d(?:${groupSeparator}?\\d){12,}(?![\\dA-Za-z])`, 'g');
const separators = new RegExp(`(${groupSeparator})`, 'g');

/** Separators that amounts, dates and versions have too, so that only the groups of a printed card count. */
const punctuation = '[./_]';

/** Whatever may stand between the groups of a number. */
export const anySeparator = `(?:${groupSeparator}|${punctuation})`;

/** The groups of a printed card: 4-4-4-4, 4-4-4-4-3, 4-6-5 or 4-6-4. */
const printedGroups = new RegExp(
  `(?<![\\dA-Za-z])\\d{4}(${punctuation})(?:\\d{4}\\1\\d{4}\\1\\d{4}(?:\\1\\d{3})?|\\d{6}\\1\\d{4,5})(?![\\dA-Za-z])`,
  'g',
);

/** 13 digits with at most one separator between two of them: every card number begins like this, and few texts do. */
const firstDigits = new RegExp(`(?<![\\dA-Za-z])\\d(?:${anySeparator}?\\d){12}`);

/** No issuer has numbers that begin with 20, as moments such as 20261119063000 in the names of files do. */
const issuerRange = /^(?:2[1-9]|[3-6])/;

/** Luhn checksum over a string of digits. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    let digit = digits.charCodeAt(digits.length - 1 - index) - 48;
    if (index % 2 === 1) {
      digit *= 2;
      if (digit > 9) digit -= 9;
    }
    sum += digit;
  }
  return sum % 10 === 0;
}

/** `4200000000000000` → `420000******0000`. */
export function truncateCardNumber(digits: string): string {
  return `${digits.slice(0, 6)}${'*'.repeat(Math.max(digits.length - 10, 0))}${digits.slice(-4)}`;
}

/** Truncates everything in a text that looks like a card number (13-19 digits, issuer range 21-69, Luhn holds). */
export function maskCardNumbers(text: string): string {
  if (text.length < 13 || !firstDigits.test(text)) return text;
  return text.replace(printedGroups, maskPrinted).replace(candidate, maskGroups);
}

function maskPrinted(found: string): string {
  const digits = found.replaceAll(/\D/g, '');
  return isCardNumber(digits) ? truncateCardNumber(digits) : found;
}

function isCardNumber(digits: string): boolean {
  return digits.length >= 13 && issuerRange.test(digits) && passesLuhn(digits);
}

/**
 * Other digits may precede or follow a number, as in `14 4200 0000 0000 0000`, so every sequence of groups is tried.
 */
function maskGroups(found: string): string {
  // Digits at even positions, separators at odd ones.
  const groups = found.split(separators);
  let masked = '';
  for (let first = 0; first < groups.length;) {
    const end = first % 2 === 0 ? endOfCard(groups, first) : undefined;
    masked += end === undefined ? (groups[first] ?? '') : truncateCardNumber(digitsOf(groups, first, end));
    first = end ?? first + 1;
  }
  return masked;
}

/** The end of the longest number that begins with this group. */
function endOfCard(groups: readonly string[], first: number): number | undefined {
  let found: number | undefined;
  let digits = '';
  for (let end = first + 1; end <= groups.length; end += 2) {
    digits += groups[end - 1] ?? '';
    if (digits.length > 19) break;
    if (isCardNumber(digits)) found = end;
  }
  return found;
}

function digitsOf(groups: readonly string[], first: number, end: number): string {
  return groups.slice(first, end).join('').replace(separators, '');
}
