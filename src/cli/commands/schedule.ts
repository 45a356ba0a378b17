import { exitCodes } from '../../errors.js';
import { runSchedule } from '../../run/schedule.js';
import { nextNight } from '../../run/plan-nights.js';
import type { RunCommand } from '../program.js';
import { runSummary } from '../run-summary.js';

/** With --json one document per run, a line each: the command has no end at which one could stand. */
export const schedule: RunCommand = async (context) => {
  const settings = context.config().schedule;
  const next = nextNight(settings, Date.now());
  context.tell(
    `Runs by "${settings.cron}" in ${settings.timezone}; next: ${next === null ? 'never' : new Date(next.plannedAtMs).toISOString()}.`,
  );
  await runSchedule(await context.runContext(), settings, (outcome) => {
    if (context.options.json) context.stdout.write(`${JSON.stringify(outcome)}\n`);
    else context.tell(runSummary(outcome, context.cwd));
  });
  return exitCodes.interrupted;
};
