import path from 'node:path';
import type { Alerts } from '../../alerts/alerts.js';
import { suggestion } from '../../values/closest-name.js';
import { ReconError } from '../../errors.js';
import { startAdminServer, type AdminServer } from '../../http/start-admin-server.js';
import type { Sample } from '../../metrics/sample.js';
import { defaultConfigFile } from '../../config/load-config.js';
import { requireSources } from '../../run/require-sources.js';
import { runSchedule, type ScheduleState } from '../../run/schedule/run-schedule.js';
import type { CommandContext } from '../command-context.js';
import type { RunCommand } from '../command-definition.js';
import { printOutcome } from '../finish-run.js';
import { interruptedExitCode } from '../interrupted.js';
import { alertsOf } from '../open-alerts.js';
import { purgeAfterRun } from '../../retention/purge-after-run.js';
import { processMetrics } from '../process-metrics.js';

/** With --json it prints a document, on one line, for each run, because the command does not end. */
export const schedule: RunCommand = async (context) => {
  requireSources(context.config(), [], path.join(context.cwd, defaultConfigFile), suggestion);
  const settings = context.config().schedule;
  const alerts = alertsOf(context);
  context.printLine(`Starts runs by "${settings.cron}" in ${settings.timezone} until it is stopped.`);
  try {
    await keepRunning(context, alerts);
  } catch (thrown) {
    if (thrown instanceof ReconError) await alerts?.afterFailure(thrown);
    throw thrown;
  }
  return interruptedExitCode(context.signal);
};

async function keepRunning(context: CommandContext, alerts: Alerts | null): Promise<void> {
  const runContext = await context.runContext();
  const { sql } = runContext.database;
  let state: ScheduleState = { overdue: null, next: null };
  const admin = await startProbes(context, () => scheduleSamples(state, runContext.clock()));
  try {
    await runSchedule(runContext, context.config().schedule, {
      report: async (outcome) => {
        printOutcome(context, outcome, null);
        await alerts?.afterRun(sql, outcome);
        await purgeAfterRun(runContext, context.config().retention, outcome);
      },
      failed: async (error) => {
        await alerts?.afterFailure(error);
      },
      watch: async (now) => {
        state = now;
        await alerts?.watch(sql, now.overdue?.plannedAtMs ?? null);
      },
    });
  } finally {
    await admin?.close();
  }
}

/** Without a port it does not listen. */
async function startProbes(
  context: CommandContext,
  more: () => readonly Sample[],
): Promise<AdminServer | undefined> {
  const { adminPort, adminHost } = context.config().schedule;
  if (adminPort === undefined) return undefined;
  const [{ sql }, logger] = [await context.database(), context.logger()];
  const metrics = processMetrics(context, { of: 'schedule', sql, logger, hasBusinessFigures: true, more });
  const admin = await startAdminServer({ sql, logger, metrics }, adminHost, adminPort);
  // Standard output has one document per run, so the address is logged.
  logger.info({ adminUrl: admin.url }, 'probes and metrics');
  return admin;
}

function scheduleSamples({ overdue, next }: ScheduleState, nowMs: number): Sample[] {
  const overdueMs = overdue === null ? 0 : Math.max(nowMs - overdue.plannedAtMs, 0);
  return [
    { name: 'recon_run_overdue_seconds', labels: {}, value: overdueMs / 1000 },
    ...(next === null
      ? []
      : [
          {
            name: 'recon_next_run_timestamp_seconds' as const,
            labels: {},
            value: next.plannedAtMs / 1000,
          },
        ]),
  ];
}
