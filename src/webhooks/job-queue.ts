import { Logger as QueueLogger, run, type Runner, type Task } from 'graphile-worker';
import type pg from 'pg';
import { toReconError } from '../db/database-errors.js';
import type { Logger } from '../logger.js';
import type { DeliveryContext } from './delivery-context.js';
import { deliverToWebhook } from './deliver-to-webhook.js';
import { openQueuePool } from './queue-pool.js';
import { deliveryTask } from './wake-webhooks.js';

const webhooksAtOnce = 10;

/** The worker that delivers to the webhooks that were woken. */
export interface JobQueue {
  /** Does nothing while it runs; starts it again after it ended. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The worker of the job queue. It ends after ten statements that failed in a row, as while a server restarts. */
export function jobQueue(context: DeliveryContext, databaseUrl: string): JobQueue {
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
