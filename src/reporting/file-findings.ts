import type { Tx } from '../db/client.js';
import type { RunScope } from '../db/run-scope.js';
import { isInRange } from './control-totals.js';
import { matchedPaymentIds } from '../findings/matched-payment-ids.js';
import type { FileId } from '../values/ids.js';

/** The content of columns 34-36 of one accepted row; empty where there is no result. */
export interface Finding {
  readonly matchingStatus: string;
  /** The matched transaction is the row's own UniqueID, which need not be sent for every row. */
  readonly isOwnUniqueId: boolean;
  readonly matchedTransactions: string;
  readonly chargebackId: string;
  /** The three cells as bytes to write after cell 33, with its `;` and the end of the line: those before … */
  readonly head: Buffer;
  /** … and after the row's own UniqueID. */
  readonly tail: Buffer;
}

/** Placeholder for the row's own UniqueID. */
const ownUniqueId = '=';

/** Lines per query: rows of half a megabyte in one result. */
const windowLines = 16_384;

/** A loaded file, with the number of its rows that were already known from an earlier file. */
interface FoundFile {
  readonly id: FileId;
  readonly rows_already_known: number;
}

interface Window {
  /** Ascending. */
  readonly lines: readonly number[];
  readonly findings: readonly Finding[];
}

/**
 * The findings about the accepted rows of one file, in the order of its lines. They are read in windows of
 * lines, each as one text (a row object of the driver per record costs several times more), and the next window is read
 * while the current one is used. A row that was already known has the findings of its record.
 */
export class FileFindings {
  readonly #tx: Tx;
  readonly #scope: RunScope;
  readonly #file: FoundFile;
  #window: Window = { lines: [], findings: [] };
  #position = 0;
  #end = 0;
  #next: Promise<Window>;
  #skipped = 0;

  constructor(tx: Tx, scope: RunScope, file: FoundFile) {
    this.#tx = tx;
    this.#scope = scope;
    this.#file = file;
    this.#next = this.#ask(0);
  }

  /** Lines before this one have been read. */
  get end(): number {
    return this.#end;
  }

  /** Findings that were never taken: the file lacks a stored row. */
  get skipped(): number {
    return this.#skipped;
  }

  /** Moves on to the next window. */
  async advance(): Promise<void> {
    this.#skipped += this.#window.lines.length - this.#position;
    this.#window = await this.#next;
    this.#position = 0;
    this.#end += windowLines;
    this.#next = this.#ask(this.#end);
  }

  /** The finding about a line before `end`; undefined when its row was not accepted or is out of scope. */
  take(line: number): Finding | undefined {
    const { lines, findings } = this.#window;
    while (this.#position < lines.length) {
      const known = lines[this.#position];
      if (known === undefined || known > line) return undefined;
      this.#position += 1;
      if (known === line) return findings[this.#position - 1];
      this.#skipped += 1;
    }
    return undefined;
  }

  /** Waits for the query under way, so that no failure is left unhandled. */
  async close(): Promise<void> {
    await this.#next.catch(() => undefined);
  }

  #ask(from: number): Promise<Window> {
    const window = readWindow(this.#tx, this.#scope, this.#file, from);
    // `advance` or `close` awaits it; until then a failure must not count as unhandled.
    window.catch(() => undefined);
    return window;
  }
}

async function readWindow(tx: Tx, scope: RunScope, file: FoundFile, from: number): Promise<Window> {
  const to = from + windowLines;
  const own = ownFindings(tx, scope, file.id, from, to);
  // Left out if it would find nothing: rows of one index need no sorting.
  const known =
    file.rows_already_known > 0 ? tx`union all ${knownFindings(tx, scope, file.id, from, to)}` : tx``;
  const [row] = await tx<{ window: string | null }[]>`
    select string_agg(t.line || ';' || t.outcome, E'\n' order by t.line) as window from (${own} ${known}) t`;
  return parseWindow(row?.window ?? '');
}

/** The findings of the records of the file. */
function ownFindings(tx: Tx, scope: RunScope, fileId: FileId, from: number, to: number) {
  // Repeated for each table: a range of lines is a range of each index.
  const inWindow = (table: 'r' | 'm' | 'l') =>
    tx`${tx(table)}.file_id = ${fileId} and ${tx(table)}.line >= ${from} and ${tx(table)}.line < ${to}`;
  return tx`select r.line, ${outcomeOf(tx)} as outcome from settlement_records r
    left join record_matches m on m.line = r.line and ${inWindow('m')}
    left join chargeback_links l on l.line = r.line and ${inWindow('l')} and l.active
    where ${inWindow('r')} and ${isInRange(tx, scope)}`;
}

/** The findings of the rows whose record came in an earlier file. */
function knownFindings(tx: Tx, scope: RunScope, fileId: FileId, from: number, to: number) {
  return tx`select k.line, ${outcomeOf(tx)} from already_known_rows k
    join settlement_records r on r.file_id = k.record_file_id and r.line = k.record_line
    left join record_matches m on m.file_id = r.file_id and m.line = r.line
    left join chargeback_links l on l.file_id = r.file_id and l.line = r.line and l.active
    where k.file_id = ${fileId} and k.line >= ${from} and k.line < ${to} and ${isInRange(tx, scope)}`;
}

/** Columns 34-36 over `m` (record_matches) and `l` (chargeback_links). */
function outcomeOf(tx: Tx) {
  return tx`coalesce(nullif(m.status::text, 'NOT_APPLICABLE'), '') || ';'
    || case when m.status = 'MATCHED' and m.matched_by = 'UNIQUE_ID' then ${ownUniqueId}
      else coalesce(${matchedPaymentIds(tx)}, '') end || ';'
    || coalesce(l.chargeback_id, '')`;
}

/** Most rows have one of a few outcomes, so each outcome is parsed once. */
function parseWindow(text: string): Window {
  const lines: number[] = [];
  const findings: Finding[] = [];
  const known = new Map<string, Finding>();
  for (const entry of text === '' ? [] : text.split('\n')) {
    const separator = entry.indexOf(';');
    const outcome = entry.slice(separator + 1);
    let finding = known.get(outcome);
    if (finding === undefined) known.set(outcome, (finding = parseOutcome(outcome)));
    lines.push(Number(entry.slice(0, separator)));
    findings.push(finding);
  }
  return { lines, findings };
}

function parseOutcome(outcome: string): Finding {
  const [matchingStatus = '', matched = '', chargebackId = ''] = outcome.split(';');
  const isOwnUniqueId = matched === ownUniqueId;
  const matchedTransactions = isOwnUniqueId ? '' : matched;
  return {
    matchingStatus,
    isOwnUniqueId,
    matchedTransactions,
    chargebackId,
    head: Buffer.from(`;${matchingStatus};${matchedTransactions}`),
    tail: Buffer.from(`;${chargebackId}\n`),
  };
}
