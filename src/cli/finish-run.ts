import { exitCodes } from '../errors.js';
import type { RunOutcome } from '../outcome.js';
import type { CommandContext } from './command-context.js';
import { choiceOption, severities, type Options, type Severity } from './command-arguments.js';
import { runSummary } from './run-summary.js';
import { discrepancyCodes } from '../matching/discrepancies/discrepancy-codes.js';

export const failOnOption = (options: Options) => choiceOption(options, 'failOn', severities);

/** Prints what a run has to say and settles its exit code (design 5: 7 only where nothing graver applies). */
export function finishRun(context: CommandContext, outcome: RunOutcome, failOn: Severity | null): number {
  const exitCode =
    outcome.exitCode === exitCodes.done && failOn !== null && hasSeverity(outcome, failOn)
      ? exitCodes.discrepancies
      : outcome.exitCode;
  const told = { ...outcome, exitCode };
  if (context.options.json) context.print(told, () => '');
  else if (outcome.error !== null) context.stderr.write(failure(outcome));
  else context.print(told, () => runSummary(told, context.cwd));
  return exitCode;
}

function hasSeverity(outcome: RunOutcome, atLeast: Severity): boolean {
  const grave = severities.slice(0, severities.indexOf(atLeast) + 1);
  return Object.entries(outcome.discrepancies.byCode).some(
    ([code, count]) =>
      count > 0 &&
      grave.some((severity) => severity === discrepancyCodes[code as keyof typeof discrepancyCodes].severity),
  );
}

function failure(outcome: RunOutcome): string {
  return `recon: run ${outcome.runId} failed: ${outcome.error?.message ?? ''} (${outcome.error?.code ?? ''})\nWhat it had stored is kept; start it again when the cause is gone.\n`;
}
