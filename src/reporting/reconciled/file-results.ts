import type { Tx } from '../../db/client.js';
import type { RunScope } from '../../db/run-scope.js';
import type { FileId } from '../../values/ids.js';
import { exceptionTables, type ExceptionTables } from './exception-tables.js';
import { matchedByOwnId, parseOutcome, type RowResult } from './row-result.js';
import { windowCuts } from './window-cuts.js';
import { everyRow, exceptionalRows, notARecord, type Lines } from './window-results.js';

/** Lines per query: rows of half a megabyte in one result. */
const windowLines = 16_384;

/** Lines per query when only exceptions are listed, and they are few: usually three in a hundred rows. */
const windowLinesOfExceptions = 65_536;

/** Each takes half a kilobyte in memory: a file without UniqueIDs consists of exceptions. */
const mostExceptions = 16_384;

/**
 * Windows that are asked for before they are needed. While discrepancies are found, the answer of a window may have to
 * wait for a statement of a second, and a window keeps this process busy for 0.15 s.
 */
const windowsAhead = 6;

/** A loaded file, with the number of its rows that were already known from an earlier file. */
interface FoundFile {
  readonly id: FileId;
  readonly rows_total: number;
  readonly rows_already_known: number;
  /** Whether every row that was not accepted is among the stored rejected rows. */
  readonly lists_rejected: boolean;
  /** Whether its records have more candidates than one window holds. */
  readonly has_many_candidates: boolean;
}

/** A window that was asked for: as a text, which takes less memory than what it becomes. */
interface ComingWindow {
  /** Exclusive. */
  readonly end: number;
  readonly text: Promise<string>;
}

interface ReadWindow {
  /** Ascending. */
  readonly lines: readonly number[];
  readonly results: readonly RowResult[];
}

/**
 * The results of the accepted rows of one file, in the order of its lines. They are read in windows of lines, each
 * as one text (a row object of the driver per record costs several times more), and the next windows are read while the
 * current one is used. A row that was already known has the results of its record. A window of records with many
 * candidates has fewer lines (`window-cuts.ts`).
 *
 * A run reports whole files, and 95 of 100 rows are matched by their own UniqueID: only the others are listed, with the
 * rows that were not accepted. This takes a quarter of the time of listing every row. A re-run takes a range of days
 * out of a file, so it lists every row in range.
 */
export class FileResults {
  readonly #tx: Tx;
  readonly #scope: RunScope;
  readonly #file: FoundFile;
  readonly #listsExceptions: boolean;
  #windowLines = windowLines;
  /** The lines before which a window ends, ascending. */
  readonly #cuts: readonly number[];
  #window: ReadWindow = { lines: [], results: [] };
  #position = 0;
  #end = 0;
  /** Those that are read ahead, in order. */
  readonly #coming: ComingWindow[] = [];
  #skipped = 0;
  #tables: Promise<ExceptionTables> | undefined;

  private constructor(tx: Tx, scope: RunScope, file: FoundFile, cuts: readonly number[]) {
    this.#tx = tx;
    this.#scope = scope;
    this.#file = file;
    this.#listsExceptions = scope.kind === 'run' && file.lists_rejected;
    this.#cuts = cuts;
    this.#readAhead();
  }

  /** Asks for the first windows. */
  static async open(tx: Tx, scope: RunScope, file: FoundFile): Promise<FileResults> {
    return new FileResults(tx, scope, file, await windowCuts(tx, file));
  }

  /** Lines before this one have been read. */
  get end(): number {
    return this.#end;
  }

  /** Results that were never taken: the file lacks a stored row. */
  get skipped(): number {
    return this.#skipped;
  }

  /** Moves on to the next window. */
  async advance(): Promise<void> {
    this.#skipped += this.#window.lines.length - this.#position;
    // A file has more lines than rows if a cell contains a line break.
    const { end, text } = this.#coming.shift() ?? this.#ask(this.#end);
    this.#window = parseWindow(await text);
    if (this.#listsExceptions) this.#fitWindow(this.#window.lines.length / (end - this.#end));
    this.#position = 0;
    this.#end = end;
    this.#readAhead();
  }

  /** Longer windows are read if exceptions are as rare in the next ones as they were in this one. */
  #fitWindow(exceptionsPerLine: number): void {
    const isLong = exceptionsPerLine * windowLinesOfExceptions <= mostExceptions;
    this.#windowLines = isLong ? windowLinesOfExceptions : windowLines;
  }

  /** The result of the row at a line before `end`; undefined when its row was not accepted or is out of scope. */
  take(line: number): RowResult | undefined {
    const listed = this.#takeListed(line);
    if (!this.#listsExceptions) return listed;
    if (listed === undefined) return matchedByOwnId;
    return listed === noRecord ? undefined : listed;
  }

  #takeListed(line: number): RowResult | undefined {
    const { lines, results } = this.#window;
    while (this.#position < lines.length) {
      const known = lines[this.#position];
      if (known === undefined || known > line) return undefined;
      this.#position += 1;
      if (known === line) return results[this.#position - 1];
      this.#skipped += 1;
    }
    return undefined;
  }

  /** Waits for the queries under way, so that no failure is left unhandled. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#coming.map(({ text }) => text));
  }

  async #read(lines: Lines): Promise<string> {
    const window = { file: this.#file, lines, tables: await this.#exceptionTables() };
    const rows = this.#listsExceptions
      ? exceptionalRows(this.#tx, window)
      : everyRow(this.#tx, window, this.#scope);
    const [row] = await this.#tx<{ window: string | null }[]>`
      select string_agg(t.line || ';' || t.outcome, E'\n' order by t.line) as window from (${rows}) t`;
    return row?.window ?? '';
  }

  #exceptionTables(): Promise<ExceptionTables> {
    this.#tables ??= exceptionTables(this.#tx, this.#file);
    return this.#tables;
  }

  #readAhead(): void {
    while (this.#coming.length < windowsAhead) {
      const from = this.#coming.at(-1)?.end ?? this.#end;
      // The header is line 1.
      if (from > this.#file.rows_total + 1) return;
      this.#coming.push(this.#ask(from));
    }
  }

  #ask(from: number): ComingWindow {
    const cut = this.#cuts.find((line) => line > from) ?? Infinity;
    const end = Math.min(cut, from + this.#windowLines);
    const text = this.#read({ from, to: end });
    // `advance` or `close` awaits it; until then a failure must not count as unhandled.
    text.catch(() => undefined);
    return { end, text };
  }
}

/** What `take` returns for a row that is not a record. */
const noRecord = parseOutcome('');

/** Most rows have one of a few outcomes, so each outcome is parsed once. */
function parseWindow(text: string): ReadWindow {
  const lines: number[] = [];
  const results: RowResult[] = [];
  const known = new Map([[notARecord, noRecord]]);
  for (const entry of text === '' ? [] : text.split('\n')) {
    const separator = entry.indexOf(';');
    const outcome = entry.slice(separator + 1);
    let result = known.get(outcome);
    if (result === undefined) known.set(outcome, (result = parseOutcome(outcome)));
    lines.push(Number(entry.slice(0, separator)));
    results.push(result);
  }
  return { lines, results };
}
