import type { Tx } from '../db/client.js';
import { ReconError } from '../errors.js';
import type { CoreContext } from './core/core-context.js';
import { inTransaction, mustHaveWritten, reading } from './core/transactions.js';
import { boundToCheckout, sealedMember } from './checkouts/checkout-document.js';
import { boundToPayment } from './payments/describe-payment.js';
import { boundToRegistration } from './stored-registrations/find-registration.js';

/** How many account numbers were encrypted again, those of checkouts not counted. */
export interface KeysRotated {
  /** Payments that had been sealed with an older key. */
  readonly payments: number;
  /** Registrations, deleted ones not counted: their number is wiped. */
  readonly registrations: number;
}

const batchSize = 500;

/**
 * Seals every account number of an older key again with the current key, as far as it belongs to the environment of the
 * core: the other one may have other keys. It may run while the core is in use, and may be interrupted and repeated.
 * Once it has returned and no process uses the old key any longer, the old key can be removed. Hashes for look-up stay:
 * their key does not rotate.
 *
 * @throws ReconError CONFIG_INVALID when an old key is missing from `encryptionKeys`. By then, all other numbers have
 *   the current key, since a key that is lost must not keep the others in use
 */
export async function rotateKeys(context: CoreContext): Promise<KeysRotated> {
  const rotated = {
    payments: await rotateAll(context, rotatePayments),
    registrations: await rotateAll(context, rotateRegistrations),
  };
  for (const olderKeyId of context.vault.olderKeyIds) await rotateCheckouts(context, olderKeyId);
  const missing = await reading(() => findMissingKey(context));
  if (missing === undefined) return rotated;
  throw new ReconError(
    'CONFIG_INVALID',
    `encryptionKeys has no key ${missing}, and account numbers are still sealed with it. All others are sealed with the ` +
      'current key now. Add the missing key, and call rotateKeys again.',
  );
}

type RotateBatch = (context: CoreContext, tx: Tx, olderKeyId: string) => Promise<number>;

async function rotateAll(context: CoreContext, rotateBatch: RotateBatch): Promise<number> {
  let rotated = 0;
  for (const olderKeyId of context.vault.olderKeyIds) {
    let batch: number;
    do {
      batch = await inTransaction(context.sql, (tx) => rotateBatch(context, tx, olderKeyId));
      rotated += batch;
    } while (batch > 0);
  }
  return rotated;
}

interface SealedRow {
  readonly id: string;
  readonly keyId: string;
  readonly sealed: string;
}

async function rotatePayments(context: CoreContext, tx: Tx, olderKeyId: string): Promise<number> {
  const rows = await tx<SealedRow[]>`
    select p.id, d.account_key_id as "keyId", d.account_sealed as sealed
    from payment_details d join payments p on p.key = d.payment_key
    where d.account_key_id = ${olderKeyId} and d.environment = ${context.environment}
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

async function rotateRegistrations(context: CoreContext, tx: Tx, olderKeyId: string): Promise<number> {
  const rows = await tx<SealedRow[]>`
    select id, account_key_id as "keyId", account_sealed as sealed from registrations
    where account_key_id = ${olderKeyId} and environment = ${context.environment}
    order by id limit ${batchSize} for update`;
  const resealed = sealAgain(context, rows, boundToRegistration);
  const updated = await tx`
    update registrations r set account_sealed = given.sealed, account_key_id = given."keyId"
    from jsonb_to_recordset(${JSON.stringify(resealed)}::text::jsonb) as given (id text, "keyId" text, sealed text)
    where r.id = given.id collate "C"`;
  mustHaveWritten(updated, rows.length);
  return rows.length;
}

/**
 * Few checkouts have account numbers, and no index finds those: all are read, once. A key that is lost is not reported
 * for them, because they expire.
 */
async function rotateCheckouts(context: CoreContext, olderKeyId: string): Promise<void> {
  let after: string | undefined = '';
  while (after !== undefined) {
    const from: string = after;
    after = await inTransaction(context.sql, (tx) => rotateCheckoutsAfter(context, tx, olderKeyId, from));
  }
}

/** @returns the last of them; undefined if none is left */
async function rotateCheckoutsAfter(
  context: CoreContext,
  tx: Tx,
  olderKeyId: string,
  after: string,
): Promise<string | undefined> {
  const rows = await tx<SealedRow[]>`
    select id, parameters #>> ${[sealedMember, 'keyId']} as "keyId", parameters #>> ${[sealedMember, 'sealed']} as sealed
    from checkouts
    where id > ${after} and environment = ${context.environment}
      and parameters #>> ${[sealedMember, 'keyId']} = ${olderKeyId}
    order by id limit ${batchSize} for update`;
  const resealed = sealAgain(context, rows, boundToCheckout);
  const updated = await tx`
    update checkouts c set parameters = c.parameters || jsonb_build_object(${sealedMember}::text,
      jsonb_build_object('keyId', given."keyId", 'sealed', given.sealed))
    from jsonb_to_recordset(${JSON.stringify(resealed)}::text::jsonb) as given (id text, "keyId" text, sealed text)
    where c.id = given.id collate "C"`;
  mustHaveWritten(updated, rows.length);
  return rows.at(-1)?.id;
}

/** A key with which a number is sealed and that `encryptionKeys` does not have; undefined if there is none. */
async function findMissingKey({ sql, vault, environment }: CoreContext): Promise<string | undefined> {
  const { currentKeyId, olderKeyIds } = vault;
  const olderKeys = JSON.stringify(olderKeyIds);
  // In a form that an index answers at once when there is none, however many payments are stored.
  const isMissing = () => sql`
    (account_key_id < ${currentKeyId} or account_key_id > ${currentKeyId}) and environment = ${environment}
      and account_key_id not in (select jsonb_array_elements_text(${olderKeys}::text::jsonb) collate "C")`;
  const [row] = await sql<{ keyId: string }[]>`
    select account_key_id as "keyId" from (
      (select account_key_id from payment_details where ${isMissing()} limit 1)
      union all (select account_key_id from registrations where ${isMissing()} limit 1)
    ) sealed limit 1`;
  return row?.keyId;
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
