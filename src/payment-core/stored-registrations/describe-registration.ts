import type { CoreContext } from '../core/core-context.js';
import type { ParameterValues } from '../fields/parameters.js';
import { newId, newNdc } from '../values/identifiers.js';
import { storedMoment } from '../values/moments.js';
import { registrationEvent } from '../events/notify.js';
import type { NewEvent } from '../events/record-events.js';
import { accountsOfInstrument, readInstrument } from '../instruments/read-instrument.js';
import { splitSecrets } from '../secrets/split-secrets.js';
import type { RegistrationResponse } from '../responses/response-types.js';
import { registrationResponse } from './registration-response.js';
import { boundToRegistration, type StoredRegistration } from './find-registration.js';

/** The data of a new registration. */
export interface NewRegistration {
  /** Secrets included. They contain an instrument with an account number. */
  readonly parameters: ParameterValues;
  readonly initialTransactionId: string | null;
}

/** A registration that is about to be stored, its response and its notification (operations 6). */
export interface DescribedRegistration {
  readonly registration: StoredRegistration;
  readonly paymentMethod: string | null;
  readonly createdAt: string;
  readonly response: RegistrationResponse;
  readonly event: NewEvent;
}

/** The row of a new registration. Security codes are not stored. */
export function describeRegistration(
  context: CoreContext,
  { parameters, initialTransactionId }: NewRegistration,
): DescribedRegistration {
  const { open, accounts } = splitSecrets(parameters);
  const instrument = readInstrument(parameters);
  const own = accountsOfInstrument(accounts, instrument.field ?? '');
  const id = newId(context.random);
  const registration: StoredRegistration = {
    id,
    entityId: parameters['entityId'] ?? null,
    paymentBrand: parameters['paymentBrand'] ?? null,
    parameters: open,
    holder: open[holderField(parameters)] ?? null,
    expiryMonth: instrument.expiryMonth,
    expiryYear: instrument.expiryYear,
    accountField: instrument.field ?? '',
    accountBin: instrument.bin,
    accountLast4: instrument.last4,
    sealed: context.vault.seal(JSON.stringify(own), boundToRegistration(id)),
    initialTransactionId,
    ndc: newNdc(context.random),
    deleted: false,
  };
  const response = registrationResponse(context, registration);
  return {
    registration,
    paymentMethod: instrument.method,
    createdAt: storedMoment(context.clock()),
    response,
    event: registrationEvent(context, 'CREATED', registration, response),
  };
}

/**
 * Which parameter has the name of the holder: that of a bank account if its number was sent, otherwise that of the
 * card.
 */
export function holderField(parameters: ParameterValues): 'card.holder' | 'bankAccount.holder' {
  const isBankAccount =
    parameters['bankAccount.iban'] !== undefined || parameters['bankAccount.number'] !== undefined;
  return isBankAccount ? 'bankAccount.holder' : 'card.holder';
}
