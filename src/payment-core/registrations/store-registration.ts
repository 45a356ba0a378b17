import type { Tx } from '../../db/client.js';
import type { CoreContext } from '../core/core-context.js';
import type { Parameters } from '../fields/parameters.js';
import { newId, newNdc } from '../core/identifiers.js';
import { storedMoment } from '../core/moments.js';
import { notifyOfRegistration } from '../events/notify.js';
import { readInstrument } from '../payments/instrument.js';
import { splitSecrets } from '../secrets/split-secrets.js';
import { registrationResponse, type RegistrationResponse } from './registration-response.js';
import { boundToRegistration, type StoredRegistration } from './stored-registration.js';

/** The data of a new registration. */
export interface NewRegistration {
  /** Secrets included. They contain an instrument with an account number. */
  readonly parameters: Parameters;
  readonly initialTransactionId: string | null;
}

/**
 * Stores payment details for later payments and records a notification (operations 6). Security codes are not
 * stored.
 */
export async function storeRegistration(
  context: CoreContext,
  tx: Tx,
  { parameters, initialTransactionId }: NewRegistration,
): Promise<RegistrationResponse> {
  const { open, accounts } = splitSecrets(parameters);
  const instrument = readInstrument(parameters);
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
    sealed: context.vault.seal(JSON.stringify(accounts), boundToRegistration(id)),
    initialTransactionId,
    ndc: newNdc(context.random),
    deleted: false,
  };
  const now = storedMoment(context.clock());
  await tx`
    insert into registrations (id, environment, entity_id, payment_brand, payment_method, parameters, holder,
      expiry_month, expiry_year, account_field, account_bin, account_last4, account_sealed, account_key_id,
      account_hash, initial_transaction_id, ndc, created_at)
    select ${id}::text, ${context.environment}::text, ${registration.entityId}::text,
      ${registration.paymentBrand}::text, ${instrument.method}::text, ${JSON.stringify(open)}::text::jsonb,
      ${registration.holder}::text, ${registration.expiryMonth}::text, ${registration.expiryYear}::text,
      ${registration.accountField}::text, ${registration.accountBin}::text,
      ${registration.accountLast4}::text, ${registration.sealed?.sealed ?? null}::text,
      ${registration.sealed?.keyId ?? null}::text, ${context.vault.lookupHash(instrument.number ?? '')}::text,
      ${initialTransactionId}::text, ${registration.ndc}::text, ${now}::text::timestamptz`;
  const response = registrationResponse(context, registration);
  await notifyOfRegistration(context, tx, 'CREATED', registration, response);
  return response;
}

/** The parameter with the holder of this instrument. */
export function holderField(parameters: Parameters): 'card.holder' | 'bankAccount.holder' {
  const isBankAccount =
    parameters['bankAccount.iban'] !== undefined || parameters['bankAccount.number'] !== undefined;
  return isBankAccount ? 'bankAccount.holder' : 'card.holder';
}
