import { ReconError } from '../errors.js';

/** The error of a sheet with problems: nothing of it was stored. */
export function invalid(name: string, problems: readonly string[]): ReconError {
  return new ReconError('SHEET_INVALID', listed(`Nothing of ${name} was stored`, problems));
}

/**
 * The problem of a header without some of its columns; null without one.
 *
 * @param place where the header is, or should be
 * @param sheet which sheet it should be
 */
export function missingColumns(place: string, missing: readonly string[], sheet: string): string | null {
  if (missing.length === 0) return null;
  const what =
    missing.length === 1
      ? `the column ${missing.join()} is missing`
      : `the columns ${missing.join(', ')} are missing`;
  return `${place}: ${what}; this line holds the names of the columns, as in ${sheet}.`;
}

/** How many problems a message lists. */
export const mostNamed = 20;

/**
 * `Nothing was decided: …`, with one problem a line when there are several.
 *
 * @param problems may be the first ones only, `mostNamed` at least
 * @param count how many there are
 */
export function listed(heading: string, problems: readonly string[], count = problems.length): string {
  const [only] = problems;
  if (count === 1 && only !== undefined) return `${heading}: ${only}`;
  const rest = count > mostNamed ? [`… and ${count - mostNamed} more`] : [];
  return [`${heading}:`, ...problems.slice(0, mostNamed), ...rest].join('\n  ');
}
