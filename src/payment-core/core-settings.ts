import type { Sql, Tx } from '../db/client.js';
import type { Connectors } from './connectors/connector.js';
import type { CoreLogger } from './connectors/core-logger.js';
import type { Environment } from './fields/request-kinds.js';
import type { Scheme } from './fields/catalogue/three-d-secure-fields.js';
import type { EncryptionKeys } from './secrets/vault.js';
import type { Throttling } from './core/throttling.js';

/** The database of the core. Give exactly one of the three. */
export type PaymentStore =
  /** A client of the postgres package on a migrated database, int8 as bigint. The caller ends it. */
  | { readonly sql: Sql }
  /** A PostgreSQL server, migrated by `recon migrate`. */
  | { readonly databaseUrl: string }
  /** The embedded PostgreSQL, created and migrated on first use. */
  | { readonly dataDirectory: string };

/** How the core works; every setting but the first two has a default. */
export interface CoreSettings {
  /** `test` supports test modes and the simulator. `live` needs connectors. */
  readonly environment: Environment;
  /** The keys that account numbers are sealed with. */
  readonly encryptionKeys: EncryptionKeys;
  /** The acquirers. In test, the simulator answers without them. */
  readonly connectors?: Connectors;
  /** How long to wait for an acquirer's answer before the result is 900.100.300. Default: 30 seconds. */
  readonly connectorTimeoutMs?: number;
  /** How often each entity may call an operation. Default: no limit. */
  readonly throttling?: Throttling;
  /** How often the status of one checkout may be read in a minute. Default: no limit. */
  readonly checkoutStatusPerMinute?: number;
  /** Gets reports of connectors that failed, or gave an answer that is not valid; never a value. Default: none. */
  readonly logger?: CoreLogger;
  /** Default: 30 minutes. */
  readonly checkoutLifetimeMs?: number;
  /**
   * Epoch milliseconds. Default: the system's clock, and that of the database for what ends or falls due: idempotency
   * keys, checkouts, jobs and the windows of limits.
   */
  readonly clock?: () => number;
  /** Default: the system's random bytes. */
  readonly random?: (bytes: number) => Buffer;
  /** Of every response. Default: that of this package. */
  readonly buildNumber?: string;
  /** Done first in a transaction that stores a payment or a chargeback. Default: nothing. */
  readonly beginStoring?: (tx: Tx) => Promise<void>;
  /** The script of a checkout's page. Default: one that posts the form of the page. */
  readonly paymentScript?: (checkoutId: string) => string;
  /** Where the simulator sends a shopper who must take a step. Default: an address that does not exist. */
  readonly simulatorPage?: () => string;
  /** The card network of a brand. Without this function only the brands schemeA … schemeF have a network. */
  readonly schemeOf?: (paymentBrand: string) => Scheme | undefined;
}

/** Where the payments are, and how the core works. */
export type PaymentCoreOptions = PaymentStore & CoreSettings;
