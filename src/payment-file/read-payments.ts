import { otherSeparatorOfQuoted } from '../damaged-input/other-separator.js';
import { checkPaymentRow, checkPaymentsHeader, type LineIssue } from './check-payment-row.js';
import { amountIndex, paymentColumns } from './payment-columns.js';
import { splitLines, UnreadableLine, type SplitLine } from './split-lines.js';

/** What was found in a payments file; filled while it is read. */
export interface PaymentsTally {
  /** Lines with a payment, valid or not. */
  read: number;
  /** Lines that contain only separators, which spreadsheets leave below a table; they are skipped. */
  emptyRows: number;
  invalidLines: number;
  /** The first issues, in the order of the lines. */
  readonly firstIssues: LineIssue[];
}

const issuesKept = 20;

/** What a reader of payments begins to count with. */
export const emptyTally = (): PaymentsTally => ({ read: 0, emptyRows: 0, invalidLines: 0, firstIssues: [] });

/**
 * The payments of a file as text for COPY, columns in the file's order, each row preceded by its line number if
 * `withLines`. After the first invalid line it yields no more rows, but reads to the end to find all invalid lines.
 */
export async function* readPayments(
  source: AsyncIterable<Buffer>,
  tally: PaymentsTally,
  { withLines }: { readonly withLines: boolean },
): AsyncGenerator<string, void> {
  let header = true;
  try {
    for await (const batch of splitLines(source)) {
      if (header) {
        const first = batch.next();
        if (first.done === true) continue;
        header = false;
        if (!note(tally, checkPaymentsHeader(first.value.cells))) return;
      }
      const text = copyText(batch, tally, { withLines });
      if (tally.invalidLines === 0) yield text;
    }
    if (header) note(tally, [{ line: 1, column: '', message: 'the header line is missing' }]);
  } catch (thrown) {
    if (!(thrown instanceof UnreadableLine)) throw thrown;
    const separator = otherSeparatorOfQuoted(thrown.header, paymentColumns.length);
    const message = `${thrown.message}; nothing after it was checked${separator === '' ? '' : `. ${separator}`}`;
    note(tally, [{ line: thrown.line, column: '', message }]);
  }
}

function note(tally: PaymentsTally, issues: readonly LineIssue[]): boolean {
  if (issues.length === 0) return true;
  tally.invalidLines += 1;
  tally.firstIssues.push(...issues.slice(0, issuesKept - tally.firstIssues.length));
  return false;
}

function copyText(
  lines: Iterable<SplitLine>,
  tally: PaymentsTally,
  { withLines }: { readonly withLines: boolean },
): string {
  let text = '';
  for (const { cells, line } of lines) {
    if (cells[0] === '' && cells.every((cell) => cell === '')) {
      tally.emptyRows += 1;
      continue;
    }
    tally.read += 1;
    if (note(tally, checkPaymentRow(cells, line)) && tally.invalidLines === 0) {
      text += withLines ? `${line}\t${copyRow(cells)}` : copyRow(cells);
    }
  }
  return text;
}

/** COPY's text format: an empty cell is null, the amount is integer hundredths, a backslash is doubled. */
function copyRow(cells: readonly string[]): string {
  let row = '';
  for (let index = 0; index < cells.length; index += 1) {
    const cell = cells[index] ?? '';
    if (index > 0) row += '\t';
    if (cell === '') row += '\\N';
    else if (index === amountIndex) row += cell.slice(0, -3) + cell.slice(-2);
    else row += cell.includes('\\') ? cell.replaceAll('\\', '\\\\') : cell;
  }
  return `${row}\n`;
}
