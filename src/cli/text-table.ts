/** Columns of text under a headline, as psql draws them; numbers stand right. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) =>
    Math.max(widthOf(name), ...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  const line = (cells: readonly string[], number: (cell: string) => boolean) =>
    cells
      .map((cell, column) => {
        const blanks = ' '.repeat((widths[column] ?? 0) - widthOf(cell));
        return number(cell) ? blanks + cell : cell + blanks;
      })
      .join('  ')
      .trimEnd();
  return [
    line(head, () => false),
    widths.map((width) => '─'.repeat(width)).join('  '),
    ...rows.map((row) => line(row, (cell) => /^-?[\d,]+(\.\d+)?$/.test(cell))),
  ].join('\n');
}

/** Cells on a terminal: wide characters take two. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text)
    width +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/.test(
        character,
      )
        ? 2
        : 1;
  return width;
}
