import { setMaxListeners } from 'node:events';
import type { Sql } from '../db/client.js';
import { toReconError } from '../db/database-errors.js';
import type { Logger } from '../logger.js';
import type { EncryptionKeys, Environment } from '../payment-core/index.js';
import type { DeliveryContext } from './delivery-context.js';
import { deliverStatusUpdates } from './deliver-status-updates.js';
import { jobQueue } from './job-queue.js';
import { createPoster, type PosterSettings } from './post-notification.js';
import { reloadAuthorities } from './read-authorities.js';
import { resealSecrets } from './reseal-secrets.js';
import { removeOldDeliveries, wakeDueWebhooks } from './wake-webhooks.js';

/** What the delivery of notifications needs for as long as the process runs. */
export interface DeliverySettings extends PosterSettings {
  readonly sql: Sql;
  /** Of the same database, for the driver of the job queue. */
  readonly databaseUrl: string;
  readonly environment: Environment;
  readonly keys: EncryptionKeys;
  readonly logger: Logger;
  /** `webhooks.caFile`: where `authorities` are from. When it changes, it is read again. */
  readonly caFile?: string | undefined;
  /** Milliseconds since the epoch; default: the system's clock. */
  readonly clock?: () => number;
}

/** The longest time between an event and its delivery, while nothing else waits. */
const lookEveryMs = 500;
/** After a look that failed: a database that is down must not fill the log. */
const failedLookPauseMs = 10_000;
const tidyEveryMs = 60 * 60 * 1000;
/** How long a request in progress may still take when the process stops. */
const graceMs = 5000;

/**
 * Delivers notifications and status updates until it is stopped. Any number of processes may do this: each webhook is
 * delivered to by one of them at a time. Without webhooks it costs two statements per half second, and no connections.
 *
 * @returns a function that stops it and waits for the requests in progress
 */
export function keepDelivering(settings: DeliverySettings): () => Promise<void> {
  const { sql, environment, logger, clock = Date.now } = settings;
  const ending = new AbortController();
  const stop = new AbortController();
  // Each request in progress listens. With more than ten, Node would write a warning to standard error.
  setMaxListeners(0, stop.signal);
  const poster = createPoster(settings, { clock });
  const { caFile } = settings;
  const trust = (authorities: string | null) => {
    poster.trust(authorities);
  };
  const stopReloading = caFile === undefined ? () => undefined : reloadAuthorities(caFile, trust, logger);
  const context: DeliveryContext = {
    ...settings,
    clock,
    poster,
    isEnding: () => ending.signal.aborted,
    stop: stop.signal,
  };
  const queue = jobQueue(context, settings.databaseUrl);
  let tidiedAt = -Infinity;
  let quietUntil = -Infinity;
  /** What waits stays in the database, so a later look finds it. */
  const pauseAfterFailure = async (failure: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (thrown) {
      quietUntil = performance.now() + failedLookPauseMs;
      if (!ending.signal.aborted) logger.error({ err: toReconError(thrown) ?? thrown }, failure);
    }
  };
  const look = async (): Promise<void> => {
    if ((await wakeDueWebhooks(sql, environment)) > 0) await queue.start();
    if (performance.now() - tidiedAt <= tidyEveryMs) return;
    tidiedAt = performance.now();
    await removeOldDeliveries(sql);
    await resealSecrets(sql, environment, settings);
  };
  let looking: Promise<void> | undefined;
  let updating: Promise<void> | undefined;
  const timer = setInterval(() => {
    if (performance.now() <= quietUntil) return;
    looking ??= pauseAfterFailure('Notifications could not be delivered.', look).finally(
      () => (looking = undefined),
    );
    // Not part of the look at webhooks: a receiver may take its time.
    updating ??= pauseAfterFailure('Status updates could not be delivered.', () =>
      deliverStatusUpdates(context),
    ).finally(() => (updating = undefined));
  }, lookEveryMs);
  return async () => {
    clearInterval(timer);
    stopReloading();
    ending.abort();
    const grace = setTimeout(() => {
      stop.abort();
    }, graceMs);
    await Promise.all([looking, updating]);
    await queue.stop();
    clearTimeout(grace);
    poster.close();
  };
}
