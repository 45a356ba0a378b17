import { paymentsHeader, settlementDate } from '../generate.js';

/** How the id begins that a record of unkind data names when no such payment is stored. */
export const unknownPrefix = 'ffffffff';

/**
 * A payments file with what is stored days after the settlement file: the payments that records name and nobody knew,
 * and the results of those that were pending, as a success. Every hundredth is left out, and rows with quotes.
 */
export function latePayments(records: string, payments: string): string {
  const lines = records.split('\n').filter((line) => !line.includes('"'));
  const rows = lines.map((line) => line.split(';'));
  const unknown = rows.filter((cells) => cells[10]?.startsWith(unknownPrefix) === true).map(paymentOf);
  const named = new Set(rows.map((cells) => cells[10]));
  const pending = payments
    .split('\n')
    .map((line) => line.split(';'))
    .filter((cells) => cells[6]?.startsWith('000.200.') === true && named.has(cells[0]))
    .map((cells) => [...cells.slice(0, 6), '000.000.000', ...cells.slice(7)].join(';'));
  const late = [...unknown, ...pending].filter((_, index) => index % 100 !== 99);
  return `${paymentsHeader}${late.map((line) => `${line}\n`).join('')}`;
}

/** The payment that a record describes. The columns of both files are those of the specification. */
function paymentOf(record: readonly string[]): string {
  const [id, amount, currency, brand, requested] = [10, 15, 16, 17, 18].map((column) => record[column] ?? '');
  const type = record[1] === 'REFUND' ? 'RF' : 'DB';
  const moment = requested === '' ? `${settlementDate} 00:00:00` : (requested ?? '');
  const entity = record[4] ?? '';
  const last4 = record[26] ?? '';
  return [id, '', type, brand, amount, currency, '000.000.000', '', '', entity, '', '', '', last4]
    .concat(`${moment}+0000`, '')
    .join(';');
}
