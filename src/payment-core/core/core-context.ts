import type { Sql, Tx } from '../../db/client.js';
import type { Together } from '../../db/send-together.js';
import type { Connectors } from '../connectors/connector.js';
import type { CoreLogger } from '../connectors/core-logger.js';
import type { Environment } from '../fields/request-kinds.js';
import type { Scheme } from '../fields/catalogue/three-d-secure-fields.js';
import type { ResponseContext } from '../responses/stamp-response.js';
import type { Vault } from '../secrets/vault.js';
import type { KeyClaim } from './key-claim.js';
import type { CallerPermission } from './caller-permission.js';
import type { Throttling } from './throttling.js';

/** The settings and services of every operation. `createPaymentCore` creates it once; it never changes. */
export interface CoreContext extends ResponseContext {
  readonly sql: Sql;
  /** Done first in a transaction that stores a payment. */
  readonly beginStoring?: ((tx: Tx) => Promise<void>) | undefined;
  /** Sends statements together with those of other requests. */
  readonly together: Together;
  /** The clock of the settings; without one, what machines must agree on follows the database (`sharedMoment`). */
  readonly givenClock: (() => number) | undefined;
  readonly environment: Environment;
  /** Receives a report of every invalid connector answer. */
  readonly logger: CoreLogger;
  readonly vault: Vault;
  readonly connectors: Connectors;
  readonly connectorTimeoutMs: number;
  readonly throttling: Throttling;
  /** How often the status of one checkout may be read in a minute; undefined: no limit. */
  readonly checkoutStatusPerMinute?: number | undefined;
  readonly checkoutLifetimeMs: number;
  /** The card network of a brand, for the rules that depend on it. */
  readonly schemeOf: (paymentBrand: string) => Scheme | undefined;
  /** The idempotency key of this call, if it has one. */
  readonly claim?: KeyClaim;
  /** Where the simulator sends a shopper who must take a step. */
  readonly simulatorPage: () => string;
  /** The script that a checkout's page loads. Its hash is returned when `integrity` is requested. */
  readonly paymentScript: (checkoutId: string) => string;
}

/**
 * On whose behalf a request is made. With `entityIds` it reads and changes only data of these entities; for all other
 * data it gets the same response as if that data did not exist. Without `entityIds` it sees everything.
 */
export interface Caller {
  /** The ids of the entities (operations 5). With an empty list nothing is found, and nothing is stored. */
  readonly entityIds?: readonly string[];
  /**
   * The same request with the same key is made once, and answered again from what was stored. For operations that make,
   * change or end something; a key belongs to one entity and is remembered for 24 hours. 1-255 characters.
   */
  readonly idempotencyKey?: string;
  /** Who makes the request: a person, or the id of a token. Kept with a chargeback that is booked. 1-200 characters. */
  readonly author?: string;
  /** Must be valid when the request is carried out. Otherwise nothing is done, and the code is 800.900.300. */
  readonly permission?: CallerPermission;
}

/** Whether the caller may see data of this entity. */
export function mayAccess(caller: Caller, entityId: string | null): boolean {
  return caller.entityIds === undefined || (entityId !== null && caller.entityIds.includes(entityId));
}

/** The entity of a caller that acts for exactly one; otherwise empty. */
export function onlyEntityOf({ entityIds }: Caller): string {
  return entityIds?.length === 1 ? (entityIds[0] ?? '') : '';
}
