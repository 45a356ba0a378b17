import type { RequestKind } from '../../../src/payment-core/fields/request-kinds.js';
import type { ParameterError } from '../../../src/payment-core/validation/parameter-error.js';
import type { ValidationOptions } from '../../../src/payment-core/validation/parameter-request.js';
import { validateParameters } from '../../../src/payment-core/validation/validate-parameters.js';

export type Flat = Readonly<Record<string, string>>;

export const inTest: ValidationOptions = { environment: 'test' };

/** Valid requests of each kind, with only the required parameters. */
export const card: Flat = {
  'card.number': '4200000000000000',
  'card.expiryMonth': '05',
  'card.expiryYear': '2034',
};
export const money: Flat = { amount: '92.00', currency: 'EUR' };
export const cardPayment: Flat = { ...money, paymentType: 'DB', paymentBrand: 'VISA', ...card };
export const asynchronousPayment: Flat = { ...money, paymentType: 'DB', paymentBrand: 'BANKLINK' };
export const bankAccount: Flat = {
  'bankAccount.holder': 'Jane Jones',
  'bankAccount.iban': 'DE23100000001234567890',
  'bankAccount.bic': 'MARKDEF1100',
};
export const tokenAccount: Flat = {
  'tokenAccount.number': '4200000000000000',
  'tokenAccount.type': 'NETWORK',
};
export const capture: Flat = { ...money, paymentType: 'CP' };
export const checkout: Flat = { ...money, paymentType: 'DB' };
export const registration: Flat = { paymentBrand: 'VISA', ...card };
export const names: Flat = { 'customer.givenName': 'Jane', 'customer.surname': 'Jones' };

export const smallest: Readonly<Record<RequestKind, Flat>> = {
  payment: cardPayment,
  reference: capture,
  checkout,
  registration,
  migration: { ...registration, 'recurringMigration.paymentType': 'DB' },
  chargeback: {},
  query: {},
  reporting: { 'date.from': '2026-11-01', 'date.to': '2026-11-30' },
  job: {},
};

export function errorsOf(
  kind: RequestKind,
  parameters: Readonly<Record<string, unknown>>,
  options: Partial<ValidationOptions> = {},
): readonly ParameterError[] {
  return validateParameters(kind, parameters, { ...inTest, ...options });
}

/** The reported names, in their order. */
export function namesOf(
  kind: RequestKind,
  parameters: Readonly<Record<string, unknown>>,
  options: Partial<ValidationOptions> = {},
): readonly string[] {
  return errorsOf(kind, parameters, options).map(({ name }) => name);
}
