import pino from 'pino';
import type { Sql } from '../db/client.js';
import { completeDriverResults } from '../db/connection/complete-driver-results.js';
import { openDatabase } from '../db/connect.js';
import { togetherOn } from '../db/send-together.js';
import { checkSettings } from './check-settings.js';
import type { CoreLogger } from './connectors/core-logger.js';
import { buildNumber as ourBuildNumber } from './core/build-number.js';
import { pooledRandom } from './core/pooled-random.js';
import type { CoreContext } from './core/core-context.js';
import type { PaymentCoreOptions, PaymentStore } from './core-settings.js';
import { defaultPaymentScript } from './checkouts/checkout-response.js';
import { operationsOf } from './operations.js';
import type { PaymentCore } from './payment-core.js';
import { createVault } from './secrets/vault.js';

const connectorTimeoutMs = 30_000;
const checkoutLifetimeMs = 30 * 60_000;

/**
 * Opens the payment core (design 7). It does not need the reconciliation, and can share a database with it. Any
 * number of processes may open it at the same time.
 *
 * @throws ReconError USAGE_INVALID when settings are wrong, before anything is opened; that of `openDatabase` when it
 *   opens the database
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
    givenClock: options.clock,
    logger: quiet(options.logger),
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

/** One of the stores; a setting that is undefined is one that is left out. */
interface StoreSettings {
  readonly sql?: Sql;
  readonly databaseUrl?: string;
  readonly dataDirectory?: string;
}

async function openStore(store: PaymentStore): Promise<{ sql: Sql; close: () => Promise<void> }> {
  const { sql, databaseUrl, dataDirectory = '' }: StoreSettings = store;
  if (sql !== undefined) {
    completeDriverResults(sql);
    return { sql, close: () => Promise.resolve() };
  }
  const target = databaseUrl === undefined ? { dataDirectory } : { url: databaseUrl };
  const database = await openDatabase(target, {
    logger: pino({ enabled: false }),
    applicationName: 'recon payment core',
  });
  return { sql: database.sql, close: () => database.close() };
}

/**
 * The logger belongs to the program. If it threw while an answer was read, a payment that the acquirer approved would
 * count as uncertain.
 */
function quiet(logger: CoreLogger | undefined): CoreLogger {
  return {
    warn: (details, message) => {
      try {
        logger?.warn(details, message);
      } catch {
        // There is no other place to report it.
      }
    },
  };
}
