import { shape, textOf, type Characters, type FieldType } from './field-type.js';

/**
 * The character classes and shapes that several structures share. In codes and keys, letters are ASCII. In the names
 * of people and places they may be of any script: Zürich is a city.
 */

export const lettersAndDigits: Characters = {
  pattern: /^[A-Za-z0-9]*$/,
  says: 'the letters A-Z and a-z and digits only',
  filler: 'a',
};

/** Of paymentBrand (operations 2.2). */
export const lettersDigitsUnderscore: Characters = {
  pattern: /^\w*$/,
  says: 'the letters A-Z and a-z, digits and underscores only',
  filler: 'a',
};

/** Of the id of a mandate (catalogue 2.4). */
export const lettersAndHyphens: Characters = {
  pattern: /^[A-Za-z-]*$/,
  says: 'the letters A-Z and a-z and hyphens only',
  filler: 'a',
};

/** Of postcodes in addresses (catalogue 2.8, 2.10): no blank and no hyphen. */
export const postcodeCharacters: Characters = {
  pattern: /^[\p{L}\p{M}\p{Nd}]*$/u,
  says: 'letters and digits only',
  filler: '1',
};

/** Of states in addresses (catalogue 2.8, 2.10): no blank. */
export const stateCharacters: Characters = {
  pattern: /^[\p{L}\p{M}\p{Nd}.]*$/u,
  says: 'letters, digits and dots only',
  filler: 'a',
};

/** No digits. The names of cities contain spaces, hyphens, apostrophes, dots and brackets. */
export const cityCharacters: Characters = {
  pattern: /^[\p{L}\p{M}\s.'’(),/-]*$/u,
  says: 'letters and the punctuation in names of cities only',
  filler: 'a',
};

/** Letters, digits and whitespace: names, cities and occupations of sender and recipient (catalogue 2.12, 2.13). */
export const wordCharacters: Characters = {
  pattern: /^[\p{L}\p{M}\p{Nd}\s]*$/u,
  says: 'letters, digits and blanks only',
  filler: 'a',
};

/** Letters and whitespace: nationalities (catalogue 2.12, 2.13). */
export const letterCharacters: Characters = {
  pattern: /^[\p{L}\p{M}\s]*$/u,
  says: 'letters and blanks only',
  filler: 'a',
};

/** Of countries of birth (catalogue 2.12, 2.13), which are codes where ISO 3166-1 has one. */
export const asciiLetters: Characters = {
  pattern: /^[A-Za-z]*$/,
  says: 'the letters A-Z and a-z only',
  filler: 'a',
};

/** A plus sign or digit first. */
export const phoneCharacters: Characters = {
  pattern: /^[+\d][\d .()/-]*$/,
  says: 'a plus sign or digit, then digits, spaces, dots, parentheses, slashes and hyphens only',
  filler: '1',
};

/** A phone number in the usual notation. */
export const phone = (max: number, min = 1): FieldType => textOf(phoneCharacters, max, min);

/** The expiry year of a card or token (catalogue 2.1, 2.5); whether it is over is checked by a rule. */
export const expiryYear: FieldType = shape(/^(?:19|20)\d{2}$/, 'a year of 4 digits, 19xx or 20xx', '2030');

/** Identifier of a payment: exactly 32 letters or digits (operations 2.1). */
export const identifier: FieldType = shape(
  /^[A-Za-z0-9]{32}$/,
  'exactly 32 letters or digits',
  '8ac7a4a0123456789abcdef012345678',
);
