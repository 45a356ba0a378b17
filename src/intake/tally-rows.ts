import type { FileRows } from '../outcome.js';
import { columnIndex, columns } from '../settlement-file/columns.js';
import type { RowIssue } from '../settlement-file/row-issues.js';
import { currencyNumbers } from '../settlement-file/scan-ordinary-row.js';
import { isCalendarDate, type CalendarDate } from '../values/calendar-date.js';
import type { AcceptedRow } from './encode-records.js';

const settlementDate = columnIndex('SettlementDate');

/** Amounts below 10^12 add up exactly in a number for this many rows; then they move to a bigint. */
const rowsBetweenCarries = 4096;

/** How many issues a message quotes. */
const quotedIssues = 3;

/** The first and last SettlementDate of a file's rows. */
export interface Dates {
  readonly first: CalendarDate;
  readonly last: CalendarDate;
}

/** Counts and control totals of a file, kept while it streams by. */
export class RowTally {
  accepted = 0;
  rejected = 0;
  #firstDay = Infinity;
  #lastDay = -Infinity;
  readonly #pending = new Float64Array(currencyNumbers);
  readonly #currencies = new Set<number>();
  readonly #sums = new Map<number, bigint>();
  #sinceCarry = 0;
  #issues: string[] = [];

  /** The file is read from its beginning. */
  reset(): void {
    this.accepted = 0;
    this.rejected = 0;
    this.#firstDay = Infinity;
    this.#lastDay = -Infinity;
    this.#pending.fill(0);
    this.#currencies.clear();
    this.#sums.clear();
    this.#sinceCarry = 0;
    this.#issues = [];
  }

  addAccepted(row: AcceptedRow): void {
    this.accepted += 1;
    this.#see(row.settlementDate);
    if (this.#pending[row.currency] === 0) this.#currencies.add(row.currency);
    // The index is a `currencyNumber`, so the entry exists.
    this.#pending[row.currency] = (this.#pending[row.currency] as number) + row.amountMinor;
    this.#sinceCarry += 1;
    if (this.#sinceCarry >= rowsBetweenCarries) this.#carry();
  }

  /** The date of a refused row counts too, as far as it can be read: a re-run of its day finds the file by it. */
  addRejected(line: number, cells: readonly string[], issues: readonly RowIssue[]): void {
    this.rejected += 1;
    const day = cells[settlementDate] ?? '';
    if (cells.length === columns.length && isCalendarDate(day)) this.#see(Number(day.replaceAll('-', '')));
    for (const issue of issues) {
      if (this.#issues.length < quotedIssues) this.#issues.push(`line ${line}: ${issue.message}`);
    }
  }

  get total(): number {
    return this.accepted + this.rejected;
  }

  /** The first issues, for a message. */
  get firstIssues(): string {
    return this.#issues.join(' ');
  }

  /** The first and last SettlementDate seen; null when there was none. */
  get dates(): Dates | null {
    return this.#lastDay === -Infinity
      ? null
      : { first: toDate(this.#firstDay), last: toDate(this.#lastDay) };
  }

  /** Sums of the accepted rows' Amount in hundredths, by currency code. */
  get sums(): ReadonlyMap<string, bigint> {
    this.#carry();
    return new Map([...this.#sums].map(([number, sum]) => [toCode(number), sum]));
  }

  rows(alreadyKnown: number): FileRows {
    return { total: this.total, accepted: this.accepted, rejected: this.rejected, alreadyKnown };
  }

  #see(day: number): void {
    if (day < this.#firstDay) this.#firstDay = day;
    if (day > this.#lastDay) this.#lastDay = day;
  }

  #carry(): void {
    for (const currency of this.#currencies) {
      this.#sums.set(currency, (this.#sums.get(currency) ?? 0n) + BigInt(this.#pending[currency] ?? 0));
      this.#pending[currency] = 0;
    }
    this.#currencies.clear();
    this.#sinceCarry = 0;
  }
}

function toDate(day: number): CalendarDate {
  const digits = String(day);
  return `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`;
}

/** The letters of a `currencyNumber`. */
function toCode(number: number): string {
  return String.fromCharCode(
    65 + Math.floor(number / 676),
    65 + (Math.floor(number / 26) % 26),
    65 + (number % 26),
  );
}
