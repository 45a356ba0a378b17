import { catalogue, fieldsOf } from '../../fields/catalogue/catalogue.js';
import type { ParameterName } from '../../fields/parameter-names.js';
import { instrumentKinds } from '../../fields/request-kinds.js';
import { wallets } from '../../fields/catalogue/wallet-fields.js';
import { instrumentsOf, paysWithRegistration, walletsOf } from '../instruments.js';
import type { ParameterRequest } from '../parameter-request.js';
import { missing, unwanted, type Rule, type Violation } from './rule.js';

/** The parameters of a structure that are required as soon as any of its parameters is sent. */
function structureRule(
  structure: 'card' | 'virtualAccount' | 'bankAccount' | 'tokenAccount' | 'recurringMigration',
  section: string,
  excused: (request: ParameterRequest) => boolean,
): Rule {
  const needed = catalogue.filter(
    (field) => field.name.startsWith(`${structure}.`) && field.requirement === 'required',
  );
  // No field of these structures has a placeholder in its name.
  const names = needed.map((field) => field.name as ParameterName);
  return {
    name: `complete-${structure.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    section,
    statement: `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} required when any ${structure}.* is sent.`,
    kinds: instrumentKinds,
    about: [structure],
    check: (request) =>
      request.under(`${structure}.`).length === 0 || excused(request)
        ? []
        : missing(request, names, `is required when any ${structure} parameter is sent`),
  };
}

/** card.holder and card.cvv may accompany a token or a registration, which contains the number. */
const cardIsElsewhere = (request: ParameterRequest) =>
  paysWithRegistration(request) || (request.has('tokenAccount.number') && !request.has('card.number'));

function eitherOf(
  request: ParameterRequest,
  names: readonly [ParameterName, ParameterName],
): readonly Violation[] {
  const [first, second] = names;
  if (request.has(first) || request.has(second)) return [];
  return [
    { name: first, message: `is required unless ${second} is sent` },
    { name: second, message: `is required unless ${first} is sent` },
  ];
}

function bankAccountRule(name: string, names: readonly [ParameterName, ParameterName]): Rule {
  return {
    name,
    section: 'catalogue 2.4',
    statement: `Either ${names.join(' or ')} is required when any bankAccount.* is sent; both are reported as missing.`,
    kinds: instrumentKinds,
    about: ['bankAccount'],
    check: (request) =>
      request.under('bankAccount.').length === 0 || paysWithRegistration(request)
        ? []
        : eitherOf(request, names),
  };
}

const decryptedData: readonly ParameterName[] = [
  'card.number',
  'card.expiryMonth',
  'card.expiryYear',
  'threeDSecure.verificationId',
  'threeDSecure.eci',
];

/** Reports an expiry (year, month) before the day. A card is valid until the end of its month. */
function expired(request: ParameterRequest, instrument: 'card' | 'tokenAccount'): readonly Violation[] {
  const year = request.value(`${instrument}.expiryYear`) ?? '';
  const month = request.value(`${instrument}.expiryMonth`) ?? '';
  const { today } = request.options;
  if (today === undefined || !/^\d{4}$/.test(year) || !/^(?:0[1-9]|1[0-2])$/.test(month)) return [];
  if (`${year}-${month}` >= today.slice(0, 7)) return [];
  const inTime = year >= today.slice(0, 4);
  return [
    { name: inTime ? `${instrument}.expiryMonth` : `${instrument}.expiryYear`, message: 'is in the past' },
  ];
}

/**
 * The rules about what pays (catalogue 2.1 to 2.5, 2.19): one instrument, with all its parameters, that has not
 * expired.
 */
export const instrumentRules: readonly Rule[] = [
  structureRule('card', 'catalogue 2.1', cardIsElsewhere),
  {
    name: 'wallet-token-or-decrypted-data',
    section: 'catalogue 2.2',
    statement:
      'A wallet is sent as (a) its paymentToken or (b) its source with card.number, card.expiryMonth, card.expiryYear, threeDSecure.verificationId (not in a checkout) and threeDSecure.eci.',
    kinds: instrumentKinds,
    about: wallets,
    check: (request) =>
      walletsOf(request).flatMap((wallet) => {
        if (request.has(`${wallet}.paymentToken`)) return [];
        if (request.has(`${wallet}.source`)) {
          const ofKind = decryptedData.filter((name) => fieldsOf(request.kind).has(name));
          return missing(request, ofKind, 'is required when a wallet sends decrypted data');
        }
        return eitherOf(request, [`${wallet}.paymentToken`, `${wallet}.source`]);
      }),
  },
  structureRule('virtualAccount', 'catalogue 2.3', paysWithRegistration),
  structureRule('bankAccount', 'catalogue 2.4', paysWithRegistration),
  bankAccountRule('bank-account-number-or-iban', ['bankAccount.number', 'bankAccount.iban']),
  bankAccountRule('bank-code-or-bic', ['bankAccount.bankCode', 'bankAccount.bic']),
  structureRule('tokenAccount', 'catalogue 2.5', paysWithRegistration),
  {
    name: 'one-instrument',
    section: 'operations 1',
    statement:
      'A payment is made with one instrument: card, wallet, virtual account, bank account, token account or registration. The second and all further ones are reported.',
    kinds: instrumentKinds,
    check: (request) => {
      const own = instrumentsOf(request);
      const surplus = paysWithRegistration(request) ? own : own.slice(1);
      return unwanted(surplus, 'is a second instrument, but a payment has only one');
    },
  },
  {
    name: 'not-expired',
    section: 'operations 1',
    statement: 'If the day is known, a card or token does not expire before the month of that day.',
    kinds: instrumentKinds,
    about: ['card', 'tokenAccount'],
    check: (request) => [...expired(request, 'card'), ...expired(request, 'tokenAccount')],
  },
  {
    ...structureRule('recurringMigration', 'catalogue 2.19', () => false),
    kinds: ['registration'],
  },
];
