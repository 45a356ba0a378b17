import { runSchedule } from '../../run/schedule.js';
import type { RunCommand } from '../commands.js';
import { interruptedExitCode } from '../interrupted.js';
import { printOutcome } from '../finish-run.js';
import { suggestion } from '../../config/closest-name.js';
import { requireSources } from '../../run/require-sources.js';

/** With --json it prints a document, on one line, for each run, because the command does not end. */
export const schedule: RunCommand = async (context) => {
  requireSources(context.config().sources, [], suggestion);
  const settings = context.config().schedule;
  context.printLine(`Starts runs by "${settings.cron}" in ${settings.timezone} until it is stopped.`);
  await runSchedule(await context.runContext(), settings, {
    report: (outcome) => {
      printOutcome(context, outcome);
    },
  });
  return interruptedExitCode(context.signal);
};
