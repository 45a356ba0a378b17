import { damagedHeader, emptyColumns } from '../damaged-input/damaged-header.js';
import { otherSeparator, otherSeparatorOfQuoted } from '../damaged-input/other-separator.js';
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
    const sentence = describe(index, expected, found, cells);
    const hint = hintAbout(expected, found, cells);
    return new ReconError('FILE_HEADER', hint === '' ? sentence : `${sentence} ${hint}`);
  }
  return undefined;
}

function hintAbout(
  expected: string | undefined,
  found: string | undefined,
  cells: readonly string[],
): string {
  if (expected === undefined) return emptyColumns(cells, columns.length);
  return found === undefined ? '' : likelyCause(expected, found, cells);
}

/** The failure of a header whose quotes cannot be read, with the separator that it seems to have. */
export function withSeparatorOf(line: string, failure: ReconError): ReconError {
  const hint = otherSeparatorOfQuoted(line, columns.length);
  return hint === '' ? failure : new ReconError(failure.code, `${failure.message} ${hint}`);
}

const [first] = columns;

/** What probably happened to a name that is not the expected one; empty if nothing is likely. */
function likelyCause(expected: string, found: string, cells: readonly string[]): string {
  const separator = otherSeparator(cells, columns.length);
  if (separator !== '') return separator;
  const damage = damagedHeader(expected, found);
  if (damage !== '') return damage;
  if (expected === first?.name) {
    if (found === '' && cells.length === 1) return 'The first line is empty; it must have the 36 names.';
    if (first.type.kind === 'enum' && first.type.values.includes(found)) {
      return 'The first line looks like a row: is the line with the names missing?';
    }
  }
  if (cells.length < columns.length) return `The header has ${cells.length} of ${columns.length} names.`;
  return '';
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
