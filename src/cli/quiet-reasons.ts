import { exitCodes } from '../errors.js';
import type { RunOutcome } from '../outcome.js';
import { missingLines } from './expected-lines.js';
import type { FailOn } from './fail-on.js';
import { plain } from './paint.js';
import { printable } from './printable.js';

/**
 * Why a run that reached its end has an exit code other than 0, where only the summary says so, which --quiet leaves
 * out. cron looks at what is printed, not at the exit code. A file or source that could not be taken is an error in the
 * log already. Pure.
 *
 * @param failedOn the discrepancies that --fail-on looked for, if there are any; otherwise null
 */
export function quietReasons(outcome: RunOutcome, failedOn: FailOn | null): string[] {
  const { exitCode, files, expected } = outcome;
  const ofRun =
    exitCode === exitCodes.done
      ? []
      : [
          ...files
            .filter(({ status, rows }) => status === 'loaded' && rows.rejected > 0)
            .map(
              ({ name, rows }) => `${printable(name)}: ${rows.rejected} of ${rows.total} rows were rejected`,
            ),
          ...missingLines(expected, plain),
        ];
  if (failedOn === null) return ofRun;
  const { severity, onlyNew } = failedOn;
  const least = severity === 'error' ? 'error' : `${severity} or higher`;
  return [...ofRun, `${onlyNew ? 'new discrepancies' : 'discrepancies'} of severity ${least} are open`];
}
