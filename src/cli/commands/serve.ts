import { once } from 'node:events';
import { startGateway, type ServeOptions } from '../../http/serve.js';
import { countDeliveries } from '../../webhooks/count-deliveries.js';
import { deliverySamples } from '../delivery-samples.js';
import { portOption } from '../command-arguments.js';
import type { CommandContext } from '../command-context.js';
import type { RunCommand } from '../command-definition.js';
import { interruptedExitCode } from '../interrupted.js';
import { withQuietLibraries } from '../quiet-libraries.js';
import { processMetrics } from '../process-metrics.js';
import type { HttpSettings } from '../../config/http-schema.js';

/** Listens until a signal. With --json the first line of standard output names the address. */
export const serve: RunCommand = async (context, _args, given) => {
  const config = context.config();
  const port = portOption(given);
  const settings = port === null ? config.http : { ...config.http, port };
  const { sql, url: databaseUrl } = await context.database();
  const { dataDirectory, paymentCore, webhooks, placeOf } = config;
  const logger = context.logger();
  const hasBusinessFigures = areMetricsPrivate(settings);
  const counted = async () => deliverySamples(await countDeliveries(sql, settings.environment));
  const metrics = processMetrics(context, { of: 'serve', sql, logger, hasBusinessFigures, counted });
  const keys = paymentCore.keys;
  const options = { sql, databaseUrl, settings, webhooks, keys, dataDirectory, placeOf, logger, metrics };
  await withQuietLibraries(logger, () => keepServing(context, options));
  return interruptedExitCode(context.signal);
};

async function keepServing(context: CommandContext, options: ServeOptions): Promise<void> {
  const { settings, logger } = options;
  const gateway = await startGateway(options);
  try {
    const { url, adminUrl } = gateway;
    const admin = adminUrl === null ? {} : { adminUrl };
    if (context.options.json)
      context.stdout.write(`${JSON.stringify({ event: 'listening', url, ...admin })}\n`);
    context.printLine(`Listens on ${url} (${settings.environment}) until it is stopped.`);
    if (!context.signal.aborted) await once(context.signal, 'abort');
    logger.info('The gateway stops: it finishes the requests in progress.');
  } finally {
    await gateway.close();
  }
}

/**
 * Figures about money and sources are not for everybody: they are in the metrics of an admin port, or of a gateway that
 * only this machine can reach.
 */
function areMetricsPrivate({ adminPort, tls, trustProxy }: HttpSettings): boolean {
  return adminPort !== undefined || (tls === undefined && trustProxy.length === 0);
}
