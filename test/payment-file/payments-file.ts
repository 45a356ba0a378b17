import { writeFileSync } from 'node:fs';

export const header =
  'PaymentId;ShortId;PaymentType;PaymentBrand;Amount;Currency;ResultCode;MerchantTransactionId;MerchantInvoiceId;' +
  'EntityId;ConnectorTxId1;ConnectorTxId2;ConnectorTxId3;AccountNumberLast4;Timestamp;ReferencedPaymentId';

const names = header.split(';');

/** A payment id of 32 characters. */
export const idOf = (number: number) => number.toString(16).padStart(32, '0');

const ordinary: Record<string, string> = {
  PaymentType: 'DB',
  PaymentBrand: 'VISA',
  Amount: '10.00',
  Currency: 'EUR',
  ResultCode: '000.000.000',
  MerchantTransactionId: 'order-1',
  Timestamp: '2026-11-15 10:30:00+0000',
};

/** A valid line, with the given cells over it. */
export function paymentLine(number: number, cells: Record<string, string> = {}): string {
  const values: Record<string, string> = { ...ordinary, PaymentId: idOf(number), ...cells };
  return names.map((name) => values[name] ?? '').join(';');
}

export function writePayments(file: string, lines: readonly string[], end = '\n'): string {
  writeFileSync(file, [header, ...lines].map((line) => line + end).join(''));
  return file;
}
