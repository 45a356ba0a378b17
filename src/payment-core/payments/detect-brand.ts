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
