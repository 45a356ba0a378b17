import { shortenedNumber, spreadsheetError } from '../damaged-input/cell-damage.js';
import { currencies } from '../values/currencies.js';
import { columnIndex, columns, type CellType } from './columns.js';
import { dayNumber, isPlainTimestamp } from './scan-ordinary-date.js';

/*
 * The fast check: one pass over the bytes of a quote-free row, compiled into tables from the same column definitions as
 * the zod schemas. It accepts the ordinary row and finds where its cells end. A row that it refuses may still be valid;
 * `validateRow` decides. So it must never accept a row that `validateRow` refuses (property test), but it may refuse
 * valid ones: timestamps with a fraction, lists of ids, scripts beyond Latin, Greek and Cyrillic, text that may contain
 * a card number.
 */

const semicolon = 0x3b;
const dot = 0x2e;
const zero = 0x30;
const blank = 0x20;
const hyphen = 0x2d;

/** What a byte may be part of, one bit each. */
const isDigit = 1;
const isLetter = 2;
const isDot = 4;
const isText = 8;
/** In texts only: a lead byte of two-byte UTF-8 from U+00C0 to U+05FF, except for the block of U+034F. */
const isLead = 16;
const isContinuation = 32;
/** What enumerated values and timestamps consist of besides letters and digits. */
const isMark = 64;
/** What a reference has that a spreadsheet damaged. */
const isSuspicious = 128;

const classes = new Uint8Array(256);
for (let byte = 0x20; byte < 0x7f; byte += 1) classes[byte] = isText;
for (let byte = 0x30; byte <= 0x39; byte += 1) classes[byte] = isText | isDigit;
for (const first of [0x41, 0x61]) {
  for (let byte = first; byte < first + 26; byte += 1) classes[byte] = isText | isLetter;
}
classes[dot] = isText | isDot;
for (const mark of ' _:-+') classes[mark.charCodeAt(0)] = isText | isMark;
classes[0x2b] = isText | isMark | isSuspicious;
classes[0x23] = isText | isSuspicious;
for (let byte = 0xc3; byte <= 0xd7; byte += 1) if (byte !== 0xcd) classes[byte] = isLead;
for (let byte = 0x80; byte <= 0xbf; byte += 1) classes[byte] = isContinuation;
classes[0x22] = 0;
classes[semicolon] = 0;
// It would need escaping on its way to the database; no code and hardly a name has one.
classes[0x5c] = 0;

/** The further check of a cell whose bytes and length are accepted. */
const nothingMore = 0;
const enumeration = 1;
const amount = 2;
const currency = 3;
const date = 4;
const timestamp = 5;
const freeText = 6;
const reference = 7;

interface CompiledColumn {
  readonly allowed: number;
  readonly min: number;
  readonly max: number;
  readonly check: number;
}

function compile(type: CellType): CompiledColumn {
  switch (type.kind) {
    case 'enum': {
      const lengths = type.values.map((value) => value.length);
      return {
        allowed: isLetter | isMark,
        min: Math.min(...lengths),
        max: Math.max(...lengths),
        check: enumeration,
      };
    }
    case 'text':
      return {
        allowed: isText | isLead | isContinuation,
        // Values with too few digits are left to `validateRow`.
        min: type.digits ?? type.min,
        max: type.max,
        check: type.free ? freeText : reference,
      };
    case 'letters':
      return { allowed: isLetter, min: type.min, max: type.max, check: nothingMore };
    case 'identifier':
    case 'identifiers':
      return { allowed: isLetter | isDigit, min: 32, max: 32, check: nothingMore };
    case 'amount':
      return { allowed: isDigit | isDot, min: 4, max: 13, check: amount };
    case 'currency':
      return { allowed: isLetter, min: 3, max: 3, check: currency };
    case 'date':
      return { allowed: isDigit | isMark, min: 10, max: 10, check: date };
    case 'timestamp':
      return { allowed: isDigit | isMark, min: 19, max: 19, check: timestamp };
    case 'digits and dots':
      return { allowed: isDigit | isDot, min: type.min, max: type.max, check: nothingMore };
  }
}

const compiled = columns.map((column) => compile(column.type));
const count = columns.length;
const allowedOf = Uint8Array.from(compiled, (column) => column.allowed);
const minOf = Uint8Array.from(compiled, (column) => column.min);
const maxOf = Uint8Array.from(compiled, (column) => column.max);
const checkOf = Uint8Array.from(compiled, (column) => column.check);
const requiredOf = Uint8Array.from(columns, (column) => Number(column.required));
const valuesOf = columns.map((column) =>
  column.type.kind === 'enum' ? column.type.values.map((value) => Buffer.from(value, 'latin1')) : [],
);

/** A currency as the number of its place among all three-letter words. */
export function currencyNumber(a: number, b: number, c: number): number {
  return ((a - 0x41) * 26 + (b - 0x41)) * 26 + (c - 0x41);
}

/** All three-letter words: the size of a table by `currencyNumber`. */
export const currencyNumbers = 26 ** 3;

const knownCurrencies = new Uint8Array(currencyNumbers);
for (const code of currencies.keys()) {
  knownCurrencies[currencyNumber(code.charCodeAt(0), code.charCodeAt(1), code.charCodeAt(2))] = 1;
}

const amountColumn = columnIndex('Amount');
const currencyColumn = columnIndex('Currency');

/** Sixteen digits make a card number, thirteen at least: from there on the text is checked closely. */
const fewestCardDigits = 13;

/** Scans rows one after another; its fields describe the last accepted row. */
export class OrdinaryRowScanner {
  /** Where each cell ends (exclusive), as a position in the bytes; the next begins one further. */
  readonly ends = new Int32Array(count);
  /** Hundredths of the Amount column. Below 10^12, hence exact. */
  amountMinor = 0;
  /** `currencyNumber` of the Currency column. */
  currency = 0;
  /** SettlementDate as the number yyyyMMdd. */
  settlementDate = 0;

  /** Whether the row, free of quotes and valid UTF-8, is an ordinary valid one. Its end excludes the line ending. */
  accepts(bytes: Uint8Array, start: number, end: number): boolean {
    const ends = this.ends;
    let position = start;
    for (let column = 0; column < count; column += 1) {
      // The indices are within the tables by construction; `?? 0` would cost time in the innermost loop.
      const allowed = allowedOf[column] as number;
      const from = position;
      let seen = 0;
      for (; position < end; position += 1) {
        const found = classes[bytes[position] as number] as number;
        if ((found & allowed) === 0) break;
        seen |= found;
      }
      const isLast = column === count - 1;
      if (isLast ? position !== end : position === end || bytes[position] !== semicolon) return false;
      ends[column] = position;
      if (position === from) {
        if (requiredOf[column] === 1) return false;
      } else if (!this.#fits(bytes, from, position, column, seen)) return false;
      position += 1;
    }
    return true;
  }

  /** `seen` holds the classes of all bytes of the cell. */
  #fits(bytes: Uint8Array, from: number, to: number, column: number, seen: number): boolean {
    const check = checkOf[column] as number;
    const min = minOf[column] as number;
    const max = maxOf[column] as number;
    if ((seen & isLead) !== 0) return fitsText(bytes, from, to, min, max, check === freeText);
    if (to - from < min || to - from > max) return false;
    switch (check) {
      case enumeration:
        return isOneOf(bytes, from, to, valuesOf[column] as Buffer[]);
      case amount:
        return this.#fitsAmount(bytes, from, to, column);
      case currency:
        return this.#fitsCurrency(bytes, from, column);
      case date:
        this.settlementDate = dayNumber(bytes, from);
        return this.settlementDate !== 0;
      case timestamp:
        return isPlainTimestamp(bytes, from);
      case reference:
        return (seen & isSuspicious) === 0 || !looksDamaged(bytes, from, to);
      case freeText:
        return (
          (seen & isDigit) === 0 || to - from < fewestCardDigits || fitsText(bytes, from, to, min, max, true)
        );
      default:
        return true;
    }
  }

  #fitsAmount(bytes: Uint8Array, from: number, to: number, column: number): boolean {
    let minor = 0;
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at] as number;
      // The one dot stands before the last two digits.
      if ((byte === dot) !== (at === to - 3)) return false;
      if (byte !== dot) minor = minor * 10 + (byte - zero);
    }
    if (column === amountColumn) this.amountMinor = minor;
    return true;
  }

  #fitsCurrency(bytes: Uint8Array, from: number, column: number): boolean {
    const found = currencyNumber(bytes[from] as number, bytes[from + 1] as number, bytes[from + 2] as number);
    if (column === currencyColumn) this.currency = found;
    // Small letters lie beyond the table and read undefined.
    return (
      knownCurrencies[found] === 1 && (bytes[from + 1] as number) < 0x61 && (bytes[from + 2] as number) < 0x61
    );
  }
}

function isOneOf(bytes: Uint8Array, from: number, to: number, values: readonly Buffer[]): boolean {
  search: for (const value of values) {
    if (value.length !== to - from) continue;
    for (let at = 0; at < value.length; at += 1) {
      if (value[at] !== bytes[from + at]) continue search;
    }
    return true;
  }
  return false;
}

/** Called only for references with a `#` or `+`. */
function looksDamaged(bytes: Uint8Array, from: number, to: number): boolean {
  const cell = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1');
  return shortenedNumber.test(cell) || spreadsheetError.test(cell);
}

/**
 * Counts characters, and in free text the digits that could be one card number: those with at most one blank, hyphen or
 * character beyond ASCII between them, because there are other blanks and hyphens. All digits of a text were counted
 * before, and order numbers sent a third of the rows to `validateRow`, which tripled the time to load them.
 */
function fitsText(
  bytes: Uint8Array,
  from: number,
  to: number,
  min: number,
  max: number,
  isFree: boolean,
): boolean {
  let characters = to - from;
  let run = 0;
  let longestRun = 0;
  let isSeparated = false;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] as number;
    if (byte >= zero && byte <= 0x39) {
      run += 1;
      isSeparated = false;
      if (run > longestRun) longestRun = run;
    } else if (byte >= 0x80 && byte < 0xc0) characters -= 1;
    else if ((byte === blank || byte === hyphen || byte >= 0xc0) && !isSeparated) isSeparated = true;
    else run = 0;
  }
  return characters >= min && characters <= max && !(isFree && longestRun >= fewestCardDigits);
}
