import { conditional, declareFields, optional } from '../field.js';
import {
  country,
  currency,
  digits,
  number,
  oneOf,
  shape,
  text,
  textOf,
  trueOrFalse,
  twoDigitCodes,
  type Characters,
} from '../field-type.js';
import { instrumentKinds, proofKinds } from '../request-kinds.js';

/** The six card networks, by their neutral names. */
export const schemes = ['schemeA', 'schemeB', 'schemeC', 'schemeD', 'schemeE', 'schemeF'] as const;
/** A card network as parameters name it, such as `schemeA`; see {@link schemes}. */
export type Scheme = (typeof schemes)[number];

const exactly = (length: number, what: string, example: string) =>
  shape(new RegExp(`^.{${length}}$`, 'su'), `exactly ${length} characters, ${what}`, example);
const uuid = '97267598-fae6-48f2-8083-3dc2c4a8a6fd';

const scoreCharacters: Characters = {
  pattern: /^[A-Za-z0-9\s!-/:-@[-`{-~]*$/,
  says: 'letters, digits, blanks and punctuation only',
  filler: '1',
};

const section = { section: 'catalogue 2.20', prefix: 'threeDSecure.', kinds: instrumentKinds } as const;

/** Used during the authentication message only (catalogue 2.20, first table). */
const authenticationMessageFields = declareFields(section, {
  amount: optional({ kind: 'amount', integerDigits: 9, decimals: 'mandatory' }),
  currency: optional(currency),
  deviceInfo: conditional(text(65536), {
    kinds: proofKinds,
    sensitivity: 'authentication',
    note: 'as the mobile SDK returns it',
  }),
  'merchant.name': optional(text(100)),
  'merchant.url': optional(text(2048)),
  'merchant.country': optional(country('alpha-3')),
  'v2.<scheme>.requestorId': optional(text(100)),
  'v2.<scheme>.requestorName': optional(text(100)),
  channel: optional(number(1, 99)),
  npa: optional(trueOrFalse),
  decoupled: optional(trueOrFalse),
  threeRIInd: optional(oneOf('RECURRING', 'SPLIT_SHIPMENT', 'DELAYED_SHIPMENT')),
  authenticationInd: optional(
    oneOf(
      ...['PAYMENT', 'RECURRING', 'INSTALLMENT', 'ADD_CARD', 'MAINTAIN_CARD', 'EMV_ID', 'BILLING_AGREEMENT'],
      ...['SPLIT_SHIPMENT', '_DELAYED_SHIPMENT', 'DELAYED_SHIPMENT', 'SPLIT_PAYMENT'],
    ),
    { note: 'the document writes `_DELAYED_SHIPMENT`; both spellings are accepted' },
  ),
  disable: optional(trueOrFalse),
});

/** Proof of an authentication by an external server (catalogue 2.20, second table). */
export const authenticationProofFields = declareFields(section, {
  eci: conditional(twoDigitCodes(8)),
  verificationId: conditional(exactly(28, 'a CAVV or AAV', 'AAABBIIFmAAAAAAAAAAAAAAAAAA='), {
    kinds: proofKinds,
    sensitivity: 'authentication',
  }),
  authenticationStatus: conditional(oneOf('Y', 'A', 'U', 'N')),
  dsTransactionId: optional(exactly(36, 'the transaction id of the directory server', uuid)),
  acsTransactionId: optional(exactly(36, 'the transaction id of the access control server', uuid)),
  challengeMandatedIndicator: optional(oneOf('Y', 'N')),
  version: optional(shape(/^[12]\.\d\.\d$/, 'digit.digit.digit starting with 1 or 2', '2.2.0')),
  authType: optional(twoDigitCodes(4)),
  transactionStatusReason: optional(digits(2)),
});

/** Allowed in both messages (catalogue 2.20, third table). */
const exemptionFields = declareFields(section, {
  challengeIndicator: optional(twoDigitCodes(9)),
  exemptionFlag: optional(twoDigitCodes(4)),
});

/** Scheme data (catalogue 2.21): the three keys of the document. */
export const schemeDataFields = declareFields(
  { section: 'catalogue 2.21', prefix: 'threeDSecure.', kinds: instrumentKinds },
  {
    'schemeData[SCHEMEF-ITEMSNB]': conditional(digits(2)),
    'schemeData[SCHEMEF-SCORE_MERCHANT]': conditional(textOf(scoreCharacters, 20)),
    'schemeData[SCHEMEF-USECASE]': conditional(digits(2)),
  },
);

/** The fields of `threeDSecure.*`. */
export const threeDSecureFields = [
  ...authenticationMessageFields,
  ...authenticationProofFields,
  ...exemptionFields,
];
