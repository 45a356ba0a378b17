import { copyIn } from '../db/copy.js';
import type { Tx } from '../db/client.js';
import type { RowIssue } from '../settlement-file/row-issues.js';
import { maskCardNumbers } from '../values/mask-card-numbers.js';
import type { FileId } from '../values/ids.js';

/** How much is held in memory before it must be stored. */
const roomBytes = 4 * 1024 * 1024;

/**
 * Rows that failed validation, held until they can be stored: a connection does one COPY at a time. They are held as
 * bytes: texts are moved by each collection that they outlive.
 */
export class Quarantine {
  readonly #fileId: FileId;
  #rows: Buffer = Buffer.alloc(0);
  #length = 0;

  constructor(fileId: FileId) {
    this.#fileId = fileId;
  }

  get isFull(): boolean {
    return this.#length >= roomBytes;
  }

  /** Keeps a row unchanged, except that card numbers are masked. */
  add(line: number, rawText: string, issues: readonly RowIssue[]): void {
    // PostgreSQL's text has no NUL; the archive keeps the byte.
    const text = maskCardNumbers(rawText).replaceAll('\u0000', '\\u0000');
    const stored = `${this.#fileId},${line},${quoteAlways(text)},${quoteAlways(JSON.stringify(issues))}\n`;
    this.#reserve(Buffer.byteLength(stored));
    this.#length += this.#rows.write(stored, this.#length);
  }

  /** Stores the held rows and empties the quarantine. */
  async store(tx: Tx): Promise<void> {
    if (this.#length === 0) return;
    const rows = this.#rows.subarray(0, this.#length);
    this.#length = 0;
    await copyIn(
      tx,
      'copy rejected_rows (file_id, line, raw_text, issues) from stdin (format csv)',
      inPortions(rows),
    );
  }

  /** Most files have few such rows, so the room grows with them. */
  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#rows.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#rows.length));
    this.#rows.copy(larger, 0, 0, this.#length);
    this.#rows = larger;
  }
}

/** A blank line's text is empty, which unquoted would be NULL. */
function quoteAlways(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

const portionBytes = 256 * 1024;

// copyIn needs an AsyncIterable.
// eslint-disable-next-line @typescript-eslint/require-await
async function* inPortions(rows: Buffer): AsyncGenerator<Buffer> {
  for (let from = 0; from < rows.length; from += portionBytes) yield rows.subarray(from, from + portionBytes);
}
