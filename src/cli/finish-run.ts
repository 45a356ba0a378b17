import { errorCatalogue, exitCodes } from '../errors.js';
import type { FailedRun, RunOutcome } from '../outcome.js';
import type { CommandContext } from './command-context.js';
import { foundBy, type FailOn } from './fail-on.js';
import { printableLines } from './text/printable.js';
import { quietReasons } from './quiet-reasons.js';
import { runSummary } from './text/run-summary.js';

/**
 * Prints the outcome of a run and returns its exit code: the highest that applies, 7 with --fail-on (design 5). A
 * failed run prints its document too, because it has the run's number.
 */
export function finishRun(context: CommandContext, outcome: RunOutcome, failOn: FailOn | null): number {
  const found = failOn !== null && foundBy(outcome, failOn);
  const asked = outcome.error === null && found ? exitCodes.discrepancies : exitCodes.done;
  const exitCode = Math.max(outcome.exitCode, asked);
  printOutcome(context, { ...outcome, exitCode }, found ? failOn : null);
  return exitCode;
}

/**
 * Prints the outcome as the JSON document, as a summary or, if the run failed, as a message on standard error. With
 * --quiet it prints instead of the summary why the exit code is not 0.
 *
 * @param failedOn the discrepancies that --fail-on looked for, if there are any; otherwise null
 * @param next the commands that the summary suggests, instead of those that follow from the outcome
 */
export function printOutcome(
  context: CommandContext,
  outcome: RunOutcome,
  failedOn: FailOn | null,
  next?: readonly string[],
): void {
  const { json } = context.options;
  if (json || outcome.error === null) {
    context.print(
      outcome,
      (paint) => runSummary(outcome, { cwd: context.cwd, paint, ...(next === undefined ? {} : { next }) }),
      quietReasons(outcome, failedOn).map((reason) => `run ${outcome.runId}: ${reason}`),
    );
  } else {
    context.stderr.write(failure(outcome));
  }
}

function failure({ runId, error }: FailedRun): string {
  const { advice } = errorCatalogue[error.code];
  return `recon: run ${runId} failed: ${printableLines(error.message)}\n${advice} What it had stored is kept. (${error.code})\n`;
}
