import type { Sql, Tx } from '../../db/client.js';
import { writeOnce } from '../../db/write-once.js';
import type { CoreContext } from '../core/core-context.js';
import type { KeyClaim } from '../core/key-claim.js';
import { sharedMoment } from '../core/shared-moment.js';
import { inTransaction, reading } from '../core/transactions.js';
import { keyLifetime, type KeyedResource } from './idempotency-key.js';

/** What a key was used for. */
export interface KeyUse {
  readonly fingerprint: string;
  readonly resource: KeyedResource;
  readonly resourceId: string;
  /** JSON; null when the process ended before it could answer. */
  readonly answer: string | null;
}

/** Another request with this key is in progress. */
export class KeyInFlight extends Error {}

/** Another request used this key while this one was on its way. */
export class KeyWasUsed extends Error {}

/** The use of a key, if it was used within its lifetime. */
export async function findKeyUse(context: CoreContext, claim: KeyClaim): Promise<KeyUse | undefined> {
  return reading(() => selectUse(context, context.sql, claim));
}

async function selectUse(
  context: CoreContext,
  sql: Sql | Tx,
  { entityId, key }: KeyClaim,
): Promise<KeyUse | undefined> {
  const [use] = await sql<KeyUse[]>`
    select fingerprint, resource, resource_id as "resourceId", answer
    from idempotency_keys
    where environment = ${context.environment} and entity_id = ${entityId} and key = ${key}
      and created_at > ${sharedMoment(context, sql)} - ${keyLifetime}::text::interval`;
  return use;
}

/**
 * The transaction in which an operation stores its resource. With an idempotency key, one request at a time holds the
 * key until the transaction ends, a killed process included.
 *
 * @throws KeyInFlight, KeyWasUsed
 */
export function inKeyedTransaction<T>(context: CoreContext, work: (tx: Tx) => Promise<T>): Promise<T> {
  const { claim, beginStoring } = context;
  if (claim === undefined && beginStoring === undefined) return inTransaction(context.sql, work);
  return inTransaction(context.sql, async (tx) => {
    await beginStoring?.(tx);
    if (claim === undefined) return work(tx);
    claim.isUsed = false;
    const name = JSON.stringify([context.environment, claim.entityId, claim.key]);
    // Sent together: the second statement sees what was committed when the first was done. `execute` sends the first at
    // once; otherwise it would be sent when it is awaited, which is after the second.
    const locking = tx<{ held: boolean }[]>`
      select pg_try_advisory_xact_lock(hashtextextended(${name}::text, 0)) as held`.execute();
    const [[lock], use] = await Promise.all([locking, selectUse(context, tx, claim)]);
    if (lock?.held !== true) throw new KeyInFlight();
    if (use !== undefined) throw new KeyWasUsed();
    return work(tx);
  });
}

/** Keys that are removed with each new one, so that old ones never pile up. */
const removedAtOnce = 20;

/**
 * Notes what the key of this call led to, in the transaction that stores it. Without a key nothing happens. A key that
 * was used within its lifetime is not replaced, whatever was read before: the primary key decides between two requests.
 *
 * @throws KeyWasUsed
 */
export async function useKey(
  context: CoreContext,
  tx: Tx,
  resource: KeyedResource,
  resourceId: string,
): Promise<void> {
  const { claim, environment } = context;
  if (claim === undefined || claim.isUsed) return;
  const now = sharedMoment(context, tx);
  const expired = tx`${now} - ${keyLifetime}::text::interval`;
  const written = await tx`
    with removed as (
      delete from idempotency_keys where ctid = any (array(
        select ctid from idempotency_keys
        where created_at <= ${expired}
          and (environment, entity_id, key) <> (${environment}::text, ${claim.entityId}::text, ${claim.key}::text)
        limit ${removedAtOnce}::int for update skip locked))
    )
    insert into idempotency_keys as known (environment, entity_id, key, fingerprint, resource, resource_id, created_at)
    select ${environment}::text, ${claim.entityId}::text, ${claim.key}::text, ${claim.fingerprint}::text,
      ${resource}::text, ${resourceId}::text, ${now}
    on conflict (environment, entity_id, key) do update
      set fingerprint = excluded.fingerprint, resource = excluded.resource, resource_id = excluded.resource_id,
        answer = null, created_at = excluded.created_at
      where known.created_at <= ${expired}`;
  if (written.count === 0) throw new KeyWasUsed();
  claim.isUsed = true;
}

/** What an operation makes, and the statement that stores it. */
export interface NewResource {
  readonly resource: KeyedResource;
  readonly resourceId: string;
  readonly store: (sql: Sql | Tx) => Promise<void>;
  /** The same in one statement with other requests; used only without an idempotency key. */
  readonly storeWithOthers?: (() => Promise<void>) | undefined;
}

/**
 * Stores a new resource by one statement that is skipped when its id exists. Without an idempotency key the statement
 * is its own transaction (`writeOnce`); with one, the key's lock and row belong to the same transaction.
 */
export async function inOneTransaction(
  context: CoreContext,
  { resource, resourceId, store, storeWithOthers = () => store(context.sql) }: NewResource,
): Promise<void> {
  if (context.claim === undefined) return writeOnce(storeWithOthers);
  await inKeyedTransaction(context, async (tx) => {
    await Promise.all([store(tx), useKey(context, tx, resource, resourceId)]);
  });
}

/** Keeps the answer of a call, which holds no secret, for the next request with its key. */
export async function keepAnswer(context: CoreContext, claim: KeyClaim, answer: object): Promise<void> {
  await reading(
    () => context.sql`
      update idempotency_keys set answer = ${JSON.stringify(answer)}
      where environment = ${context.environment} and entity_id = ${claim.entityId} and key = ${claim.key}
        and fingerprint = ${claim.fingerprint}`,
  );
}
