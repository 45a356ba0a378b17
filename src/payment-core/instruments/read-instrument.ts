import type { ParameterValues } from '../fields/parameters.js';

/** The instrument of a payment, such as a card or a bank account. */
export interface Instrument {
  /** Codes of the query's paymentMethods: cards and card tokens CC, bank accounts DD, virtual accounts VA. */
  readonly method: 'CC' | 'DD' | 'VA' | 'WA' | 'PP' | null;
  /** The parameter that holds its account number; null if it has none (wallet tokens). */
  readonly field: string | null;
  readonly number: string | null;
  /** The first six digits, for cards only. */
  readonly bin: string | null;
  readonly last4: string | null;
  readonly expiryMonth: string | null;
  readonly expiryYear: string | null;
}

const none: Instrument = {
  method: null,
  field: null,
  number: null,
  bin: null,
  last4: null,
  expiryMonth: null,
  expiryYear: null,
};

type Kind = readonly [method: NonNullable<Instrument['method']>, prefix: string, fields: readonly string[]];

/** The first kind in the request is the instrument. A gift card accompanies another one, so it comes last. */
const kinds: readonly Kind[] = [
  ['CC', 'card.', ['card.number']],
  ['CC', 'tokenAccount.', ['tokenAccount.number']],
  ['DD', 'bankAccount.', ['bankAccount.iban', 'bankAccount.number']],
  ['VA', 'virtualAccount.', ['virtualAccount.accountId']],
  ['PP', 'giftCard.', ['giftCard.number']],
];
const walletTokens = ['walletA.paymentToken', 'walletB.paymentToken', 'walletC.paymentToken'];

/** Reads the instrument from a request's parameters, account numbers included. */
export function readInstrument(parameters: ParameterValues): Instrument {
  for (const [method, prefix, fields] of kinds) {
    const field = fields.find((name) => parameters[name] !== undefined);
    if (field === undefined) continue;
    const number = parameters[field] ?? '';
    // The last four characters of a short identifier would reveal all of it.
    const shortened = number.length >= 8 && method !== 'VA';
    return {
      method,
      field,
      number,
      bin: prefix === 'card.' && /^\d{12,}$/.test(number) ? number.slice(0, 6) : null,
      last4: shortened ? number.slice(-4) : null,
      expiryMonth: parameters[`${prefix}expiryMonth`] ?? null,
      expiryYear: parameters[`${prefix}expiryYear`] ?? null,
    };
  }
  return walletTokens.some((name) => parameters[name] !== undefined) ? { ...none, method: 'WA' } : none;
}

/** Whether a request has an account number that a registration can store. */
export function canBeRegistered(parameters: ParameterValues): boolean {
  return readInstrument(parameters).field !== null;
}

/**
 * The account numbers of a request that belong to its instrument. The others are of a sender, a recipient, the risk
 * check or a gift card that pays a part.
 *
 * @param field the parameter with the account number of the instrument
 */
export function accountsOfInstrument(accounts: ParameterValues, field: string): ParameterValues {
  const prefix = field.slice(0, field.indexOf('.') + 1);
  return Object.fromEntries(Object.entries(accounts).filter(([name]) => name.startsWith(prefix)));
}
