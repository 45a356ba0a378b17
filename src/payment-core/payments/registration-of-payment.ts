import type { Tx } from '../../db/client.js';
import type { CoreContext } from '../core/core-context.js';
import type { ParameterValues } from '../fields/parameters.js';
import { mustHaveWritten } from '../core/transactions.js';
import {
  describeRegistration,
  type DescribedRegistration,
} from '../stored-registrations/describe-registration.js';
import { storeRegistration } from '../stored-registrations/store-registration.js';
import { dispositionOf } from '../results/classify-result-code.js';
import { boundToPayment, type DescribedPayment } from './describe-payment.js';
import type { PaymentContent, StoredPayment } from '../stored-payments/payment-content.js';

/**
 * The registration that a successful payment with createRegistration=true makes from its details (operations 2.2); null
 * if it makes none.
 *
 * @param accounts the account numbers of its request
 */
export function registrationOf(
  context: CoreContext,
  payment: PaymentContent,
  accounts: ParameterValues,
): DescribedRegistration | null {
  const { details } = payment;
  if (details === null || !makesRegistration(payment)) return null;
  return describeRegistration(context, {
    parameters: {
      ...details.parameters,
      ...accounts,
      ...(payment.paymentBrand === null ? {} : { paymentBrand: payment.paymentBrand }),
    },
    initialTransactionId: details.answer.initialTransactionId ?? null,
  });
}

function makesRegistration({ details, resultCode }: PaymentContent): boolean {
  return (
    details?.registrationId === null &&
    details.parameters['createRegistration'] === 'true' &&
    dispositionOf(resultCode) === 'success'
  );
}

/** The payment with the registration that it made. */
export function withRegistration<Payment extends DescribedPayment>(
  payment: Payment,
  described: DescribedRegistration | null,
): Payment {
  if (described === null) return payment;
  const { id } = described.registration;
  return { ...payment, details: { ...payment.details, registrationId: id, registrationCreated: true } };
}

/**
 * A successful payment with a registration stores its scheme reference there, unless the registration already has one
 * (operations 2.3).
 */
export async function storeSchemeReference(tx: Tx, { details, resultCode }: PaymentContent): Promise<void> {
  const reference = details?.answer.initialTransactionId;
  if (details === null || details.registrationId === null || reference === undefined) return;
  if (details.registrationCreated || dispositionOf(resultCode) !== 'success') return;
  await tx`
    update registrations set initial_transaction_id = ${reference}
    where id = ${details.registrationId} and initial_transaction_id is null`;
}

/** Stores what a payment that got its outcome later leaves for later payments. */
export async function storeRegistrationOfPayment(
  context: CoreContext,
  tx: Tx,
  payment: StoredPayment,
): Promise<StoredPayment> {
  const { details } = payment;
  await storeSchemeReference(tx, payment);
  if (details === null || !makesRegistration(payment)) return payment;
  const registration = registrationOf(context, payment, await openAccounts(context, tx, payment));
  if (registration === null) return payment;
  await storeRegistration(context, tx, registration);
  const linked = await tx`
    update payment_details set registration_id = ${registration.registration.id}, registration_created = true
    where payment_key = ${payment.key}::text::bigint`;
  mustHaveWritten(linked);
  return withRegistration({ ...payment, details }, registration);
}

async function openAccounts(context: CoreContext, tx: Tx, payment: StoredPayment): Promise<ParameterValues> {
  const [row] = await tx<{ keyId: string; sealed: string }[]>`
    select account_key_id as "keyId", account_sealed as sealed from payment_details
    where payment_key = ${payment.key}::text::bigint and account_sealed is not null`;
  // `describePayment` sealed this record.
  return row === undefined
    ? {}
    : (JSON.parse(context.vault.open(row, boundToPayment(payment.id))) as ParameterValues);
}
