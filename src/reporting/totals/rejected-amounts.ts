import type { Tx } from '../../db/client.js';
import { anyInPieces, JoinedPieces } from '../../db/long-texts.js';
import type { DueSettings, RunScope } from '../../db/run-scope.js';
import { columnIndex, columns } from '../../settlement-file/columns.js';
import { cellsOfText } from '../../settlement-file/correction-sheet.js';
import { isCurrency } from '../../values/currencies.js';
import { parseAmount } from '../../values/money.js';
import { isEntered } from '../scope/is-entered.js';
import { reportedFiles } from '../scope/reported-files.js';

/** Rejected rows in one currency, with the SettlementAmount that they state, in hundredths. */
export interface RejectedAmount {
  count: number;
  pos: bigint;
  neg: bigint;
}

/**
 * The rejected rows of a scope that were not corrected: how many there are, and what they state as far as it is
 * readable.
 */
export interface RejectedAmounts {
  readonly count: number;
  /** Rows of which SettlementCurrency, SettlementAmount or Cashflow cannot be read. */
  readonly unreadable: number;
  readonly byCurrency: ReadonlyMap<string, RejectedAmount>;
}

/** Reads the rejected rows of a scope and adds up what they state. */
export async function rejectedAmounts(tx: Tx, scope: RunScope, due: DueSettings): Promise<RejectedAmounts> {
  const byCurrency = new Map<string, RejectedAmount>();
  let [count, unreadable] = [0, 0];
  const joined = new JoinedPieces();
  const batches = tx<{ raw_text: string }[]>`
    select ${anyInPieces(tx, tx`q.raw_text`)} as raw_text from rejected_rows q
    where q.file_id in (${reportedFiles(tx, scope, due)}) and not ${isEntered(tx)}`.cursor(200);
  for await (const batch of batches) {
    for (const row of batch) {
      const text = joined.addAny(row.raw_text);
      if (text === null) continue;
      count += 1;
      const stated = moneyOfRejectedRow(text);
      if (stated === undefined) {
        unreadable += 1;
        continue;
      }
      const sum = byCurrency.get(stated.currency) ?? { count: 0, pos: 0n, neg: 0n };
      byCurrency.set(stated.currency, sum);
      sum.count += 1;
      if (stated.isPos) sum.pos += stated.amountMinor;
      else sum.neg += stated.amountMinor;
    }
  }
  return { count, unreadable, byCurrency };
}

const cashflow = columnIndex('Cashflow');
const amount = columnIndex('SettlementAmount');
const currency = columnIndex('SettlementCurrency');

/** What a rejected row says about money; undefined unless it has all columns and these three are valid. */
function moneyOfRejectedRow(
  rawText: string,
): { readonly currency: string; readonly amountMinor: bigint; readonly isPos: boolean } | undefined {
  const cells = cellsOfText(rawText);
  if (cells?.length !== columns.length) return undefined;
  const amountMinor = parseAmount(cells[amount] ?? '');
  const code = cells[currency] ?? '';
  const flow = cells[cashflow];
  if (amountMinor === undefined || !isCurrency(code) || (flow !== 'POS' && flow !== 'NEG')) return undefined;
  return { currency: code, amountMinor, isPos: flow === 'POS' };
}
