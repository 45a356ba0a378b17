/**
 * A hint for a name in a header that is not the expected one, whatever the file is.
 *
 * @returns empty if nothing is likely
 */
export function damagedHeader(expected: string, found: string): string {
  // With CR alone, as old programs for the Mac end lines, the last name runs into the first row.
  if (found.includes('\r')) return 'A line ends with LF or CRLF, not with CR alone.';
  if (/^sep=/i.test(found)) return 'A spreadsheet wrote this line for itself; it must be removed.';
  if (found.trim() === expected) return 'A space or an invisible character is before or after the name.';
  if (found.trim().toLowerCase() === expected.toLowerCase()) return 'The names are case-sensitive.';
  return kinds.has(expected) ? (kinds.get(found) ?? '') : '';
}

/** By the first name of a header: what the file is, if it was given to the wrong command. */
const kinds: ReadonlyMap<string, string> = new Map([
  ['PaymentId', 'This looks like a file of payments: `recon payments import` takes it.'],
  ['ReconciliationType', 'This looks like a settlement file: `recon run --file` takes it.'],
  ['DiscrepancyId', 'This looks like a report of recon: `recon decide --file` takes open-items.csv.'],
]);

/**
 * A hint for a header with more columns than expected, all of which a spreadsheet left empty.
 *
 * @returns empty if one of them has a name
 */
export function emptyColumns(cells: readonly string[], columns: number): string {
  const more = cells.slice(columns);
  if (more.length === 0 || more.some((cell) => cell !== '')) return '';
  return 'A spreadsheet left empty columns at the end: delete them.';
}
