import { openParts, type ArchiveParts } from './archive-parts.js';

/**
 * Cells of a sheet that have no text in the file although a person filled them in. Read as empty cells, what the person
 * meant would be lost without a message.
 */
export interface CellsWithoutText {
  /**
   * The columns of formulas without a result, from 0, by row: a program that does not calculate saved the workbook. A
   * spreadsheet program calculates them when it opens the workbook.
   */
  readonly uncalculated: ReadonlyMap<number, readonly number[]>;
  /** Cells that are merged over several rows: only the first row has the text. */
  readonly merged: readonly MergedRows[];
}

/** Counted as the spreadsheet does, the column from 0. */
export interface MergedRows {
  readonly firstRow: number;
  readonly lastRow: number;
  /** The first one, which has the text. */
  readonly column: number;
}

/** What stands for the text of such a cell, as a spreadsheet shows an error: no column takes it for a value. */
export const uncalculatedCell = '#UNCALCULATED!';
/** Stands for a cell that a merged one covers, so that nobody takes it for an empty one. */
export const mergedCell = '#MERGED!';

/**
 * {@link CellsWithoutText} of each sheet, in the order of the workbook; null for a sheet that is only a chart. The
 * reader of the rows does not say which cells are formulas or merged, and takes a chart for a sheet that is missing.
 *
 * @throws Error if the archive is damaged
 */
export async function cellsWithoutText(bytes: Buffer): Promise<readonly (CellsWithoutText | null)[]> {
  const parts = await openParts(bytes);
  const found: (CellsWithoutText | null)[] = [];
  for (const name of await sheetParts(parts))
    found.push(name === null ? null : await scanSheet(parts.asciiOf(name)));
  return found;
}

/** The names of the parts of the sheets, in the order of the workbook; null for a chart. */
async function sheetParts(parts: ArchiveParts): Promise<(string | null)[]> {
  const textOf = async (name: string) => {
    let text = '';
    for await (const piece of parts.asciiOf(name)) text += piece;
    return text;
  };
  const relations = elements(await textOf('xl/_rels/workbook.xml.rels'), 'Relationship');
  const byId = new Map(relations.map((element) => [attribute(element, 'Id'), element]));
  return elements(await textOf('xl/workbook.xml'), 'sheet').map((element) => {
    const relation = byId.get(attribute(element, '\\w+:id')) ?? '';
    if (attribute(relation, 'Type').endsWith('/chartsheet')) return null;
    const target = attribute(relation, 'Target');
    return target.startsWith('/') ? target.slice(1) : `xl/${target}`;
  });
}

const elements = (text: string, name: string) =>
  text.match(new RegExp(`<(?:\\w+:)?${name}\\s[^<>]*>`, 'g')) ?? [];

const attribute = (element: string, name: string) =>
  new RegExp(`\\s${name}=["']([^"']*)["']`).exec(element)?.[1] ?? '';

/** No row of a spreadsheet that people fill in is longer. */
const longestRow = 64 * 1024 * 1024;

async function scanSheet(pieces: AsyncIterable<string>): Promise<CellsWithoutText> {
  const uncalculated = new Map<number, number[]>();
  const merged: MergedRows[] = [];
  const scan = (text: string) => {
    // Most sheets have neither.
    if (/<(?:\w+:)?f[\s/>]/.test(text)) addFormulas(text, uncalculated);
    if (text.includes('mergeCell ')) merged.push(...mergedRows(text));
  };
  // The pieces since the end of the last row, and how long they are together.
  let rest: string[] = [];
  let length = 0;
  for await (const piece of pieces) {
    // A piece may begin within the word.
    const before = (rest.at(-1) ?? '').slice(-3);
    const at = (before + piece).lastIndexOf('row>');
    rest.push(piece);
    length += piece.length;
    if (at !== -1) {
      // A cell ends before its row does.
      const text = rest.join('');
      const end = length - piece.length - before.length + at;
      scan(text.slice(0, end));
      rest = [text.slice(end)];
      length -= end;
    }
    if (length > longestRow) throw new Error('a row is too long');
  }
  scan(rest.join(''));
  return { uncalculated, merged };
}

/** A cell that is never closed ends where the next one begins: otherwise, each would be read to the end of the text. */
const filledCells = /<(?:\w+:)?c\s([^<>]*[^<>/])>((?:(?!<(?:\w+:)?c\s).)*?)<\/(?:\w+:)?c>/gs;

/** No spreadsheet has longer names: the last cell is XFD1048576. */
const cellName = /^([A-Z]{1,3})(\d{1,7})$/;

/** The result of a formula may be an empty text, and then its cell says that it is a text. */
function addFormulas(text: string, uncalculated: Map<number, number[]>): void {
  for (const [, attributes = '', content = ''] of text.matchAll(filledCells)) {
    if (!/<(?:\w+:)?f[\s/>]/.test(content) || /<(?:\w+:)?v(?:\s[^<>]*)?>[^<]/.test(content)) continue;
    if (attribute(` ${attributes}`, 't') === 'str') continue;
    const [, letters, digits] = cellName.exec(attribute(` ${attributes}`, 'r')) ?? [];
    if (letters === undefined || digits === undefined) continue;
    const columns = uncalculated.get(Number(digits));
    if (columns === undefined) uncalculated.set(Number(digits), [columnIndex(letters)]);
    else columns.push(columnIndex(letters));
  }
}

function mergedRows(text: string): MergedRows[] {
  return elements(text, 'mergeCell').flatMap((element) => {
    const [, letters = '', first = '', last = ''] =
      /^([A-Z]+)(\d+):[A-Z]+(\d+)$/.exec(attribute(element, 'ref')) ?? [];
    if (Number(first) === Number(last)) return [];
    return [{ firstRow: Number(first), lastRow: Number(last), column: columnIndex(letters) }];
  });
}

/** `A` is 0, `AA` is 26. */
const columnIndex = (letters: string) =>
  Array.from(letters).reduce((index, letter) => index * 26 + letter.charCodeAt(0) - 64, 0) - 1;

/**
 * The texts of the rows of a sheet, which are given in their order, with a mark in each cell without its text.
 *
 * @returns what adds the marks to the texts of a row
 */
export function marking({
  uncalculated,
  merged,
}: CellsWithoutText): (row: number, cells: string[]) => string[] {
  const waiting = [...merged].sort((a, b) => b.firstRow - a.firstRow);
  let begun: MergedRows[] = [];
  return (row, cells) => {
    for (const column of uncalculated.get(row) ?? []) put(cells, column, uncalculatedCell);
    begun = begun.filter(({ lastRow }) => row <= lastRow);
    for (const { column } of begun) put(cells, column, mergedCell);
    for (let next = waiting.at(-1); next !== undefined && next.firstRow <= row; next = waiting.at(-1)) {
      waiting.pop();
      // Empty cells are merged for the looks.
      if (next.firstRow === row && (cells[next.column] ?? '').trim() !== '') begun.push(next);
    }
    return cells;
  };
}

/** A row ends with its last text, so the cell may be behind its end. */
function put(cells: string[], column: number, text: string): void {
  while (cells.length < column) cells.push('');
  cells[column] = text;
}
