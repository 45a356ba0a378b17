import type { SecureContextOptions } from 'node:tls';
import type { HttpSettings } from '../config/http-schema.js';
import type { Sql } from '../db/client.js';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics/metrics.js';
import type { PaymentCore } from '../payment-core/index.js';

/** What the gateway works with. */
export interface GatewayContext {
  readonly sql: Sql;
  readonly core: PaymentCore;
  readonly settings: HttpSettings;
  readonly logger: Logger;
  /** The certificate and its key; undefined for plain HTTP. */
  readonly certificates?: SecureContextOptions | undefined;
  readonly metrics: Metrics;
}
