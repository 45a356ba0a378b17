import { damageOf } from '../damaged-input/cell-damage.js';
import type { FileRows } from '../outcome.js';
import { columnIndex, columns } from '../settlement-file/columns.js';
import type { RowIssue } from '../settlement-file/row-issues.js';
import { currencyNumber, currencyNumbers } from '../settlement-file/scan-ordinary-row.js';
import { meaningOf } from '../settlement-file/validate-row.js';
import { isCalendarDate, type CalendarDate } from '../values/calendar-date.js';
import { currencies, isCurrency } from '../values/currencies.js';
import { parseAmount } from '../values/money.js';
import type { FoundTotals } from './announced-totals.js';
import type { AcceptedRow } from './encode-records.js';

const settlementDate = columnIndex('SettlementDate');
const amountAt = columnIndex('Amount');
const currencyAt = columnIndex('Currency');
const positionOf = new Map(columns.map((column, index) => [column.name, index]));

const place = ({ issue }: IssueCount) => positionOf.get(issue.column) ?? -1;

/** Amounts below 10^12 add up exactly in a number for this many rows; then they move to a bigint. */
const rowsBetweenCarries = 4096;

/** How many kinds of issues a message names. */
const issuesNamed = 12;

const codes = [...currencies.keys()];

/** The place in `codes` by `currencyNumber`: sums by that number would take 140 KB for each file. */
const placeOfCurrency = new Uint16Array(currencyNumbers);
for (const [at, code] of codes.entries())
  placeOfCurrency[currencyNumber(code.charCodeAt(0), code.charCodeAt(1), code.charCodeAt(2))] = at;

/** Rows with the same issue in the same column. */
interface IssueCount {
  rows: number;
  readonly firstLine: number;
  readonly issue: RowIssue;
  /** `decimal comma`, when that is what it looks like. */
  readonly damage: string | undefined;
}

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
  /** By the place of their currency, as are `#currencies` and `#sums`. */
  readonly #pending = new Float64Array(codes.length);
  readonly #currencies = new Set<number>();
  readonly #sums = new Map<number, bigint>();
  #sinceCarry = 0;
  readonly #issues = new Map<string, IssueCount>();
  /** Amounts of the rejected rows. */
  readonly #rejectedSums = new Map<string, bigint>();
  #unreadable = 0;

  /** Starts again, because the file is read from its beginning. */
  reset(): void {
    this.accepted = 0;
    this.rejected = 0;
    this.#firstDay = Infinity;
    this.#lastDay = -Infinity;
    this.#pending.fill(0);
    this.#currencies.clear();
    this.#sums.clear();
    this.#sinceCarry = 0;
    this.#issues.clear();
    this.#rejectedSums.clear();
    this.#unreadable = 0;
  }

  addAccepted(row: AcceptedRow): void {
    this.accepted += 1;
    this.#see(row.settlementDate);
    // An accepted row has a known currency, so the entries exist.
    const currency = placeOfCurrency[row.currency] as number;
    if (this.#pending[currency] === 0) this.#currencies.add(currency);
    this.#pending[currency] = (this.#pending[currency] as number) + row.amountMinor;
    this.#sinceCarry += 1;
    if (this.#sinceCarry >= rowsBetweenCarries) this.#carry();
  }

  /** The date of a rejected row counts too if it is readable: a re-run of its day finds the file by it. */
  addRejected(line: number, cells: readonly string[], issues: readonly RowIssue[]): void {
    this.rejected += 1;
    const day = cells[settlementDate] ?? '';
    if (cells.length === columns.length && isCalendarDate(day)) this.#see(Number(day.replaceAll('-', '')));
    this.#addStated(cells);
    for (const issue of issues) {
      const key = `${issue.column} ${issue.code}`;
      const counted = this.#issues.get(key);
      if (counted === undefined) {
        const position = positionOf.get(issue.column);
        const column = position === undefined ? undefined : columns[position];
        const damage =
          column === undefined ? undefined : damageOf(meaningOf(column), cells[position ?? 0] ?? '')?.what;
        this.#issues.set(key, { rows: 1, firstLine: line, issue, damage });
      } else counted.rows += 1;
    }
  }

  /** A sender's announced totals include the rows that are rejected here. */
  #addStated(cells: readonly string[]): void {
    const currency = cells[currencyAt] ?? '';
    const amountMinor = cells.length === columns.length ? parseAmount(cells[amountAt] ?? '') : undefined;
    if (amountMinor === undefined || !isCurrency(currency)) this.#unreadable += 1;
    else this.#rejectedSums.set(currency, (this.#rejectedSums.get(currency) ?? 0n) + amountMinor);
  }

  /** All rows, accepted or not, to compare with what the sender announced. */
  get found(): FoundTotals {
    const sums = new Map(this.sums);
    for (const [currency, sum] of this.#rejectedSums) sums.set(currency, (sums.get(currency) ?? 0n) + sum);
    return { records: this.total, sums, unreadable: this.#unreadable };
  }

  get total(): number {
    return this.accepted + this.rejected;
  }

  /** What is wrong, for a message: a line for each column and kind of issue, in the order of the columns. */
  get issueLines(): string {
    const kinds = [...this.#issues.values()].sort((a, b) => place(a) - place(b));
    const named = kinds.slice(0, issuesNamed).map((kind) => `\n  ${this.#describe(kind)}`);
    const left = kinds.length - named.length;
    return `${named.join('')}${left > 0 ? `\n  … and ${left} more` : ''}`;
  }

  #describe({ rows, firstLine, issue, damage }: IssueCount): string {
    const { column, message, value } = issue;
    const where = column === '' ? 'Row' : column;
    const example = column === '' || value === '' ? '' : `, for example '${value}'`;
    const guess = damage === undefined ? '' : ` (${damage.replace(/^an? /, '')}?)`;
    return `${where}: ${rows} of ${this.total} rows${example}${guess}. Line ${firstLine}: ${message}`;
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
    return new Map([...this.#sums].map(([currency, sum]) => [codes[currency] ?? '', sum]));
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
