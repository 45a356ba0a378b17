import type { Chance } from '../../support/campaign.js';
import { account, settlementRow, type Cells } from '../../support/settlement-rows.js';
import { readMoney, writeMoney } from './payments.js';
import { dayAfter } from './world.js';

const otherAccount = '8a8294174b7ecb28014b9699220015cb';

/** What a record of a payment of this type usually is. */
const usual: Readonly<Record<string, readonly [string, string]>> = {
  DB: ['SETTLED', 'DEBIT'],
  CP: ['SETTLED', 'DEBIT'],
  CD: ['SETTLED', 'CREDIT'],
  RF: ['SETTLED', 'REFUND'],
  PA: ['SETTLED', 'DEBIT'],
  RV: ['FEE', 'CANCEL_FEE'],
};

const kinds: readonly (readonly [string, string])[] = [
  ['SETTLED', 'DEBIT'],
  ['SETTLED', 'REFUND'],
  ['SETTLED', 'CREDIT'],
  ['CHARGEBACK', 'DEBIT'],
  ['CHARGEBACK', 'DEBIT'],
  ['CHARGEBACK REVERSAL', 'DEBIT'],
  ['CHARGEBACK REVERSAL', 'DEBIT'],
  ['FEE', 'AUTH_FEE'],
  ['FEE', 'CAPTURE_FEE'],
  ['FEE', 'REFUND_FEE'],
  ['FEE', 'MONTHLY'],
];

/** A valid row about one of these payments (or none): mostly as it should be, sometimes wrong in a few cells. */
export function randomRow(
  chance: Chance,
  payments: readonly Cells[],
  { asOf, id }: { readonly asOf: string; readonly id: string },
): Cells {
  const payment = chance.pick(payments);
  const normal = usual[payment['PaymentType'] ?? ''] ?? kinds[0];
  const [type = '', paymentType = ''] = (chance.fraction() < 0.6 ? normal : chance.pick(kinds)) ?? [];
  const odd = (share: number, wrong: string, right: string) => (chance.fraction() < share ? wrong : right);
  const negative = type === 'CHARGEBACK' || ['CREDIT', 'REFUND'].includes(paymentType);
  const [flow = '', otherFlow = ''] = negative ? ['NEG', 'POS'] : ['POS', 'NEG'];
  const paid = payment['Amount'] ?? '';
  const wrong = ['50.00', '50.00', '100.00', '150.00', '200.00', centOff(paid)];
  const amount = chance.fraction() < 0.65 ? paid : chance.pick(wrong);
  return settlementRow({
    ReconciliationType: type,
    PaymentType: paymentType,
    Cashflow: odd(0.06, otherFlow, flow),
    MerchantAccountId: odd(0.06, otherAccount, account),
    SettlementTxId: odd(0.1, '', `s-${id}`),
    ...randomReferences(chance, payment, payments),
    Amount: amount,
    Currency: odd(0.06, 'GBP', payment['Currency'] ?? ''),
    SettlementCurrency: 'EUR',
    SettlementAmount: odd(0.05, '99.00', amount),
    SettlementFee: odd(0.1, '1.00', ''),
    Brand: odd(0.1, 'AMEX', odd(0.1, '', odd(0.15, 'VISADEBIT', payment['PaymentBrand'] ?? ''))),
    TxRequestTime: odd(0.2, '', (payment['Timestamp'] ?? '').slice(0, 19)),
    SettlementDate: dayAfter(asOf, -chance.integer(0, 3)),
    SettlementStatus: odd(0.12, 'FAILED', 'SUCCESS'),
    AccountNumberLast4: odd(0.1, '', odd(0.08, '9999', payment['AccountNumberLast4'] ?? '')),
    ReasonCode: type === 'CHARGEBACK' ? odd(0.2, '', '10.4') : '',
    MatchingStatus: odd(0.04, 'NOT_MATCHED', ''),
  });
}

/** A cent more. */
function centOff(amount: string): string {
  return writeMoney(readMoney(amount) + 1);
}

/** What a sender may deliver again: the row with a few other cells. Chargebacks keep theirs. */
export function correctedRow(chance: Chance, row: Cells): Cells {
  if (row['ReconciliationType']?.startsWith('CHARGEBACK') === true) return row;
  const amount = chance.pick(['50.00', '100.00', '150.00']);
  const changes: readonly Cells[] = [
    { Amount: amount, SettlementAmount: amount },
    { SettlementStatus: row['SettlementStatus'] === 'FAILED' ? 'SUCCESS' : 'FAILED' },
    { Brand: row['Brand'] === 'MASTER' ? 'VISA' : 'MASTER' },
    { SettlementDate: dayAfter(row['SettlementDate'] ?? '', 1) },
    { MerchantAccountId: row['MerchantAccountId'] === account ? otherAccount : account },
  ];
  const [first, second] = [chance.pick(changes), chance.pick(changes)];
  return { ...row, ...first, ...(chance.fraction() < 0.3 ? second : {}) };
}

/** What may follow for the payment of a row: more of its money, its chargeback, or the reversal of a chargeback. */
export function laterRow(chance: Chance, row: Cells, id: string): Cells {
  const type = row['ReconciliationType'];
  const later = { ...row, SettlementTxId: `s-${id}` };
  if (type === 'CHARGEBACK') {
    return { ...later, ReconciliationType: 'CHARGEBACK REVERSAL', Cashflow: 'POS', ReasonCode: '' };
  }
  if (type === 'SETTLED' && chance.fraction() < 0.4) {
    const changes = { PaymentType: 'DEBIT', Cashflow: 'NEG', ReasonCode: '10.4' };
    return { ...later, ReconciliationType: 'CHARGEBACK', ...changes };
  }
  return { ...later, Amount: '50.00', SettlementAmount: '50.00' };
}

function randomReferences(chance: Chance, payment: Cells, payments: readonly Cells[]): Cells {
  const way = chance.fraction();
  if (way < 0.45) return { UniqueID: payment['PaymentId'] ?? '' };
  // A payment that nobody has stored: weaker keys are tried.
  const unknown: Cells = chance.fraction() < 0.1 ? { UniqueID: 'f'.repeat(32) } : {};
  if (way < 0.65) return { ...unknown, ShortId: payment['ShortId'] ?? '' };
  if (way < 0.85) {
    return {
      ...unknown,
      ConnectorTxId1: payment['ConnectorTxId1'] ?? '',
      ConnectorTxId2: payment['ConnectorTxId2'] ?? '',
      ConnectorTxId3: payment['ConnectorTxId3'] ?? '',
    };
  }
  if (way < 0.9) return unknown;
  // References to different payments: the strongest decides.
  const [one, other] = [chance.pick(payments), chance.pick(payments)];
  return {
    ...unknown,
    ShortId: one['ShortId'] ?? '',
    ConnectorTxId1: other['ConnectorTxId1'] ?? '',
    ConnectorTxId2: payment['ConnectorTxId2'] ?? '',
  };
}
