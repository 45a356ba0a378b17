import { exitCodes } from '../errors.js';
import type { RunOutcome } from '../outcome.js';
import type { CommandContext } from './command-context.js';
import { choiceOption, severities, type Options, type Severity } from './command-arguments.js';
import { discrepanciesBySeverity } from './discrepancies-by-severity.js';
import { printableLines } from './printable.js';
import { runSummary } from './run-summary.js';

export const failOnOption = (options: Options) => choiceOption(options, 'failOn', severities);

/**
 * Prints the outcome of a run and returns its exit code: the highest that applies, 7 with --fail-on (design 5). A failed run prints its document too, because it has the run's number.
 */
export function finishRun(context: CommandContext, outcome: RunOutcome, failOn: Severity | null): number {
  const found = failOn !== null && holdsSeverity(outcome, failOn);
  const asked = outcome.error === null && found ? exitCodes.discrepancies : exitCodes.done;
  const exitCode = Math.max(outcome.exitCode, asked);
  printOutcome(context, { ...outcome, exitCode });
  return exitCode;
}

/** Prints the outcome as the JSON document, as a summary or, if the run failed, as a message on standard error. */
export function printOutcome(context: CommandContext, outcome: RunOutcome): void {
  if (context.options.json || outcome.error === null) {
    context.print(outcome, (paint) => runSummary(outcome, { cwd: context.cwd, paint }));
  } else {
    context.stderr.write(failure(outcome));
  }
}

/** Whether a discrepancy of this severity or higher is open in the scope of the run. */
export function holdsSeverity(outcome: RunOutcome, least: Severity): boolean {
  const wanted = severities.slice(0, severities.indexOf(least) + 1);
  return discrepanciesBySeverity(outcome.discrepancies).some(({ severity }) => wanted.includes(severity));
}

function failure({ runId, error }: RunOutcome): string {
  const sentence = printableLines(error?.message ?? '');
  return `recon: run ${runId} failed: ${sentence}\nWhat it had stored is kept; start it again once the cause is removed. (${error?.code ?? ''})\n`;
}
