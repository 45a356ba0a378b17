import { rowsOf } from '../support/rows-of.js';
import { account, id32, payment, record, type TestPayment, type TestRecord } from './scenario.js';

/** `100.00 EUR` → minor units and currency; an amount without currency is in EUR. */
function money(text: string): { amount: bigint; currency: string } {
  const [amount = '0', currency = 'EUR'] = text.split(' ');
  return { amount: BigInt(amount.replace('.', '')), currency };
}

const results: Readonly<Record<string, string>> = {
  success: '000.000.000',
  pending: '000.200.000',
  failed: '800.100.152',
};

/** Columns: payment, type, amount, result, short, tx1, tx2, tx3, brand, last4, account, at, of. */
export function paymentsOf(text: string): TestPayment[] {
  return rowsOf(text).map((row) => {
    const cell = (name: string) => (row[name] === undefined || row[name] === '' ? undefined : row[name]);
    return payment(cell('payment') ?? '', {
      type: cell('type') ?? 'DB',
      ...money(cell('amount') ?? '100.00'),
      resultCode: results[cell('result') ?? 'success'] ?? '',
      shortId: cell('short') ?? null,
      connectorTxIds: [cell('tx1') ?? null, cell('tx2') ?? null, cell('tx3') ?? null],
      brand: cell('brand') ?? null,
      last4: cell('last4') ?? null,
      entityId: row['account'] === undefined || row['account'] === '' ? null : accountOf(row['account']),
      requestedAt: cell('at') ?? '2026-11-19T10:00:00Z',
      references: cell('of') === undefined ? null : id32(cell('of') ?? ''),
    });
  });
}

const accountOf = (name: string) => (name === 'ours' ? account : id32(name));

/**
 * Columns: record (`name` or `name/occurrence`), kind (`SETTLED DEBIT`, `CHARGEBACK`, `REVERSAL`, `FEE MONTHLY`),
 * amount, unique, short, tx1…3, brand, last4, account, time, cashflow, settles (amount and currency), fee, rate, date,
 * status, tx (SettlementTxId), reason, claim, claimed, expected.
 */
export function recordsOf(text: string): TestRecord[] {
  return rowsOf(text).map((row, index) => {
    const cell = (name: string) => (row[name] === undefined || row[name] === '' ? undefined : row[name]);
    const [name = '', occurrence = '1'] = (cell('record') ?? '').split('/');
    const { amount, currency } = money(cell('amount') ?? '100.00');
    const settles = money(cell('settles') ?? cell('amount') ?? '100.00');
    const reason = cell('reason');
    return record(name, {
      ...kindOf(cell('kind') ?? 'SETTLED DEBIT'),
      file: Number(cell('file') ?? '1'),
      line: index + 2,
      occurrence: Number(occurrence),
      amount,
      currency,
      settlementAmount: settles.amount,
      settlementCurrency: settles.currency,
      uniqueId: cell('unique') === undefined ? null : id32(cell('unique') ?? ''),
      shortId: cell('short') ?? null,
      connectorTxIds: [cell('tx1') ?? null, cell('tx2') ?? null, cell('tx3') ?? null],
      brand: cell('brand') ?? null,
      last4: cell('last4') ?? null,
      merchantAccountId: accountOf(cell('account') ?? 'ours'),
      txRequestTime: cell('time') ?? null,
      fee: cell('fee') === undefined ? null : money(cell('fee') ?? '').amount,
      fxRate: money(cell('rate') ?? '1.00').amount,
      settlementDate: cell('date') ?? '2026-11-19',
      settlementStatus: cell('status') ?? 'SUCCESS',
      settlementTxId: cell('tx') ?? null,
      claimedStatus: cell('claim') ?? null,
      claimedTransactions:
        cell('claimed') === undefined ? null : (cell('claimed') ?? '').split(',').map(id32).join(','),
      ...(cell('cashflow') === undefined ? {} : { cashflow: cell('cashflow') ?? '' }),
      ...(reason === undefined ? {} : { reasonCode: reason === 'none' ? null : reason }),
    });
  });
}

function kindOf(kind: string): { reconciliationType: string; paymentType: string } {
  if (kind === 'CHARGEBACK') return { reconciliationType: 'CHARGEBACK', paymentType: 'DEBIT' };
  if (kind === 'REVERSAL') return { reconciliationType: 'CHARGEBACK REVERSAL', paymentType: 'DEBIT' };
  const [reconciliationType = '', paymentType = ''] = kind.split(' ');
  return { reconciliationType, paymentType };
}
