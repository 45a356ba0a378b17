import { textFinding, type Finding } from './findings.js';
import { fits, typesFor } from './fitting-types.js';
import type { Match } from './match-records.js';
import { readMoney, writeMoney, type Payment } from './payments.js';
import type { SettlementRecord } from './records.js';
import type { Settings } from './world.js';

/** Money that we have and should not have where it came in, and the other way round where it went out. */
export function moneyOf(record: SettlementRecord): number {
  return record.cells['Cashflow'] === 'POS' ? -record.amount : record.amount;
}

interface Circumstances {
  readonly reversedAmount: (payment: Payment) => number;
  readonly settings: Settings;
}

/** The findings of design 4.6 that need no other record. */
export function checkRecord(record: SettlementRecord, match: Match, circumstances: Circumstances): Finding[] {
  const payment = match.status === 'MATCHED' ? match.payments[0] : undefined;
  return [
    ...checkMatch(record, match),
    ...(payment === undefined ? [] : checkPayment(record, payment, circumstances)),
    ...checkMoney(record, payment),
    ...checkClaim(record, match),
  ];
}

function checkMatch(record: SettlementRecord, { status, payments }: Match): Finding[] {
  const found = (actual: string) => ({ expected: 'one payment', actual, atRisk: moneyOf(record) });
  if (status === 'NOT_MATCHED') return [textFinding('NOT_MATCHED', record, found('none'))];
  if (status !== 'MULTIPLE_MATCHES') return [];
  return [textFinding('MULTIPLE_MATCHES', record, found(`${payments.length} payments`))];
}

function checkPayment(
  record: SettlementRecord,
  payment: Payment,
  { reversedAmount, settings }: Circumstances,
): Finding[] {
  const { cells, type, currency } = record;
  const account = cells['MerchantAccountId'] ?? '';
  const [last4 = '', brand = ''] = [cells['AccountNumberLast4'], cells['Brand']];
  const isSettled = type === 'SETTLED';
  const differ = (mine: string, theirs: string) => mine !== '' && theirs !== '' && mine !== theirs;
  const found: Finding[] = [];
  const add = (code: string, expected: string, actual: string, atRisk = 0) =>
    found.push(textFinding(code, record, { payment, expected, actual, atRisk }));
  if (isSettled && currency !== payment.currency) {
    add('CURRENCY_MISMATCH', payment.currency, currency, payment.amount);
  }
  if (!fits(record, payment.type)) {
    add('TYPE_MISMATCH', (typesFor(record) ?? []).join(' or '), payment.type);
  }
  if (isSettled && payment.result !== 'success') {
    add('PAYMENT_NOT_SUCCESSFUL', 'SUCCESS', payment.result.toUpperCase(), moneyOf(record));
  }
  if (isSettled && payment.amount > 0 && reversedAmount(payment) >= payment.amount) {
    add('PAYMENT_REVERSED', 'not reversed', 'reversed in full', moneyOf(record));
  }
  if (differ(account, payment.entity)) add('MERCHANT_ACCOUNT_MISMATCH', payment.entity, account);
  if (differ(last4, payment.last4)) add('ACCOUNT_MISMATCH', payment.last4, last4);
  if (differ(brand, payment.brand) && settings.brandAliases[brand] !== payment.brand)
    add('BRAND_MISMATCH', payment.brand, brand);
  return found;
}

const flows: Readonly<Record<string, string>> = {
  'SETTLED DEBIT': 'POS',
  'SETTLED CREDIT': 'NEG',
  'SETTLED REFUND': 'NEG',
};

function flowOf({ type, kind }: SettlementRecord): string | undefined {
  if (type === 'CHARGEBACK') return 'NEG';
  return type === 'CHARGEBACK REVERSAL' ? 'POS' : flows[`${type} ${kind}`];
}

function checkMoney(record: SettlementRecord, payment: Payment | undefined): Finding[] {
  const { cells } = record;
  const found: Finding[] = [];
  const expected = flowOf(record);
  const flow = cells['Cashflow'] ?? '';
  if (expected !== undefined && expected !== flow) {
    found.push(textFinding('CASHFLOW_MISMATCH', record, { payment, expected, actual: flow }));
  }
  if (record.type === 'CHARGEBACK' && (cells['ReasonCode'] ?? '') === '') {
    found.push(
      textFinding('CHARGEBACK_WITHOUT_REASON', record, {
        payment,
        expected: 'a reason code',
        actual: 'none',
      }),
    );
  }
  return [...found, ...checkRate(record, payment)];
}

/** Rates have two decimals, so everything is compared in ten-thousandths. */
function checkRate(record: SettlementRecord, payment: Payment | undefined): Finding[] {
  const { cells, amount, currency, type } = record;
  if (type === 'FEE') return [];
  const settled = readMoney(cells['SettlementAmount'] ?? '');
  const fee = readMoney(cells['SettlementFee'] ?? '');
  const converted = amount * readMoney(cells['SettlementFxRate'] ?? '');
  const settledCurrency = cells['SettlementCurrency'] ?? '';
  // 0.01, and 0.005 × Amount where the currencies differ.
  const tolerance = 100 + (currency === settledCurrency ? 0 : amount / 2);
  if ([0, fee, -fee].some((part) => Math.abs(converted - (settled + part) * 100) <= tolerance)) return [];
  const expected = Math.round(converted / 100);
  return [
    {
      ...textFinding('FX_MISMATCH', record, {
        payment,
        expected: writeMoney(expected),
        actual: writeMoney(settled),
      }),
      difference: writeMoney(settled - expected),
      differenceCurrency: settledCurrency,
    },
  ];
}

function checkClaim(record: SettlementRecord, match: Match): Finding[] {
  const [status = '', payments = ''] = [record.cells['MatchingStatus'], record.cells['MatchedTransactions']];
  const ours = match.payments.map(({ id }) => id).join(',');
  const expected = `${match.status} ${ours}`.trim() || 'nothing';
  const differs = (status !== '' && status !== match.status) || (payments !== '' && payments !== ours);
  if (!differs) return [];
  const payment = match.status === 'MATCHED' ? match.payments[0] : undefined;
  return [
    textFinding('CLAIM_DIFFERS', record, { payment, expected, actual: `${status} ${payments}`.trim() }),
  ];
}
