import { setMaxListeners } from 'node:events';
import { Logger as QueueLogger, run, type Runner, type Task } from 'graphile-worker';
import type pg from 'pg';
import type { Sql } from '../db/client.js';
import { toReconError } from '../db/database-errors.js';
import type { Logger } from '../logger.js';
import type { EncryptionKeys, Environment } from '../payment-core/index.js';
import type { DeliveryContext } from './delivery-context.js';
import { deliverStatusUpdates } from './deliver-status-updates.js';
import { deliverToWebhook } from './deliver-to-webhook.js';
import { createPoster, type PosterSettings } from './post-notification.js';
import { openQueuePool } from './queue-pool.js';
import { reloadAuthorities } from './read-authorities.js';
import { resealSecrets } from './reseal-secrets.js';
import { deliveryTask, removeOldDeliveries, wakeDueWebhooks } from './wake-webhooks.js';

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
const webhooksAtOnce = 10;

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
  const look = async (): Promise<void> => {
    try {
      if ((await wakeDueWebhooks(sql, environment)) > 0) await queue.start();
      if (performance.now() - tidiedAt > tidyEveryMs) {
        tidiedAt = performance.now();
        await removeOldDeliveries(sql);
        await resealSecrets(sql, environment, settings);
      }
    } catch (thrown) {
      quietUntil = performance.now() + failedLookPauseMs;
      // What waits stays in the database, so a later look finds it.
      if (!ending.signal.aborted) {
        logger.error({ err: toReconError(thrown) ?? thrown }, 'Notifications could not be delivered.');
      }
    }
  };
  // Not part of the look at webhooks: a receiver may take its time.
  const update = async (): Promise<void> => {
    try {
      await deliverStatusUpdates(context);
    } catch (thrown) {
      quietUntil = performance.now() + failedLookPauseMs;
      if (!ending.signal.aborted) {
        logger.error({ err: toReconError(thrown) ?? thrown }, 'Status updates could not be delivered.');
      }
    }
  };
  let looking: Promise<void> | undefined;
  let updating: Promise<void> | undefined;
  const timer = setInterval(() => {
    if (performance.now() <= quietUntil) return;
    looking ??= look().finally(() => (looking = undefined));
    updating ??= update().finally(() => (updating = undefined));
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

interface JobQueue {
  /** Does nothing while it runs; starts it again after it ended. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The worker of the job queue. It ends after ten statements that failed in a row, as while a server restarts. */
function jobQueue(context: DeliveryContext, databaseUrl: string): JobQueue {
  const { sql, environment, logger } = context;
  let running: { readonly runner: Runner; readonly pool: pg.Pool } | undefined;
  const deliver: Task = async (payload, { abortSignal }) => {
    const webhookId = webhookOf(payload);
    const isEnding = () => context.isEnding() || abortSignal.aborted;
    try {
      await deliverToWebhook({ ...context, isEnding }, webhookId);
    } catch (thrown) {
      const err = toReconError(thrown) ?? thrown;
      logger.error(
        { err, webhook: webhookId },
        'The delivery to a webhook was interrupted; it is tried again.',
      );
    }
  };
  return {
    start: async () => {
      if (running !== undefined || context.isEnding()) return;
      const pool = await openQueuePool(sql, databaseUrl, logger);
      try {
        const runner = await run({
          pgPool: pool,
          schema: 'recon_queue',
          taskList: { [deliveryTask(environment)]: deliver },
          // Otherwise it would look for a file `crontab` in the current folder.
          parsedCronItems: [],
          concurrency: webhooksAtOnce,
          // recon has its own, and finishes what is in progress.
          noHandleSignals: true,
          // A pooler in front of the server may give each transaction another connection.
          noPreparedStatements: true,
          // In batches of one. Otherwise nobody waits for the statement that ends a job, and its failure would end the
          // process; this way, it ends only the queue.
          preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
          pollInterval: 1000,
          logger: queueLogger(logger),
        });
        running = { runner, pool };
        runner.promise
          .catch((thrown: unknown) => {
            logger.warn({ err: toReconError(thrown) ?? thrown }, 'The job queue ended; it is started again.');
          })
          .finally(() => {
            running = undefined;
            void pool.end().catch(() => undefined);
          });
      } catch (thrown) {
        await pool.end();
        throw thrown;
      }
    },
    stop: async () => {
      const current = running;
      if (current === undefined) return;
      await current.runner.stop().catch(() => undefined);
      await current.runner.promise.catch(() => undefined);
    },
  };
}

function webhookOf(payload: unknown): string {
  const isDocument = typeof payload === 'object' && payload !== null && 'webhookId' in payload;
  return isDocument ? String(payload.webhookId) : '';
}

/** What the job queue reports is for whoever looks for a fault. */
function queueLogger(logger: Logger): QueueLogger {
  return new QueueLogger((scope) => (level, message) => {
    logger.debug({ queue: scope, level }, message);
  });
}
