import { discrepancyCodes, type DiscrepancyCode } from '../../../src/findings/discrepancy-codes.js';
import type { AgedItems } from '../../../src/findings/item-ages.js';
import type { Item } from '../../../src/findings/open-item.js';
import type { FileOutcome } from '../../../src/outcome.js';
import type { Chargeback } from '../../../src/reporting/tables/chargebacks-table.js';
import type { MoneySums } from '../../../src/reporting/totals/money-totals.js';
import type { PageModel, ChartedRun } from '../../../src/reporting/page/page-model.js';
import { ChargebackTally } from '../../../src/reporting/page/tally-chargebacks.js';
import { ItemTally } from '../../../src/reporting/page/tally-items.js';
import { runId } from '../../../src/values/ids.js';
import { formatAmount } from '../../../src/values/money.js';

/** Numbers that look random and are the same in each run. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state;
  }
}

// The keys of an object literal are what its type says.
const codes = Object.keys(discrepancyCodes) as DiscrepancyCode[];
const currencies = ['EUR', 'EUR', 'EUR', 'GBP', 'USD', 'CHF'];
const run = 17;

const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0').slice(-digits);

/** Items in the order of the report, in batches as they are read. */
async function* sampleItems(total: number): AsyncGenerator<readonly Item[]> {
  const random = numbers(42);
  const next = (below: number) => ((random.next().value as number) >>> 8) % below;
  for (let from = 0; from < total; from += 1000) {
    const size = Math.min(1000, total - from);
    yield await Promise.resolve(
      Array.from({ length: size }, (_, index) => sampleItem(from + index, total, next)),
    );
  }
}

function sampleItem(index: number, total: number, next: (below: number) => number): Item {
  const code = codes[next(codes.length)] ?? 'NOT_MATCHED';
  const currency = currencies[next(currencies.length)] ?? 'EUR';
  const ageDays = index % 7 === 0 ? 0 : next(60);
  const amountMinor = BigInt(Math.round(2_500_000 * (1 - index / total) ** 3) + 100);
  const isRisk = !['BRAND_MISMATCH', 'ACCOUNT_MISMATCH', 'FX_MISMATCH', 'CLAIM_DIFFERS'].includes(code);
  const isPayment = code === 'MISSING_SETTLEMENT';
  const isPattern = total > 200 && code === 'BRAND_MISMATCH';
  return {
    discrepancyId: hex(index * 7919 + 1, 12) + hex(index, 20),
    code,
    severity: discrepancyCodes[code].severity,
    status: index % 11 === 3 ? 'WAITING' : 'OPEN',
    lapsed: index % 23 === 5,
    pending: false,
    amountMinor,
    atRiskMinor: isRisk ? (index % 3 === 0 ? -amountMinor : amountMinor) : 0n,
    currency,
    since: '2026-11-01',
    ageDays,
    message: messageOf(code, amountMinor, currency),
    merchantAccountId: `8ac7a4c9${hex(index % 4, 24)}`,
    paymentType: 'DB',
    date: `2026-11-${String(1 + (index % 19)).padStart(2, '0')}`,
    decision: index % 11 === 3 ? 'wait' : index % 23 === 5 ? 'accept' : null,
    until: index % 11 === 3 ? '2026-11-27' : null,
    linkTo: null,
    assignee: index % 13 === 0 ? 'Müller' : null,
    reason: null,
    note: index % 17 === 0 ? 'Acquirer answers by Friday <b>' : null,
    decidedBy: null,
    decidedOn: null,
    suggestedLink: index % 19 === 0 ? hex(index + 1, 32) : null,
    paymentId: hex(index * 31, 32),
    file: isPayment ? null : 'settlement-2026-11-19.csv',
    line: isPayment ? null : index + 2,
    basis: `b${hex(index, 16)}n0`,
    source: 'acquirer',
    settlementTxId: isPayment ? null : `STL-2026-${String(index).padStart(7, '0')}`,
    clearingInstitute: isPayment ? null : 'Bank of Example',
    merchantTransactionId: `order-${index}`,
    expected: null,
    actual: null,
    pattern: isPattern ? `p${hex(index % 30, 12)}` : null,
    firstSeenRun: runId(ageDays === 0 ? run : 3),
  };
}

function messageOf(code: DiscrepancyCode, amountMinor: bigint, currency: string): string {
  const amount = `${formatAmount(amountMinor)} ${currency}`;
  if (code === 'MISSING_SETTLEMENT')
    return `No settlement has arrived for the payment of ${amount}; it was due on 2026-11-12.`;
  if (code === 'AMOUNT_MISMATCH')
    return `The settlements of the payment sum to 90.00 ${currency}; it was ${amount}.`;
  return `The record of ${amount} does not agree with its payment: ${discrepancyCodes[code].when.replaceAll('`', '')}.`;
}

const sums = (currency: string, factor: bigint): MoneySums => ({
  currency,
  records: Number(factor) * 37,
  gross: 12_345_678n * factor,
  refunds: 234_500n * factor,
  chargebacks: 45_000n * factor,
  reversals: 10_000n * factor,
  fees: 61_250n * factor,
  net: (12_345_678n - 234_500n - 45_000n + 10_000n - 61_250n) * factor,
  feesDeducted: 40_000n * factor,
  feesCharged: 20_000n * factor,
  feeRecords: 1_250n * factor,
  failed: { count: Number(factor), pos: 10_000n * factor, neg: 0n },
});

const rows = (total: number, rejected = 0, alreadyKnown = 0) => ({
  total,
  accepted: total - rejected,
  rejected,
  alreadyKnown,
});

const sampleFiles: readonly FileOutcome[] = [
  {
    source: 'acquirer',
    name: 'settlement-2026-11-19.csv',
    sha256: 'a',
    status: 'loaded',
    error: null,
    rows: rows(48_211, 36, 4),
  },
  {
    source: 'bank',
    name: 'BANK_20261119_a-very-long-name-of-a-file-as-some-senders-have-it.csv',
    sha256: 'b',
    status: 'loaded',
    error: null,
    rows: rows(1_204),
  },
  { source: 'bank', name: 'BANK_20261118.csv', sha256: 'c', status: 'duplicate', error: null, rows: rows(0) },
  {
    source: 'wallet',
    name: 'wallet-17.csv',
    sha256: 'd',
    status: 'rejected',
    error: { code: 'FILE_HEADER', message: 'Line 1: column 7 must be "Amount" and is "Betrag".' },
    rows: rows(0),
  },
  { source: 'wallet', name: 'wallet-18.csv', sha256: null, status: 'deferred', error: null, rows: rows(0) },
];

const sampleRuns: readonly ChartedRun[] = Array.from({ length: run }, (_, index) => ({
  runId: index + 1,
  kind: 'run',
  asOf: `2026-11-${String(index + 4).padStart(2, '0')}`,
  rows: 41_000 + ((index * 7919) % 9000),
  open: 80 + ((index * 37) % 61),
  new: 10 + ((index * 29) % 40),
  resolved: 5 + ((index * 31) % 44),
}));

async function* sampleChargebacks(): AsyncGenerator<readonly Chargeback[]> {
  yield await Promise.resolve(
    Array.from({ length: 7 }, (_, index): Chargeback => ({
      chargeback_id: hex(index, 32),
      status: index % 3 === 0 ? 'REVERSED' : 'OPEN',
      payment_id: hex(index * 77, 32),
      amount_minor: BigInt(5_000 + index * 1_750),
      currency: index < 5 ? 'EUR' : 'GBP',
      reason_code: '000.100.220',
      reason_desc: 'Fraudulent transaction',
      settlement_date: '2026-11-19',
      settlement_tx_id: `CB-${index}`,
      reversed_on: index % 3 === 0 ? '2026-11-20' : null,
      reversed_minor: index % 3 === 0 ? BigInt(5_000 + index * 1_750) : null,
      reversed_currency: index % 3 === 0 ? (index < 5 ? 'EUR' : 'GBP') : null,
      file: 'settlement-2026-11-19.csv',
      line: 90 + index,
    })),
  );
}

const aged = (counts: readonly number[], missing: bigint): AgedItems[] =>
  counts.map((count, age) => ({
    currency: 'EUR',
    age,
    count,
    missing: missing * BigInt(count),
    surplus: 0n,
  }));

async function read<Batch>(batches: AsyncIterable<Batch>): Promise<void> {
  for await (const _batch of batches);
}

/** A page with this many open items; without any, a morning on which everything is as it should be. */
export async function sampleModel(total: number): Promise<PageModel> {
  const items = new ItemTally(run);
  await read(items.watch(sampleItems(total)));
  const chargebacks = new ChargebackTally();
  if (total > 0) await read(chargebacks.watch(sampleChargebacks()));
  const listed = items.totals();
  const countOf = (groups: readonly AgedItems[]) => groups.reduce((sum, { count }) => sum + count, 0);
  const isQuiet = total === 0;
  const currenciesOfDay = isQuiet ? ['EUR'] : ['CHF', 'EUR', 'GBP', 'USD'];
  return {
    heading: { runId: run, kind: 'run', asOf: '2026-11-20', range: null },
    notices: [],
    sources: isQuiet
      ? []
      : [
          {
            name: 'old-bank',
            status: 'failed',
            error: { code: 'SOURCE_UNREACHABLE', message: 'sftp.old-bank.example: connection refused.' },
          },
        ],
    files: isQuiet ? sampleFiles.slice(1, 2) : sampleFiles,
    withdrawals: [],
    expected: isQuiet
      ? []
      : [
          {
            source: 'acquirer',
            date: '2026-11-19',
            status: 'arrived',
            files: ['settlement-2026-11-19.csv'],
            due: '2026-11-20T06:00:00Z',
            problems: ['The running number 16 was skipped.'],
          },
          {
            source: 'old-bank',
            date: '2026-11-19',
            status: 'missing',
            files: [],
            due: '2026-11-20T06:00:00Z',
            problems: [],
          },
        ],
    totals: {
      money: {
        byCurrency: currenciesOfDay.map((currency, index) =>
          sums(currency, isQuiet ? 1n : BigInt(index * 9 + 1)),
        ),
        byMerchantAccount: [0, 1].map((account) => ({
          merchantAccountId: `8ac7a4c9${hex(account, 24)}`,
          ...sums('EUR', 5n),
        })),
        bySettlementDate: ['2026-11-18', '2026-11-19'].map((settlementDate) => ({
          settlementDate,
          ...sums('EUR', 5n),
        })),
        byFile: [],
        byFeeType: isQuiet
          ? []
          : [
              { paymentType: 'AUTH_FEE', ...sums('EUR', 2n) },
              { paymentType: 'MONTHLY', ...sums('EUR', 3n) },
            ],
      },
      rejected: {
        count: isQuiet ? 0 : 36,
        unreadable: isQuiet ? 0 : 3,
        byCurrency: new Map(isQuiet ? [] : [['EUR', { count: 33, pos: 412_050n, neg: 1_000n }]]),
      },
    },
    counts: {
      open: countOf(listed.open),
      new: countOf(listed.new),
      newBySeverity: { error: countOf(listed.new), warning: 0, info: 0 },
      resolved: isQuiet ? 0 : 12,
      waiting: countOf(listed.waiting),
      accepted: isQuiet ? 0 : 21,
      lapsed: isQuiet ? 0 : Math.ceil(total / 23),
    },
    items: listed,
    closed: isQuiet
      ? { accepted: [], resolved: [] }
      : { accepted: aged([2, 4, 5, 7, 3], 1_275n), resolved: aged([6, 3, 2, 1], 8_900n) },
    chargebacks: chargebacks.totals(),
    runs: sampleRuns,
    links: {
      openItems: 'open-items.csv',
      workbook: 'open-items.xlsx',
      discrepancies: 'discrepancies.csv',
      rejectedRows: 'rejected-rows.csv',
      corrections: 'corrections.csv',
      chargebacks: 'chargebacks.csv',
      totals: 'totals.csv',
    },
  };
}
