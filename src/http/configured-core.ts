import type { HttpSettings } from '../config/http-schema.js';
import type { Sql } from '../db/client.js';
import { enterShardsIfAny } from '../db/shards/enter-shards.js';
import { hasShards, refuseShards } from '../db/shards/is-divided.js';
import type { Logger } from '../logger.js';
import {
  createPaymentCore,
  type CoreSettings,
  type PaymentCore,
  type Throttling,
} from '../payment-core/index.js';
import { readEncryptionKeys } from './encryption-keys.js';

/** What the configuration says about the payment core. */
export interface CoreOptions {
  readonly sql: Sql;
  readonly settings: Pick<HttpSettings, 'environment' | 'checkoutStatusPerMinute'>;
  /** The text of the configured encryption keys; null if there are none. */
  readonly keys: string | null;
  readonly dataDirectory: string;
  readonly logger: Logger;
  /**
   * Whether only chargebacks are booked: that works with shards. Payments do not: a run makes every other transaction
   * wait that stores on the shards, and a shopper cannot wait for a night's matching.
   */
  readonly onlyChargebacks?: boolean;
  /** Limits for requests from outside. The commands of an operator have none. */
  readonly throttling?: Throttling;
  /** The script of a checkout, and the page of the simulated bank, which only the gateway has. */
  readonly pages?: Pick<CoreSettings, 'paymentScript' | 'simulatorPage'>;
}

/**
 * The payment core as configured, for the gateway and for commands.
 *
 * @throws ReconError CONFIG_INVALID when the encryption keys are missing in live, or not valid; SHARDS_UNSUPPORTED
 */
export async function openConfiguredCore(options: CoreOptions): Promise<PaymentCore> {
  const { sql, settings, keys: configured, dataDirectory, logger, throttling = {}, pages = {} } = options;
  const { environment, checkoutStatusPerMinute } = settings;
  const { onlyChargebacks = false } = options;
  if (!onlyChargebacks) await refuseShards(sql, 'The payment core');
  return createPaymentCore({
    sql,
    environment,
    encryptionKeys: await readEncryptionKeys({ configured, environment, dataDirectory }),
    throttling,
    ...(onlyChargebacks && (await hasShards(sql)) ? { beginStoring: enterShardsIfAny } : {}),
    ...pages,
    ...(checkoutStatusPerMinute === 0 ? {} : { checkoutStatusPerMinute }),
    logger,
  });
}
