import type { Sql } from '../db/client.js';
import type { Logger } from '../logger.js';
import type { EncryptionKeys, Environment } from '../payment-core/index.js';
import type { Poster } from './post-notification.js';

/** What a delivery works with. */
export interface DeliveryContext {
  readonly sql: Sql;
  readonly environment: Environment;
  readonly keys: EncryptionKeys;
  readonly poster: Poster;
  readonly logger: Logger;
  /** Milliseconds since the epoch, for signatures and dates of receivers. The database says when an attempt is due. */
  readonly clock: () => number;
  /** How long one request may take. */
  readonly timeoutMs: number;
  /** Whether nothing new may begin. */
  readonly isEnding: () => boolean;
  /** Aborted when a request in progress must end too. */
  readonly stop: AbortSignal;
}
