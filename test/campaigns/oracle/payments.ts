import type { Cells } from '../../support/settlement-rows.js';

/** A stored payment as the oracle sees it; money in hundredths. */
export interface Payment {
  readonly id: string;
  readonly shortId: string;
  readonly type: string;
  readonly brand: string;
  readonly amount: number;
  readonly currency: string;
  readonly result: 'success' | 'pending' | 'failed';
  readonly entity: string;
  readonly connector: readonly [string, string, string];
  readonly last4: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly day: string;
  readonly references: string;
  readonly merchantTransaction: string;
  readonly merchantInvoice: string;
}

/** Stored payments by id, as the cells of their imports. */
export type StoredPayments = Map<string, Cells>;

// Design 5, `payments import`.
const success = /^(000\.000\.|000\.100\.1|000\.[36]|000\.400\.1[12]0|000\.400\.0[^3]|000\.400\.100)/;
const pending = /^(000\.200\.|800\.400\.5|100\.400\.500)/;

/** Stores the lines of an import: what is known is filled in where it was empty, and a pending result may change. */
export function storePayments(stored: StoredPayments, lines: readonly Cells[]): void {
  for (const line of lines) {
    const id = line['PaymentId'] ?? '';
    const given = Object.entries(line).filter(([, value]) => value !== '');
    stored.set(id, { ...stored.get(id), ...Object.fromEntries(given) });
  }
}

export function readPayment(cells: Cells, timezone: string): Payment {
  const cell = (name: string) => cells[name] ?? '';
  const at = Date.parse(cell('Timestamp').replace(' ', 'T').replace('+0000', 'Z'));
  return {
    id: cell('PaymentId'),
    shortId: cell('ShortId'),
    type: cell('PaymentType'),
    brand: cell('PaymentBrand'),
    amount: readMoney(cell('Amount')),
    currency: cell('Currency'),
    result: resultOf(cell('ResultCode')),
    entity: cell('EntityId'),
    connector: [cell('ConnectorTxId1'), cell('ConnectorTxId2'), cell('ConnectorTxId3')],
    last4: cell('AccountNumberLast4'),
    at,
    // In Sweden, a date is written as ISO 8601 does.
    day: new Intl.DateTimeFormat('sv-SE', { timeZone: timezone }).format(at),
    references: cell('ReferencedPaymentId'),
    merchantTransaction: cell('MerchantTransactionId'),
    merchantInvoice: cell('MerchantInvoiceId'),
  };
}

function resultOf(code: string): Payment['result'] {
  if (success.test(code)) return 'success';
  return pending.test(code) ? 'pending' : 'failed';
}

/** `12.50` → 1250. */
export function readMoney(text: string): number {
  return Number(text.replace('.', ''));
}

/** 1250 → `12.50`, -5 → `-0.05`. */
export function writeMoney(minor: number): string {
  const digits = Math.abs(minor).toString().padStart(3, '0');
  return `${minor < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
