import { ReconError } from '../errors.js';

/** The error of a sheet with problems: nothing of it was stored. */
export function invalid(name: string, problems: readonly string[]): ReconError {
  return new ReconError('SHEET_INVALID', listed(`Nothing of ${name} was stored`, problems));
}

/** How many problems a message lists. */
const named = 20;

/** `Nothing was decided: …`, with one problem a line when there are several. */
export function listed(heading: string, problems: readonly string[]): string {
  const [only] = problems;
  if (problems.length === 1 && only !== undefined) return `${heading}: ${only}`;
  const rest = problems.length > named ? [`… and ${problems.length - named} more`] : [];
  return [`${heading}:`, ...problems.slice(0, named), ...rest].join('\n  ');
}
