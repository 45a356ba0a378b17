const firstDigits: readonly (readonly [RegExp, string])[] = [
  [/^4/, 'VISA'],
  [/^(?:5[1-5]|2[2-7])/, 'MASTER'],
  [/^3[47]/, 'AMEX'],
  [/^3[068]/, 'DINERS'],
  [/^35/, 'JCB'],
  [/^6/, 'DISCOVER'],
];

/** The brand of a card number, or of its first six digits, for requests that leave it out. */
export function detectBrand(number: string | undefined): string | undefined {
  if (number === undefined) return undefined;
  return firstDigits.find(([pattern]) => pattern.test(number))?.[1];
}

/**
 * The numbers of the brands whose ranges are theirs alone, as wide as their networks use them: North American Diners
 * cards have Mastercard numbers, and Discover takes those of Diners and JCB. Other brands share numbers with these, as
 * a national scheme on a Visa card does, so they fit every number.
 */
const numbersOf: Readonly<Record<string, RegExp>> = {
  VISA: /^4/,
  MASTER: /^(?:5[1-5]|2[2-7])/,
  AMEX: /^3[47]/,
  DINERS: /^(?:3[0689]|5[45])/,
  JCB: /^(?:35|1800|2131)/,
  DISCOVER: /^(?:6|3[05689])/,
};

/** Whether a card of this brand may have this number; true for a brand whose numbers are not known. */
export function mayHaveNumber(brand: string, number: string): boolean {
  return !Object.hasOwn(numbersOf, brand) || numbersOf[brand]?.test(number) === true;
}
