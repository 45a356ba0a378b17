import type { Sql, Tx } from '../../db/client.js';
import type { CoreContext } from '../core/core-context.js';
import { accepted, rejected, type Checked } from '../core/check-request.js';
import { ofEntities } from '../core/of-entities.js';
import { lockClause, type WantedRow } from '../core/row-lock.js';
import { accountsOfInstrument } from '../instruments/read-instrument.js';
import { refuse } from '../responses/stamp-response.js';
import type { ParameterValues } from '../fields/parameters.js';

/** A stored registration. */
export interface StoredRegistration {
  readonly id: string;
  readonly entityId: string | null;
  readonly paymentBrand: string | null;
  readonly parameters: ParameterValues;
  readonly holder: string | null;
  readonly expiryMonth: string | null;
  readonly expiryYear: string | null;
  /** The name of the parameter with the account number. */
  readonly accountField: string;
  readonly accountBin: string | null;
  readonly accountLast4: string | null;
  readonly sealed: { readonly keyId: string; readonly sealed: string } | null;
  readonly initialTransactionId: string | null;
  readonly ndc: string;
  readonly deleted: boolean;
}

/** The binding of a registration's sealed account: it opens with this name only. */
export const boundToRegistration = (id: string): string => `registration ${id}`;

/** The registration with this id, deleted or not, if the caller may see it. */
export async function findRegistration(
  context: CoreContext,
  sql: Sql | Tx,
  { id, caller, lock }: WantedRow,
): Promise<StoredRegistration | undefined> {
  const [row] = await sql<{ registration: string }[]>`
    select jsonb_build_object('id', id, 'entityId', entity_id, 'paymentBrand', payment_brand,
      'parameters', parameters, 'holder', holder, 'expiryMonth', expiry_month, 'expiryYear', expiry_year,
      'accountField', account_field, 'accountBin', account_bin, 'accountLast4', account_last4,
      'sealed', case when account_sealed is null then null
        else jsonb_build_object('keyId', account_key_id, 'sealed', account_sealed) end,
      'initialTransactionId', initial_transaction_id, 'ndc', ndc,
      'deleted', deleted_at is not null)::text as registration
    from registrations
    where id = ${id} and environment = ${context.environment}
      and ${ofEntities(sql, 'entity_id', caller.entityIds)}
    ${lockClause(sql, lock)}`;
  // The statement above builds the document.
  return row === undefined ? undefined : (JSON.parse(row.registration) as StoredRegistration);
}

/** The registration for an operation that uses it: 100.150.200 if it does not exist, 100.150.202 if it was deleted. */
export async function findUsableRegistration(
  context: CoreContext,
  sql: Sql | Tx,
  wanted: WantedRow,
): Promise<Checked<StoredRegistration>> {
  const found = await findRegistration(context, sql, wanted);
  if (found === undefined) return rejected(refuse(context, '100.150.200'));
  return found.deleted ? rejected(refuse(context, '100.150.202')) : accepted(found);
}

const instrumentPrefixes = ['card.', 'bankAccount.', 'tokenAccount.', 'virtualAccount.'];

/** The instrument of a registration as parameters of a payment, with the account number unsealed. */
export function openInstrument(context: CoreContext, registration: StoredRegistration): ParameterValues {
  if (registration.sealed === null) return {};
  const text = context.vault.open(registration.sealed, boundToRegistration(registration.id));
  // `storeRegistration` sealed this record. An earlier version also sealed the other accounts of the payment.
  const sealed = JSON.parse(text) as ParameterValues;
  const accounts = accountsOfInstrument(sealed, registration.accountField);
  const stored = Object.entries(registration.parameters).filter(([name]) =>
    instrumentPrefixes.some((prefix) => name.startsWith(prefix)),
  );
  return { ...Object.fromEntries(stored), ...accounts };
}
