import type { Tx } from '../db/client.js';
import type { CoreContext } from './core/core-context.js';
import { inTransaction, mustHaveWritten } from './core/transactions.js';
import { boundToPayment } from './payments/describe-payment.js';
import { boundToRegistration } from './stored-registrations/find-registration.js';

/** How many account numbers were encrypted again. */
export interface KeysRotated {
  readonly payments: number;
  readonly registrations: number;
}

const batchSize = 500;

/**
 * Seals every account number of an older key again with the current key, as far as it belongs to the environment of the
 * core: the other one may have other keys. It may run while the core is in use, and may be interrupted and repeated.
 * Once it has returned and no process uses the old key any longer, the old key can be removed. Hashes for look-up stay:
 * their key does not rotate.
 *
 * @throws ReconError CONFIG_INVALID when an old key is missing from `encryptionKeys`
 */
export async function rotateKeys(context: CoreContext): Promise<KeysRotated> {
  return {
    payments: await rotateAll(context, rotatePayments),
    registrations: await rotateAll(context, rotateRegistrations),
  };
}

async function rotateAll(
  context: CoreContext,
  rotateBatch: (context: CoreContext, tx: Tx) => Promise<number>,
): Promise<number> {
  for (let rotated = 0; ;) {
    const batch = await inTransaction(context.sql, (tx) => rotateBatch(context, tx));
    if (batch === 0) return rotated;
    rotated += batch;
  }
}

interface SealedRow {
  readonly id: string;
  readonly keyId: string;
  readonly sealed: string;
}

async function rotatePayments(context: CoreContext, tx: Tx): Promise<number> {
  const rows = await tx<SealedRow[]>`
    select p.id, d.account_key_id as "keyId", d.account_sealed as sealed
    from payment_details d join payments p on p.key = d.payment_key
    where ${hasOlderKey(context, tx, 'd')} and d.environment = ${context.environment}
    order by d.payment_key limit ${batchSize} for update of d`;
  const resealed = sealAgain(context, rows, boundToPayment);
  const updated = await tx`
    update payment_details d set account_sealed = given.sealed, account_key_id = given."keyId"
    from jsonb_to_recordset(${JSON.stringify(resealed)}::text::jsonb) as given (id text, "keyId" text, sealed text)
    join payments p on p.id = given.id collate "C"
    where d.payment_key = p.key`;
  mustHaveWritten(updated, rows.length);
  return rows.length;
}

async function rotateRegistrations(context: CoreContext, tx: Tx): Promise<number> {
  const rows = await tx<SealedRow[]>`
    select id, account_key_id as "keyId", account_sealed as sealed from registrations r
    where ${hasOlderKey(context, tx, 'r')} and environment = ${context.environment}
    order by id limit ${batchSize} for update`;
  const resealed = sealAgain(context, rows, boundToRegistration);
  const updated = await tx`
    update registrations r set account_sealed = given.sealed, account_key_id = given."keyId"
    from jsonb_to_recordset(${JSON.stringify(resealed)}::text::jsonb) as given (id text, "keyId" text, sealed text)
    where r.id = given.id collate "C"`;
  mustHaveWritten(updated, rows.length);
  return rows.length;
}

/** In a form that an index answers at once when there is none, however many payments are stored. */
function hasOlderKey({ vault: { currentKeyId } }: CoreContext, tx: Tx, table: 'd' | 'r') {
  const keyId = tx`${tx(table)}.account_key_id`;
  return tx`(${keyId} < ${currentKeyId} or ${keyId} > ${currentKeyId})`;
}

function sealAgain(
  { vault }: CoreContext,
  rows: readonly SealedRow[],
  boundTo: (id: string) => string,
): SealedRow[] {
  return rows.map((row) => ({
    id: row.id,
    ...vault.seal(vault.open(row, boundTo(row.id)), boundTo(row.id)),
  }));
}
