import type { FileRows } from '../outcome.js';
import { columnIndex, columns } from '../settlement-file/columns.js';
import type { RowIssue } from '../settlement-file/row-issues.js';
import { isCalendarDate, type CalendarDate } from '../values/calendar-date.js';
import { isCurrency } from '../values/currencies.js';
import { parseAmount } from '../values/money.js';
import type { FoundTotals } from './announced-totals.js';
import { IssueCounts } from './count-issues.js';
import type { AcceptedRow } from './encode-records.js';
import { CurrencySums } from './sum-amounts.js';

const settlementDate = columnIndex('SettlementDate');
const amountAt = columnIndex('Amount');
const currencyAt = columnIndex('Currency');

/** The first and last SettlementDate of a file's rows. */
export interface Dates {
  readonly first: CalendarDate;
  readonly last: CalendarDate;
}

/** Counts and control totals of a file, updated while it is read. */
export class RowTally {
  accepted = 0;
  rejected = 0;
  #firstDay = Infinity;
  #lastDay = -Infinity;
  #acceptedSums = new CurrencySums();
  #issues = new IssueCounts();
  /** Amounts of the rejected rows in hundredths, by currency code. */
  readonly #rejectedSums = new Map<string, bigint>();
  /** Rejected rows without a readable Amount and Currency. */
  #unreadable = 0;

  /** Starts again, because the file is read from its beginning. */
  reset(): void {
    this.accepted = 0;
    this.rejected = 0;
    this.#firstDay = Infinity;
    this.#lastDay = -Infinity;
    this.#acceptedSums = new CurrencySums();
    this.#issues = new IssueCounts();
    this.#rejectedSums.clear();
    this.#unreadable = 0;
  }

  addAccepted(row: AcceptedRow): void {
    this.accepted += 1;
    this.#addDay(row.settlementDate);
    this.#acceptedSums.add(row.currency, row.amountMinor);
  }

  /** The date of a rejected row counts too if it is readable: a re-run of its day finds the file by it. */
  addRejected(line: number, cells: readonly string[], issues: readonly RowIssue[]): void {
    this.rejected += 1;
    const day = cells[settlementDate] ?? '';
    if (cells.length === columns.length && isCalendarDate(day)) this.#addDay(Number(day.replaceAll('-', '')));
    this.#addStatedAmount(cells);
    this.#issues.add(line, cells, issues);
  }

  /** A sender's announced totals include the rows that are rejected here. */
  #addStatedAmount(cells: readonly string[]): void {
    const currency = cells[currencyAt] ?? '';
    const amountMinor = cells.length === columns.length ? parseAmount(cells[amountAt] ?? '') : undefined;
    if (amountMinor === undefined || !isCurrency(currency)) this.#unreadable += 1;
    else this.#rejectedSums.set(currency, (this.#rejectedSums.get(currency) ?? 0n) + amountMinor);
  }

  /** @param day as the number yyyyMMdd */
  #addDay(day: number): void {
    if (day < this.#firstDay) this.#firstDay = day;
    if (day > this.#lastDay) this.#lastDay = day;
  }

  get total(): number {
    return this.accepted + this.rejected;
  }

  /** Sums of the accepted rows' Amount in hundredths, by currency code. */
  get sums(): ReadonlyMap<string, bigint> {
    return this.#acceptedSums.byCode;
  }

  /** All rows, accepted or not, to compare with what the sender announced. */
  get found(): FoundTotals {
    const sums = new Map(this.sums);
    for (const [currency, sum] of this.#rejectedSums) sums.set(currency, (sums.get(currency) ?? 0n) + sum);
    return { records: this.total, sums, unreadable: this.#unreadable };
  }

  /** The first and last SettlementDate seen; null when there was none. */
  get dates(): Dates | null {
    return this.#lastDay === -Infinity
      ? null
      : { first: toDate(this.#firstDay), last: toDate(this.#lastDay) };
  }

  /** What is wrong with the rejected rows, as indented lines for a message. */
  get issueLines(): string {
    return this.#issues.lines(this.total);
  }

  rows(alreadyKnown: number): FileRows {
    return { total: this.total, accepted: this.accepted, rejected: this.rejected, alreadyKnown };
  }
}

function toDate(day: number): CalendarDate {
  const digits = String(day);
  return `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`;
}
