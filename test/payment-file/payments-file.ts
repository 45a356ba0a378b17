import { once } from 'node:events';
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Sql } from '../../src/db/client.js';
import { exportPayments } from '../../src/payment-file/export-payments.js';
import { paymentLineOf, paymentsHeader } from '../support/payment-rows.js';
import type { Cells } from '../support/settlement-rows.js';

export { paymentsHeader as header };

/** A payment id of 32 characters. */
export const idOf = (number: number) => number.toString(16).padStart(32, '0');

const ordinary: Cells = {
  PaymentType: 'DB',
  PaymentBrand: 'VISA',
  Amount: '10.00',
  Currency: 'EUR',
  ResultCode: '000.000.000',
  MerchantTransactionId: 'order-1',
  Timestamp: '2026-11-15 10:30:00+0000',
};

/** A valid line, with the given cells over it. */
export function paymentLine(number: number, cells: Cells = {}): string {
  return paymentLineOf({ ...ordinary, PaymentId: idOf(number), ...cells });
}

export function writePayments(file: string, lines: readonly string[], end = '\n'): string {
  writeFileSync(file, [paymentsHeader, ...lines].map((line) => line + end).join(''));
  return file;
}

/** All payments as an export writes them, through a file in `directory`. */
export async function exportedText(sql: Sql, directory: string): Promise<string> {
  const target = path.join(directory, 'out.csv');
  const out = createWriteStream(target);
  await exportPayments(sql, out);
  out.end();
  await once(out, 'close');
  return readFileSync(target, 'utf8');
}
