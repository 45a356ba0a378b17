import { copyIn } from '../db/copy.js';
import type { Tx } from '../db/client.js';
import type { RowIssue } from '../settlement-file/row-issues.js';
import { maskCardNumbers } from '../values/mask-card-numbers.js';
import type { FileId } from '../values/ids.js';

/** How much is held in memory before it must be stored. */
const roomBytes = 4 * 1024 * 1024;

/** Rows that failed validation, held until they can be stored: a connection does one COPY at a time. */
export class Quarantine {
  readonly #fileId: FileId;
  #lines: string[] = [];
  #bytes = 0;

  constructor(fileId: FileId) {
    this.#fileId = fileId;
  }

  get isFull(): boolean {
    return this.#bytes >= roomBytes;
  }

  /** Keeps a row unchanged, except that card numbers are masked. */
  add(line: number, rawText: string, issues: readonly RowIssue[]): void {
    // PostgreSQL's text has no NUL; the archive keeps the byte.
    const text = maskCardNumbers(rawText).replaceAll('\u0000', '\\u0000');
    const stored = `${this.#fileId},${line},${quoteAlways(text)},${quoteAlways(JSON.stringify(issues))}\n`;
    this.#lines.push(stored);
    this.#bytes += stored.length;
  }

  /** Stores the held rows and empties the quarantine. */
  async store(tx: Tx): Promise<void> {
    if (this.#lines.length === 0) return;
    const lines = this.#lines;
    this.#lines = [];
    this.#bytes = 0;
    await copyIn(
      tx,
      'copy rejected_rows (file_id, line, raw_text, issues) from stdin (format csv)',
      inPortions(lines),
    );
  }
}

/** A blank line's text is empty, which unquoted would be NULL. */
function quoteAlways(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

// copyIn needs an AsyncIterable.
// eslint-disable-next-line @typescript-eslint/require-await
async function* inPortions(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}
