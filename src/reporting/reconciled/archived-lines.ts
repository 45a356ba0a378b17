import type { OpenBytes } from '../../archive/stored-bytes.js';
import type { Tx } from '../../db/client.js';
import { readChosenRows } from '../../settlement-file/read-chosen-rows.js';
import type { RawRow } from '../../settlement-file/read-rows.js';
import type { FileId } from '../../values/ids.js';
import { whileReading, type ArchivedFile } from './archived-file.js';

/** Where rows of a file begin (`row_places`), in the order of the file. */
export interface StoredRowPlaces {
  readonly lines: readonly number[];
  readonly offsets: readonly number[];
}

/** The places of a file, a few megabytes at most; null when it has none. */
export async function readRowPlaces(tx: Tx, fileId: FileId): Promise<StoredRowPlaces | null> {
  const rows = await tx<{ lines: string; offsets: string }[]>`
    select array_to_string(lines, ',') as lines, array_to_string(offsets, ',') as offsets
    from row_places where file_id = ${fileId} order by first_line`;
  if (rows.length === 0) return null;
  return {
    lines: rows.flatMap(({ lines }) => lines.split(',').map(Number)),
    offsets: rows.flatMap(({ offsets }) => offsets.split(',').map(Number)),
  };
}

/** Rows that lie next to each other are read in pieces of about this size. */
const pieceBytes = 256 * 1024;

/** A piece of the file from one place to another, with the chosen lines in it. */
interface Piece {
  readonly firstLine: number;
  readonly from: number;
  readonly to: number;
  readonly lines: readonly number[];
}

/** Reads rows of an archived file by their lines, and little else of it. */
export class ArchivedLines {
  readonly #file: ArchivedFile;
  readonly #opened: OpenBytes;
  readonly #places: StoredRowPlaces;

  private constructor(file: ArchivedFile, opened: OpenBytes, places: StoredRowPlaces) {
    this.#file = file;
    this.#opened = opened;
    this.#places = places;
  }

  /** @throws ReconError DISK_FAILED */
  static async open(file: ArchivedFile, places: StoredRowPlaces): Promise<ArchivedLines> {
    return new ArchivedLines(file, await whileReading(file, () => file.bytes.open()), places);
  }

  async close(): Promise<void> {
    await this.#opened.close();
  }

  /**
   * @param lines ascending; later calls may only ask for later ones
   * @throws ReconError DISK_FAILED, FILE_QUOTE. That the bytes are those that were loaded is for the caller to check:
   * the SHA-256 of the file is not known before all of it is read.
   */
  async *rows(lines: readonly number[]): AsyncGenerator<readonly RawRow[], void, undefined> {
    for (const { firstLine, from, to, lines: chosen } of this.#pieces(lines)) {
      const bytes = await whileReading(this.#file, () => this.#opened.read(from, to - from));
      yield readChosenRows(bytes, firstLine, chosen);
    }
  }

  *#pieces(lines: readonly number[]): Generator<Piece> {
    let chosen: number[] = [];
    let [first, last] = [-1, -1];
    for (const line of lines) {
      const place = placeOf(this.#places.lines, line, Math.max(0, last));
      const isNext = place <= last + 1 && this.#endOf(last) - this.#startOf(first) < pieceBytes;
      if (chosen.length > 0 && !isNext) {
        yield this.#piece(first, last, chosen);
        chosen = [];
      }
      if (chosen.length === 0) first = place;
      last = place;
      chosen.push(line);
    }
    if (chosen.length > 0) yield this.#piece(first, last, chosen);
  }

  #piece(first: number, last: number, lines: readonly number[]): Piece {
    const firstLine = this.#places.lines[first] ?? 0;
    return { firstLine, from: this.#startOf(first), to: this.#endOf(last), lines };
  }

  #startOf(place: number): number {
    return this.#places.offsets[place] ?? 0;
  }

  #endOf(place: number): number {
    return this.#places.offsets[place + 1] ?? this.#opened.sizeBytes;
  }
}

/** The last place at or before a line; binary search from a place before it. */
function placeOf(lines: readonly number[], line: number, from: number): number {
  let [low, high] = [from, lines.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((lines[middle] ?? Infinity) <= line) low = middle;
    else high = middle - 1;
  }
  return low;
}
