import { paymentColumns } from '../../src/payment-file/payment-columns.js';
import { writeCells } from '../../src/settlement-file/write-row.js';
import { account, paymentId, type Cells } from './settlement-rows.js';

const names = paymentColumns.map(({ name }) => name);

export const paymentsHeader = names.join(';');

/** A successful card debit of 100.00 EUR on 2026-11-18: recent enough that its settlement is not yet due. */
export function paymentRow(number: number, changes: Cells = {}): Cells {
  return {
    PaymentId: paymentId(number),
    PaymentType: 'DB',
    PaymentBrand: 'VISA',
    Amount: '100.00',
    Currency: 'EUR',
    ResultCode: '000.000.000',
    MerchantTransactionId: `order-${number.toString().padStart(6, '0')}`,
    EntityId: account,
    AccountNumberLast4: '1111',
    Timestamp: '2026-11-18 10:00:00+0000',
    ...changes,
  };
}

/** A payment as a line without line ending. */
export function paymentLineOf(row: Cells): string {
  const unknown = Object.keys(row).filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`no such column: ${unknown.join(', ')}`);
  return writeCells(names.map((name) => row[name] ?? ''));
}

/** A payments file of the header and these payments, each line ended by LF. */
export const paymentsFileOf = (rows: readonly Cells[]): string =>
  [paymentsHeader, ...rows.map(paymentLineOf)].map((line) => `${line}\n`).join('');
