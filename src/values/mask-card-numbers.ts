/**
 * One truncation of card numbers everywhere: first six, last four. Two formats of the same number
 * together would rebuild it (PCI DSS FAQ 1091), so nothing else in the program may shorten one.
 */

/** 13-19 digits, possibly grouped by single blanks or hyphens, not part of a longer run of digits. */
const candidate = /(?<![\dA-Za-z])\d(?:[ -]?\d){12,18}(?![\dA-Za-z])/g;

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

/** Truncates everything in a text that looks like a card number (issuer range 2-6, Luhn holds). */
export function maskCardNumbers(text: string): string {
  return text.replace(candidate, (found) => {
    const digits = found.replace(/[ -]/g, '');
    return /^[2-6]/.test(digits) && passesLuhn(digits) ? truncateCardNumber(digits) : found;
  });
}
