import type { Tx } from '../../db/client.js';
import type { CoreContext } from '../core/core-context.js';
import type { Parameters } from '../fields/parameters.js';
import { mustHaveWritten } from '../core/transactions.js';
import { storeRegistration } from '../registrations/store-registration.js';
import { dispositionOf } from '../results/classify-result-code.js';
import { boundToPayment } from './store-payment.js';
import type { StoredPayment } from './stored-payment.js';

/**
 * Stores what a successful payment leaves for later payments. With createRegistration=true that is a registration
 * with its details (operations 2.2). A payment with a registration stores its scheme reference there, unless the
 * registration already has one (operations 2.3).
 */
export async function storeRegistrationOfPayment(
  context: CoreContext,
  tx: Tx,
  payment: StoredPayment,
): Promise<StoredPayment> {
  const { details } = payment;
  if (details === null || dispositionOf(payment.resultCode) !== 'success') return payment;
  const initialTransactionId = details.answer.initialTransactionId ?? null;
  if (details.registrationId !== null) {
    await storeSchemeReference(tx, details.registrationId, initialTransactionId);
    return payment;
  }
  if (details.parameters['createRegistration'] !== 'true') return payment;
  const accounts = await openAccounts(context, tx, payment);
  const registration = await storeRegistration(context, tx, {
    parameters: {
      ...details.parameters,
      ...accounts,
      ...(payment.paymentBrand === null ? {} : { paymentBrand: payment.paymentBrand }),
    },
    initialTransactionId,
  });
  const linked = await tx`
    update payment_details set registration_id = ${registration.id}, registration_created = true
    where payment_key = ${payment.key}::text::bigint`;
  mustHaveWritten(linked);
  return { ...payment, details: { ...details, registrationId: registration.id, registrationCreated: true } };
}

async function storeSchemeReference(tx: Tx, registrationId: string, reference: string | null): Promise<void> {
  if (reference === null) return;
  await tx`
    update registrations set initial_transaction_id = ${reference}
    where id = ${registrationId} and initial_transaction_id is null`;
}

async function openAccounts(context: CoreContext, tx: Tx, payment: StoredPayment): Promise<Parameters> {
  const [row] = await tx<{ keyId: string; sealed: string }[]>`
    select account_key_id as "keyId", account_sealed as sealed from payment_details
    where payment_key = ${payment.key}::text::bigint and account_sealed is not null`;
  // `storePayment` sealed this record.
  return row === undefined
    ? {}
    : (JSON.parse(context.vault.open(row, boundToPayment(payment.id))) as Parameters);
}
