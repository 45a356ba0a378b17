const separators = { ',': 'commas', '\t': 'tabs', '|': 'bars', ':': 'colons' };

/**
 * A hint for a header that was read as one cell but would be valid with another separator.
 *
 * @param columns how many names the header should have
 * @returns empty if there is no hint
 */
export function otherSeparator(cells: readonly string[], columns: number): string {
  const [only] = cells;
  if (cells.length !== 1 || only === undefined) return '';
  for (const [separator, plural] of Object.entries(separators)) {
    if (only.split(separator).length > columns / 2) {
      return `The names are separated by ${plural}; is the delimiter wrong? It must be a semicolon.`;
    }
  }
  return '';
}

/**
 * The hint of {@link otherSeparator} for a header that breaks the rules of quotes: a program that quotes every cell and
 * separates by commas writes a quote after what the reader takes for the first cell.
 *
 * @param columns how many names the header should have
 */
export function otherSeparatorOfQuoted(line: string, columns: number): string {
  return otherSeparator(line.replaceAll('"', '').split(';'), columns);
}
