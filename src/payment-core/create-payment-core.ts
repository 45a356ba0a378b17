import pino from 'pino';
import type { Sql, Tx } from '../db/client.js';
import { closeGaps } from '../db/close-gaps.js';
import { openDatabase } from '../db/connect.js';
import { togetherOn } from '../db/send-together.js';
import type { Connector, Connectors } from './connectors/connector.js';
import { findConnector, internalSimulator } from './connectors/connector.js';
import { buildNumber as ourBuildNumber } from './core/build-number.js';
import { pooledRandom } from './core/pooled-random.js';
import type { CoreContext, CoreLogger } from './core/core-context.js';
import { defaultPaymentScript } from './checkouts/checkout-response.js';
import { environments, type Environment } from './fields/request-kinds.js';
import type { Scheme } from './fields/three-d-secure-fields.js';
import { operationsOf } from './operations.js';
import type { PaymentCore } from './payment-core.js';
import { createVault, type EncryptionKeys } from './secrets/vault.js';
import { operations, type Limit, type Throttling } from './throttling/throttling.js';

/** The database of the core. Give exactly one of the three. */
export type PaymentStore =
  /** A client of the postgres package on a migrated database, int8 as bigint. The caller ends it. */
  | { readonly sql: Sql }
  /** A PostgreSQL server, migrated by `recon migrate`. */
  | { readonly databaseUrl: string }
  /** The embedded PostgreSQL, created and migrated on first use. */
  | { readonly dataDirectory: string };

export interface CoreSettings {
  /** `test` supports test modes and the simulator. `live` needs connectors. */
  readonly environment: Environment;
  readonly encryptionKeys: EncryptionKeys;
  readonly connectors?: Connectors;
  /** How long to wait for an acquirer's answer before the result is 900.100.300. Default: 30 seconds. */
  readonly connectorTimeoutMs?: number;
  readonly throttling?: Throttling;
  /** How often the status of one checkout may be read in a minute. Default: no limit. */
  readonly checkoutStatusPerMinute?: number;
  /** Receives reports of connector answers that do not match the specification, never with a value. Default: none. */
  readonly logger?: CoreLogger;
  /** Default: 30 minutes. */
  readonly checkoutLifetimeMs?: number;
  /** Epoch milliseconds. Default: the system's clock. */
  readonly clock?: () => number;
  /** Default: the system's random bytes. */
  readonly random?: (bytes: number) => Buffer;
  readonly buildNumber?: string;
  /** Done first in a transaction that stores a payment or a chargeback. Default: nothing. */
  readonly beginStoring?: (tx: Tx) => Promise<void>;
  readonly paymentScript?: (checkoutId: string) => string;
  /** Where the simulator sends a shopper who must take a step. Default: an address that does not exist. */
  readonly simulatorPage?: () => string;
  /** The card network of a brand. Without this function only the brands schemeA … schemeF have a network. */
  readonly schemeOf?: (paymentBrand: string) => Scheme | undefined;
}

export type PaymentCoreOptions = PaymentStore & CoreSettings;

const connectorTimeoutMs = 30_000;
const checkoutLifetimeMs = 30 * 60_000;

/**
 * Opens the payment core (design 7). It does not need the reconciliation, and can share a database with it. Any
 * number of processes may open it at the same time.
 *
 * @throws Error when settings are wrong, before anything is opened; ReconError of `openDatabase` when it opens the
 *   database
 */
export async function createPaymentCore(options: PaymentCoreOptions): Promise<PaymentCore> {
  checkSettings(options);
  const random = options.random ?? pooledRandom();
  // Before the database is opened: refused keys leave nothing open.
  const vault = createVault(options.encryptionKeys, random);
  const { sql, close } = await openStore(options);
  const context: CoreContext = {
    sql,
    beginStoring: options.beginStoring,
    together: togetherOn(sql),
    environment: options.environment,
    clock: options.clock ?? Date.now,
    logger: options.logger ?? { warn: () => undefined },
    random,
    vault,
    connectors: options.connectors ?? {},
    connectorTimeoutMs: options.connectorTimeoutMs ?? connectorTimeoutMs,
    throttling: options.throttling ?? {},
    checkoutStatusPerMinute: options.checkoutStatusPerMinute,
    checkoutLifetimeMs: options.checkoutLifetimeMs ?? checkoutLifetimeMs,
    buildNumber: options.buildNumber ?? ourBuildNumber,
    paymentScript: options.paymentScript ?? defaultPaymentScript,
    simulatorPage: options.simulatorPage ?? (() => 'https://simulator.invalid/shopper-step'),
    schemeOf: options.schemeOf ?? (() => undefined),
  };
  return operationsOf(context, close);
}

type AnyStore = Readonly<Partial<Record<'sql' | 'databaseUrl' | 'dataDirectory', unknown>>>;

/** A program without types may give anything. */
function checkSettings(options: Partial<CoreSettings> & AnyStore = {}): void {
  const { environment, connectors = {}, throttling = {} } = options;
  // Any other word would be a separate environment, with its own payments.
  if (environment === undefined || !environments.includes(environment)) {
    throw new Error(`environment must be one of ${environments.join(', ')}`);
  }
  for (const name of ['connectorTimeoutMs', 'checkoutLifetimeMs'] as const) {
    const ms = options[name];
    if (ms !== undefined && !(ms > 0)) throw new Error(`${name} must be a number of milliseconds above 0`);
  }
  checkConnectors(connectors);
  if (!(['sql', 'databaseUrl', 'dataDirectory'] as const).some((name) => options[name] !== undefined)) {
    throw new Error('one of sql, databaseUrl and dataDirectory is required');
  }
  if (findConnector(connectors, { name: internalSimulator }) !== undefined) {
    throw new Error(`connectors: no connector may be named ${internalSimulator}`);
  }
  const supported: ReadonlySet<string> = new Set(operations);
  const limits: readonly [string, Partial<Limit> | null][] = Object.entries(throttling);
  for (const [operation, limit] of limits) {
    const { requests, windowSeconds } = limit ?? {};
    if (!supported.has(operation)) throw new Error(`throttling: there is no operation ${operation}`);
    if (!isWhole(requests, 0) || !isWhole(windowSeconds, 1)) {
      throw new Error(`throttling: ${operation} needs whole requests from 0 and windowSeconds from 1`);
    }
  }
}

function isWhole(value: number | undefined, from: number): boolean {
  return Number.isInteger(value) && Number(value) >= from;
}

function checkConnectors({ byBrand = {}, default: usual }: Connectors): void {
  const all: [string, unknown][] = Object.entries(byBrand).map(([brand, one]) => [`byBrand.${brand}`, one]);
  if (usual !== undefined) all.push(['default', usual]);
  for (const [place, connector] of all) {
    const { name, process }: Partial<Record<keyof Connector, unknown>> = connector ?? {};
    if (typeof name !== 'string' || typeof process !== 'function') {
      throw new Error(`connectors.${place} must have a name and a function process`);
    }
  }
}

async function openStore(store: PaymentStore): Promise<{ sql: Sql; close: () => Promise<void> }> {
  if ('sql' in store) {
    closeGaps(store.sql);
    return { sql: store.sql, close: () => Promise.resolve() };
  }
  const target = 'databaseUrl' in store ? { url: store.databaseUrl } : { dataDirectory: store.dataDirectory };
  const database = await openDatabase(target, {
    logger: pino({ enabled: false }),
    applicationName: 'recon payment core',
  });
  return { sql: database.sql, close: () => database.close() };
}
