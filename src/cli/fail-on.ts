import { severities, type Severity } from '../findings/discrepancy-codes.js';
import type { RunOutcome } from '../outcome.js';
import { choiceOption, type Options } from './command-arguments.js';
import { discrepanciesBySeverity } from './discrepancies-by-severity.js';

/** What `--fail-on` says: exit code 7 for a discrepancy of this severity or higher. */
export interface FailOn {
  readonly severity: Severity;
  /** `new:SEVERITY`: only discrepancies that this run found for the first time. */
  readonly onlyNew: boolean;
}

/** Words of `--fail-on` that count only what the run saw first. */
export const newSeverities = ['new:error', 'new:warning', 'new:info'] as const;

/** @throws ReconError USAGE_INVALID */
export function failOnOption(options: Options): FailOn | null {
  const given = choiceOption(options, 'failOn', [...severities, ...newSeverities]);
  if (given === null) return null;
  const severity = severities.find((each) => given === each);
  if (severity !== undefined) return { severity, onlyNew: false };
  const onlyNew = severities.find((each) => given === `new:${each}`);
  return onlyNew === undefined ? null : { severity: onlyNew, onlyNew: true };
}

/**
 * Whether such a discrepancy is open: in the scope of the run, or with `onlyNew` in the whole database among those that
 * the run found first. One that was resolved and holds again is not new (design 4.9).
 */
export function foundBy(outcome: RunOutcome, { severity: least, onlyNew }: FailOn): boolean {
  const wanted = severities.slice(0, severities.indexOf(least) + 1);
  return onlyNew
    ? wanted.some((severity) => outcome.items.newBySeverity[severity] > 0)
    : discrepanciesBySeverity(outcome.discrepancies).some(({ severity }) => wanted.includes(severity));
}
