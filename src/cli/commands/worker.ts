import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Archive } from '../../archive/archive.js';
import { refuseShards } from '../../db/divided.js';
import { ReconError } from '../../errors.js';
import { startAdminServer, type AdminServer } from '../../http/start-admin-server.js';
import { usualFilesAtOnce } from '../../library/run-context-of.js';
import { readPackageVersion } from '../../package-version.js';
import { keepWorking } from '../../worker/keep-working.js';
import { WorkerCounts } from '../../worker/worker-counts.js';
import type { CommandContext } from '../command-context.js';
import type { RunCommand } from '../command-definition.js';
import { interruptedExitCode } from '../interrupted.js';
import { limitHeapGrowth } from '../limit-heap-growth.js';
import { workerMetrics } from '../worker-metrics.js';

/** Loads files of the runs of its database until a signal. */
export const worker: RunCommand = async (context) => {
  const { databaseUrl, dataDirectory, archive, worker: settings } = context.config();
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
  const worker = { id: randomUUID(), host: hostname(), processId: process.pid, version, filesAtOnce };
  const admin = await startProbes(context, counts);
  try {
    context.printLine(
      `Loads files of the runs of this database, ${filesAtOnce} at once, until it is stopped.`,
    );
    logger.info({ worker: worker.id, version, filesAtOnce }, 'The worker is ready.');
    await keepWorking({
      worker,
      database,
      archive: new Archive(dataDirectory, archive),
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
