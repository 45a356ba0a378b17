import type { Sql } from '../../db/client.js';
import type { Connectors } from '../connectors/connector.js';
import type { Environment } from '../fields/request-kinds.js';
import type { Scheme } from '../fields/three-d-secure-fields.js';
import type { Vault } from '../secrets/vault.js';
import type { Throttling } from '../throttling/throttling.js';

/** The part of a logger that the core needs; one of pino fits. */
export interface CoreLogger {
  warn(details: object, message: string): void;
}

/** What every operation works with: made once by `createPaymentCore`, never changed. */
export interface CoreContext {
  readonly sql: Sql;
  readonly environment: Environment;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** Where what a connector answers wrongly is reported. */
  readonly logger: CoreLogger;
  /** Unpredictable bytes, for identifiers and nonces. */
  readonly random: (bytes: number) => Buffer;
  readonly vault: Vault;
  readonly connectors: Connectors;
  readonly connectorTimeoutMs: number;
  readonly throttling: Throttling;
  readonly checkoutLifetimeMs: number;
  readonly buildNumber: string;
  /** The card network of a brand, for the rules that depend on it. */
  readonly schemeOf: (paymentBrand: string) => Scheme | undefined;
  /** The script that a checkout's page loads; its hash is returned when `integrity` is asked for. */
  readonly paymentScript: (checkoutId: string) => string;
}

/**
 * On whose behalf a request is made. With `entityIds` it sees and touches only what belongs to these entities;
 * anything else is as if it did not exist. Without, it sees everything.
 */
export interface Caller {
  readonly entityIds?: readonly string[];
}

/** Whether something of this entity is the caller's to see. */
export function mayAccess(caller: Caller, entityId: string | null): boolean {
  return caller.entityIds === undefined || (entityId !== null && caller.entityIds.includes(entityId));
}
