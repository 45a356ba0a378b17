import { moneyOf } from './check-records.js';
import { amountFinding, textFinding, type Finding } from './findings.js';
import type { Match } from './match-records.js';
import type { Payment } from './payments.js';
import type { SettlementRecord } from './records.js';
import type { Settings } from './world.js';

/** What the records of one payment are, in the order of design 4.6; those that do not fit it are left out. */
export interface Ledger {
  readonly payment: Payment;
  readonly records: readonly SettlementRecord[];
}

const incoming = ['DB', 'CP'];
const outgoing = ['CD', 'RF'];

export function isSuccessIn({ payment }: Ledger, record: SettlementRecord): boolean {
  return record.type === 'SETTLED' && !record.hasFailed && record.currency === payment.currency;
}

/** AMOUNT_MISMATCH and DUPLICATE_SETTLEMENT. */
export function checkSettledAmount(ledger: Ledger, { tolerance }: Pick<Settings, 'tolerance'>): Finding[] {
  const { payment, records } = ledger;
  const found: Finding[] = [];
  let sum = 0;
  let last: SettlementRecord | undefined;
  for (const record of records.filter((one) => isSuccessIn(ledger, one))) {
    if (sum >= payment.amount) {
      found.push(duplicateOf(payment, record));
      continue;
    }
    sum += record.amount;
    last = record;
  }
  if (last !== undefined && sum !== payment.amount) {
    const missing = payment.amount - sum;
    const isTolerated = payment.currency === 'EUR' && Math.abs(missing) <= tolerance;
    found.push({
      ...amountFinding(
        'AMOUNT_MISMATCH',
        { record: last, payment, ofPayment: true },
        {
          expected: payment.amount,
          actual: sum,
          currency: payment.currency,
          atRisk: incoming.includes(payment.type) ? missing : -missing,
        },
      ),
      ...(isTolerated ? { severity: 'info' } : {}),
    });
  }
  return found;
}

function duplicateOf(payment: Payment, record: SettlementRecord): Finding {
  const compared = {
    expected: 0,
    actual: record.amount,
    currency: payment.currency,
    atRisk: moneyOf(record),
  };
  return amountFinding('DUPLICATE_SETTLEMENT', { record, payment, ofPayment: false }, compared);
}

/** Whether SUCCESS records after this one meet the amount of the payment. */
export function isRepeatedLater(ledger: Ledger, failed: SettlementRecord): boolean {
  const { payment, records } = ledger;
  const later = records.slice(records.indexOf(failed) + 1).filter((record) => isSuccessIn(ledger, record));
  return later.reduce((sum, { amount }) => sum + amount, 0) >= payment.amount;
}

/** CHARGEBACK_EXCEEDS_PAYMENT; `linked` says which reversals returned the money of which chargeback. */
export function checkChargedBack(
  ledger: Ledger,
  linked: ReadonlyMap<SettlementRecord, SettlementRecord>,
): Finding[] {
  const { payment, records } = ledger;
  const own = records.filter(
    (record) => record.type === 'CHARGEBACK' && record.currency === payment.currency,
  );
  const charged = own.filter((record) => !record.hasFailed);
  const net = own.reduce((sum, chargeback) => {
    const returned = [...linked].filter(([, of]) => of === chargeback).map(([reversal]) => reversal);
    // In another currency it returned all, because it is unknown how much that is.
    if (returned.some(({ currency }) => currency !== payment.currency)) return sum;
    const taken = chargeback.hasFailed ? 0 : chargeback.amount;
    return returned.reduce((left, { amount }) => left - amount, sum + taken);
  }, 0);
  const record = charged.at(-1);
  if (record === undefined || net <= payment.amount) return [];
  const excess = net - payment.amount;
  const amounts = { expected: payment.amount, actual: net, currency: payment.currency, atRisk: excess };
  return [amountFinding('CHARGEBACK_EXCEEDS_PAYMENT', { record, payment, ofPayment: true }, amounts)];
}

/** SETTLEMENT_FAILED of one record. */
export function checkFailure(
  record: SettlementRecord,
  payment: Payment | undefined,
  ledger: Ledger | undefined,
): Finding[] {
  if (!record.hasFailed) return [];
  if (record.type === 'SETTLED' && ledger?.records.includes(record) && isRepeatedLater(ledger, record))
    return [];
  return [
    textFinding('SETTLEMENT_FAILED', record, {
      payment,
      expected: 'SUCCESS',
      actual: 'FAILED',
      atRisk: failedMoney(record, payment),
    }),
  ];
}

/** Positive for money that should have come in: by the payment's type if it is money, else by the record's own. */
function failedMoney(record: SettlementRecord, payment: Payment | undefined): number {
  if (record.type !== 'SETTLED') return -moneyOf(record);
  const { type = '' } = payment ?? {};
  const comesIn = incoming.includes(type) || (!outgoing.includes(type) && record.kind === 'DEBIT');
  return comesIn ? record.amount : -record.amount;
}

/** The payment of a match, if it has exactly one. */
export function paymentOf(match: Match | undefined): Payment | undefined {
  return match?.status === 'MATCHED' ? match.payments[0] : undefined;
}
