/** A row of a table: its cells by the name of their column. */
export type Row = Readonly<Record<string, string>>;

/** Reads a table of cases: the first line names the columns, and `|` stands between the cells. */
export function rowsOf(text: string): Row[] {
  const [head = [], ...lines] = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  return lines.map((cells) => Object.fromEntries(head.map((name, index) => [name, cells[index] ?? ''])));
}
