import { asciiLetters, letterCharacters, phoneCharacters, wordCharacters } from '../characters.js';
import { declareFields, each, optional } from '../field.js';
import { country, date, digits, oneOf, text, textOf, twoDigitCodes, type Characters } from '../field-type.js';
import { accountKinds, purchaseKinds } from '../request-kinds.js';

/** Corporate (catalogue 2.11). */
export const corporateFields = declareFields(
  { section: 'catalogue 2.11', prefix: 'corporate.', kinds: purchaseKinds },
  {
    name: optional(text(30)),
    description: optional(text(160)),
    street: optional(text(100)),
    address: optional(text(100), { note: 'line 2' }),
    city: optional(text(80)),
    state: optional(text(50)),
    postCode: optional(text(16)),
    suite: optional(text(30)),
    postboxNumber: optional(text(15)),
    purchase: optional(oneOf('Y', 'N')),
    ...each(['phone', 'fax'], optional(digits(25))),
    vatId: optional(text(255, 0)),
  },
);

const words = (max: number) => optional(textOf(wordCharacters, max, 0));
const birthCountry = optional(textOf(asciiLetters, 3), {
  note: 'not checked against ISO 3166-1, because former countries have no code there',
});

/** The person who pays (catalogue 2.12). */
export const senderFields = declareFields(
  { section: 'catalogue 2.12', prefix: 'sender.', kinds: purchaseKinds },
  {
    name: words(100),
    ...each(['givenName', 'middleName', 'surname'], words(50)),
    birthDate: optional(date),
    accountNumber: optional(text(32), { kinds: accountKinds, sensitivity: 'account' }),
    street: optional(text(100)),
    ...each(['city', 'state'], words(50)),
    country: optional(country('alpha-3')),
    postcode: optional(text(30)),
    accountNumberType: optional(
      oneOf('OTHER', 'RTN_AND_BANK_ACCOUNT', 'IBAN', 'IBAN_AND_BIC', 'BAN_AND_BIC', 'CARD_ACCOUNT'),
    ),
    sourceOfFunds: optional(twoDigitCodes(9)),
    entityType: optional(text(50)),
    nationality: optional(textOf(letterCharacters, 50, 0)),
    occupation: words(50),
    birthCountry,
  },
);

const recipientPhone: Characters = {
  pattern: /^[+\d][\d\s().-]*$/,
  says: 'a plus sign or digit, then digits, blanks, parentheses, dots and hyphens only',
  filler: phoneCharacters.filler,
};

/** The person whose debt is paid (catalogue 2.13). */
export const recipientFields = declareFields(
  { section: 'catalogue 2.13', prefix: 'recipient.', kinds: purchaseKinds },
  {
    ...each(['givenName', 'middleName', 'surname'], words(48)),
    birthDate: optional(date),
    phone: optional(textOf(recipientPhone, 25, 7)),
    accountNumber: optional(text(32), { kinds: accountKinds, sensitivity: 'account' }),
    street: optional(text(100)),
    ...each(['city', 'state'], words(50)),
    country: optional(country('alpha-3')),
    postcode: optional(text(30)),
    accountNumberType: optional(
      oneOf(
        ...['OTHER', 'RTN_AND_BANK_ACCOUNT', 'IBAN', 'CARD_ACCOUNT', 'EMAIL', 'PHONE_NUMBER', 'BAN_AND_BIC'],
        ...['WALLET_ID', 'SOCIAL_NETWORK_ID'],
      ),
    ),
    nationality: optional(textOf(letterCharacters, 50, 0)),
    ...each(['identificationType', 'identificationValue'], words(50)),
    entityType: optional(text(50)),
    relationship: optional(text(50)),
    occupation: optional(text(50)),
    birthCountry,
  },
);
