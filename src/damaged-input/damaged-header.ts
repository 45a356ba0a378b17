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
  return '';
}
