import { otherSeparator } from '../damaged-input/other-separator.js';
import { ReconError } from '../errors.js';
import { acceptedSpellings, columns } from './columns.js';
import { presentCell } from './row-issues.js';

/**
 * Compares the header with the 36 names in their order; names are exact.
 * @returns the failure that names the first offending column, or undefined.
 */
export function checkHeader(cells: readonly string[]): ReconError | undefined {
  const count = Math.max(cells.length, columns.length);
  for (let index = 0; index < count; index += 1) {
    const expected = columns[index]?.name;
    const found = cells[index];
    if (expected === found) continue;
    if (expected !== undefined && found !== undefined && acceptedSpellings.get(expected) === found) continue;
    const separator = otherSeparator(cells, columns.length);
    const hint = separator === '' ? lineEndHint(found) : ` ${separator}`;
    return new ReconError('FILE_HEADER', `${describe(index, expected, found, cells)}${hint}`);
  }
  return undefined;
}

/** With CR alone, as old programs for the Mac end lines, the last name runs into the first row. */
function lineEndHint(found: string | undefined): string {
  return found?.includes('\r') === true ? ' A line ends with LF or CRLF, not with CR alone.' : '';
}

function describe(
  index: number,
  expected: string | undefined,
  found: string | undefined,
  cells: readonly string[],
): string {
  const place = `Header column ${index + 1}`;
  if (expected === undefined)
    return `${place} is one too many: '${presentCell(found ?? '')}'; a header has ${columns.length} names.`;
  if (found === undefined)
    return `${place}, ${expected}, is missing; the header has ${cells.length} of ${columns.length} names.`;
  return `${place} must be ${expected}, not '${presentCell(found)}'.`;
}
