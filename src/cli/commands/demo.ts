import path from 'node:path';
import { clearDemoDirectory, runDemo } from '../../demo/run-demo.js';
import { runSummary } from '../run-summary.js';
import type { RunCommand } from '../program.js';
import { openContext } from '../open-context.js';

/** Has nothing to configure: its own folder, its own embedded database, and no regard for a configuration. */
export const demo: RunCommand = async (surroundings) => {
  const dataDirectory = path.resolve(surroundings.cwd, 'recon-demo');
  await clearDemoDirectory(dataDirectory);
  const { context, close } = openContext(
    surroundings,
    { ...surroundings.options, logLevel: surroundings.options.logLevel ?? 'warn' },
    {
      file: null,
      dataDirectory,
      databaseUrl: null,
      timezone: 'UTC',
      settlementDueDays: 5,
      lookbackDays: 60,
      logLevel: 'warn',
      attributes: { enabled: true, windowHours: 24 },
      sources: [],
      schedule: { cron: '30 5 * * *', timezone: 'UTC', catchUpDays: 7 },
    },
  );
  try {
    const outcome = await runDemo(await context.runContext(), (line) => context.tell(line));
    context.print(outcome, () => [runSummary(outcome, surroundings.cwd), '', nextCommands].join('\n'));
    return outcome.status === 'completed' ? 0 : outcome.exitCode;
  } finally {
    await close();
  }
};

const recon = 'RECON_DATA_DIR=recon-demo npx recon';
const nextCommands = `Rows that were rejected and discrepancies are part of the sample. Try next:
  ${recon} discrepancies                              what is open
  ${recon} explain settlement-2026-11-19.csv:124      why a record matched as it did
  ${recon} rerun --from 2026-11-17 --to 2026-11-19    the same nights again
  npx recon init                                                          your own configuration`;
