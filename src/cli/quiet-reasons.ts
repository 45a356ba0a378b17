import { exitCodes } from '../errors.js';
import type { RunOutcome } from '../outcome.js';
import { counted } from '../values/counted.js';
import { missingLines } from './text/expected-lines.js';
import type { FailOn } from './fail-on.js';
import { plain } from './text/paint.js';
import { printable } from './text/printable.js';

/**
 * Why a run that reached its end has an exit code other than 0: what --quiet prints instead of the summary. cron looks
 * at what is printed, not at the exit code. What could not be read stands last, because it is often the cause of what
 * is missing; the log has it too, but may go elsewhere. Pure.
 *
 * @param failedOn the discrepancies that --fail-on looked for, if there are any; otherwise null
 */
export function quietReasons(outcome: RunOutcome, failedOn: FailOn | null): string[] {
  const { exitCode, files, expected } = outcome;
  if (exitCode === exitCodes.done) return [];
  return [
    ...files
      .filter(({ status, rows }) => status === 'loaded' && rows.rejected > 0)
      .map(({ name, rows }) => `${printable(name)}: ${rejectedOf(rows)}`),
    ...missingLines(expected, plain),
    ...(failedOn === null ? [] : [foundLine(failedOn)]),
    ...unreadLines(outcome),
  ];
}

function rejectedOf({ rejected, total }: RunOutcome['files'][number]['rows']): string {
  return `${rejected} of ${counted(total, 'row')} ${rejected === 1 ? 'was' : 'were'} rejected`;
}

function foundLine({ severity, onlyNew }: FailOn): string {
  const least = severity === 'error' ? 'error' : `${severity} or higher`;
  return `${onlyNew ? 'new discrepancies' : 'discrepancies'} of severity ${least} are open`;
}

const wasNotTaken = { rejected: 'was rejected', failed: 'could not be read' } as const;

/** The files and sources that could not be taken, each with the reason. */
function unreadLines({ files, sources }: RunOutcome): string[] {
  const ofFiles = files.flatMap(({ name, status, error }) =>
    error !== null && (status === 'rejected' || status === 'failed')
      ? [`${printable(name)} ${wasNotTaken[status]}: ${error.message} (${error.code})`]
      : [],
  );
  const ofSources = sources.flatMap(({ name, error }) =>
    error === null ? [] : [`source ${name} could not be read: ${error.message} (${error.code})`],
  );
  return [...ofFiles, ...ofSources];
}
