import type { Tx } from '../db/client.js';
import type { FileId } from '../values/ids.js';

/** About ten rows: to find one, a reader reads this much. */
const bytesPerPlace = 4096;

/** A larger file has places that are further apart, so that they take at most a few megabytes of memory. */
const mostPlaces = 250_000;

/** A smaller file is read whole in a few milliseconds. */
const smallFileBytes = 64 * 1024;

const placesPerStatement = 4000;

/**
 * Notes where rows of a file begin while it is read, for readers that need only some of its rows (`row_places`). A file
 * of 98 MB has 24,000 places, and storing them takes 11 ms of CPU time of the server.
 */
export class RowPlaces {
  readonly #interval: number;
  readonly #lines: number[] = [];
  readonly #offsets: number[] = [];
  #next: number;

  constructor(fileBytes: number) {
    this.#interval = Math.max(bytesPerPlace, Math.ceil(fileBytes / mostPlaces));
    this.#next = fileBytes <= smallFileBytes ? Infinity : 0;
  }

  /** @param offset the byte of the file at which the row of the line begins */
  see(line: number, offset: number): void {
    if (offset < this.#next) return;
    this.#lines.push(line);
    this.#offsets.push(offset);
    this.#next = offset + this.#interval;
  }

  async store(tx: Tx, fileId: FileId): Promise<void> {
    for (let from = 0; from < this.#lines.length; from += placesPerStatement) {
      const part = (numbers: readonly number[]) =>
        `{${numbers.slice(from, from + placesPerStatement).join(',')}}`;
      await tx`
        insert into row_places (file_id, first_line, lines, offsets)
        values (${fileId}, ${this.#lines[from] ?? 0}, ${part(this.#lines)}::text::integer[],
          ${part(this.#offsets)}::text::bigint[])`;
    }
  }
}
