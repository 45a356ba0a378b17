import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Archive } from '../../archive/archive.js';
import { requireOneDisk } from '../../archive/require-one-disk.js';
import type { ReconConfig } from '../../config/recon-config.js';
import { refuseShards } from '../../db/shards/is-divided.js';
import { ReconError } from '../../errors.js';
import { startAdminServer, type AdminServer } from '../../http/start-admin-server.js';
import { isNetworkSource, sharedSource } from '../../intake/claims/shared-source.js';
import type { Logger } from '../../logger.js';
import { usualFilesAtOnce } from '../../library/run-context-of.js';
import { readPackageVersion } from '../../package-version.js';
import { keepWorking } from '../../worker/keep-working.js';
import { WorkerCounts } from '../../worker/worker-counts.js';
import type { CommandContext } from '../command-context.js';
import type { RunCommand } from '../command-definition.js';
import { interruptedExitCode } from '../interrupted.js';
import { limitHeapGrowth } from '../limit-heap-growth.js';
import { workerMetrics } from '../worker-metrics.js';

/** Downloads and loads files of the runs of its database until a signal. */
export const worker: RunCommand = async (context) => {
  const { databaseUrl, dataDirectory, archive: keys, sources, worker: settings } = context.config();
  if (databaseUrl === null) {
    throw new ReconError(
      'CONFIG_INVALID',
      'A worker needs the PostgreSQL server of the runs that it joins, and databaseUrl is not set: the embedded database is only for the programs of one machine.',
    );
  }
  limitHeapGrowth();
  const database = await context.database();
  await refuseShards(database.sql, 'recon worker');
  const logger = context.logger();
  const counts = new WorkerCounts();
  const { version } = readPackageVersion();
  const filesAtOnce = settings.filesAtOnce ?? usualFilesAtOnce();
  const archive = new Archive(dataDirectory, keys);
  const worker = {
    id: randomUUID(),
    host: hostname(),
    processId: process.pid,
    version,
    filesAtOnce,
    sources: await sharedSources(context.config(), archive, logger),
  };
  const admin = await startProbes(context, counts);
  try {
    context.printLine(
      `Loads files of the runs of this database, ${filesAtOnce} at once, until it is stopped.`,
    );
    const fetchesFrom = worker.sources.map((source) => source.split(' ')[0]);
    logger.info({ worker: worker.id, version, filesAtOnce, fetchesFrom }, 'The worker is ready.');
    await keepWorking({
      worker,
      database,
      archive,
      sources,
      random: Math.random,
      graceSeconds: settings.graceSeconds,
      logger,
      counts,
      signal: context.signal,
    });
  } finally {
    await admin?.close();
  }
  return interruptedExitCode(context.signal);
};

/** The sources from which this worker downloads; none where it can only read the archive. */
async function sharedSources(
  { sources, dataDirectory }: ReconConfig,
  archive: Archive,
  logger: Logger,
): Promise<string[]> {
  const shared = sources.filter(isNetworkSource).map((source) => sharedSource(source, archive.encryptsWith));
  if (shared.length === 0) return [];
  try {
    const incoming = await archive.newIncoming();
    await incoming.close();
    await incoming.remove();
    await requireOneDisk(dataDirectory);
    return shared;
  } catch (thrown) {
    if (!(thrown instanceof ReconError)) throw thrown;
    logger.info(
      { code: thrown.code },
      `This worker downloads nothing, because it cannot write to its data folder. It loads what the run downloads. ${thrown.message}`,
    );
    return [];
  }
}

/** Without a port it does not listen. */
async function startProbes(context: CommandContext, counts: WorkerCounts): Promise<AdminServer | undefined> {
  const { adminPort, adminHost } = context.config().worker;
  if (adminPort === undefined) return undefined;
  const [{ sql }, logger] = [await context.database(), context.logger()];
  const metrics = workerMetrics(sql, counts, logger);
  const admin = await startAdminServer({ sql, logger, metrics }, adminHost, adminPort);
  logger.info({ adminUrl: admin.url }, 'probes and metrics');
  return admin;
}
