import type { Fragment, Sql, Tx } from '../../db/client.js';
import type { CoreContext } from '../core/core-context.js';
import type { Environment } from '../fields/request-kinds.js';
import { insertionOfEvents } from '../events/record-events.js';
import type { DescribedRegistration } from './describe-registration.js';

/**
 * Stores a registration and its notification in one statement. If the id exists, nothing is written, so the statement
 * can be sent again when its answer was lost.
 */
export async function storeRegistration(
  context: CoreContext,
  sql: Sql | Tx,
  described: DescribedRegistration,
): Promise<void> {
  await sql`
    with stored as (
      ${insertionOfRegistration(context.environment, sql, described, sql`true`)} on conflict (id) do nothing returning 1
    )
    ${insertionOfEvents(sql, [described.event], sql`exists (select from stored)`)}`;
}

/** A fragment: inserts the registration if the condition holds. */
export function insertionOfRegistration(
  environment: Environment,
  sql: Sql | Tx,
  { registration, paymentMethod, createdAt }: DescribedRegistration,
  condition: Fragment,
) {
  const row = {
    id: registration.id,
    environment,
    entity_id: registration.entityId,
    payment_brand: registration.paymentBrand,
    payment_method: paymentMethod,
    parameters: registration.parameters,
    holder: registration.holder,
    expiry_month: registration.expiryMonth,
    expiry_year: registration.expiryYear,
    account_field: registration.accountField,
    account_bin: registration.accountBin,
    account_last4: registration.accountLast4,
    account_sealed: registration.sealed?.sealed ?? null,
    account_key_id: registration.sealed?.keyId ?? null,
    initial_transaction_id: registration.initialTransactionId,
    ndc: registration.ndc,
    created_at: createdAt,
  };
  return sql`
    insert into registrations (id, environment, entity_id, payment_brand, payment_method, parameters, holder,
      expiry_month, expiry_year, account_field, account_bin, account_last4, account_sealed, account_key_id,
      initial_transaction_id, ndc, created_at)
    select given.*
    from jsonb_to_record(${JSON.stringify(row)}::text::jsonb) as given (id text, environment text, entity_id text,
      payment_brand text, payment_method text, parameters jsonb, holder text, expiry_month text, expiry_year text,
      account_field text, account_bin text, account_last4 text, account_sealed text, account_key_id text,
      initial_transaction_id text, ndc text, created_at timestamptz)
    where ${condition}`;
}
