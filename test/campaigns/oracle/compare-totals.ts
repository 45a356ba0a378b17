import { readFileSync } from 'node:fs';
import path from 'node:path';
import { compareLists } from './compare-values.js';
import { filesOfReport, isWithin, type ExpectedRun, type ReadFile } from './books.js';
import { readMoney, writeMoney } from './payments.js';
import type { RowOutcome, SettlementRecord } from './records.js';

/** The parts of summary.json that are compared. */
interface Summary {
  readonly controlTotals: readonly Readonly<Record<string, unknown>>[];
  readonly totals: {
    readonly byCurrency: readonly Sums[];
    readonly bySettlementDate: readonly (Sums & { readonly settlementDate: string })[];
  };
}

type Sums = Readonly<
  Record<'currency' | 'gross' | 'refunds' | 'chargebacks' | 'reversals' | 'fees' | 'net', string>
> & {
  readonly records: number;
  readonly failed: Readonly<Record<'pos' | 'neg', string>> & { readonly count: number };
};

/** The money in summary.json (design 6): what failed, fees and rejected rows are stated apart. */
export function compareTotals(folder: string, expected: ExpectedRun, wasRerun: boolean): string[] {
  // The shape is what design 6 says; the values are compared.
  const { controlTotals, totals } = JSON.parse(
    readFileSync(path.join(folder, 'summary.json'), 'utf8'),
  ) as Summary;
  const files = filesOfReport(expected, wasRerun);
  return [
    ...compareLists(
      'controlTotals',
      controlTotals.map((total) => JSON.stringify({ ...total, source: undefined, sha256: undefined })),
      files.flatMap((read) => controlTotalsOf(read, expected)),
    ),
    ...[...totals.byCurrency, ...totals.bySettlementDate]
      .filter((sums) => !tiesOut(sums))
      .map((sums) => `summary.json: ${JSON.stringify(sums)} does not tie out`),
    ...(wasRerun ? compareMoved(totals, expected) : []),
  ];
}

/** The amounts are settlement amounts, `net` is POS less NEG, and what FAILED is in none of them. */
function controlTotalsOf({ file, rows }: ReadFile, { days }: ExpectedRun): string[] {
  const reported = rows.filter(({ record }) => isWithin(days, record.cells['SettlementDate']));
  const groups = groupBy(reported, ({ record: { cells, type } }) =>
    JSON.stringify([cells['MerchantAccountId'], cells['SettlementCurrency'], type]),
  );
  return [...groups].map(([key, group]) => {
    const [merchantAccountId, settlementCurrency, reconciliationType] = JSON.parse(key) as string[];
    const records = group.map(({ record }: RowOutcome) => record);
    const moved = records.filter(({ hasFailed }) => !hasFailed);
    const { pos, neg } = flowsOf(moved);
    return JSON.stringify({
      file: file.delivered.name,
      ...{ merchantAccountId, settlementCurrency, reconciliationType },
      count: group.length,
      alreadyKnown: group.filter(({ alreadyKnown }) => alreadyKnown).length,
      ...{ pos: writeMoney(pos), neg: writeMoney(neg), net: writeMoney(pos - neg) },
      failed: failedOf(records),
    });
  });
}

function failedOf(records: readonly SettlementRecord[]) {
  const failed = records.filter(({ hasFailed }) => hasFailed);
  const { pos, neg } = flowsOf(failed);
  return { count: failed.length, pos: writeMoney(pos), neg: writeMoney(neg) };
}

function flowsOf(records: readonly SettlementRecord[]): { pos: number; neg: number } {
  const flow = (name: string) =>
    records
      .filter(({ cells }) => cells['Cashflow'] === name)
      .reduce((sum, { cells }) => sum + readMoney(cells['SettlementAmount'] ?? ''), 0);
  return { pos: flow('POS'), neg: flow('NEG') };
}

function tiesOut({ gross, refunds, chargebacks, reversals, fees, net }: Sums): boolean {
  const [all, less] = [readMoney(gross) + readMoney(reversals), readMoney(refunds) + readMoney(chargebacks)];
  return all - less - readMoney(fees) === readMoney(net);
}

/** Every record once, but none that waits for a decision or does not count. */
function compareMoved(totals: Summary['totals'], { matches, waiting, days }: ExpectedRun): string[] {
  const counting = [...matches.keys()].filter(
    (record) => !waiting.has(record) && isWithin(days, record.cells['SettlementDate']),
  );
  const byCurrency = groupBy(counting, ({ cells }) => cells['SettlementCurrency'] ?? '');
  const byDate = groupBy(
    counting,
    ({ cells }) => `${cells['SettlementDate'] ?? ''} ${cells['SettlementCurrency'] ?? ''}`,
  );
  return [
    ...compareLists(
      'totals.byCurrency',
      // A currency of rejected rows alone: which days these belong to is not said.
      totals.byCurrency
        .filter(({ records, failed }) => records + failed.count > 0)
        .map((sums) => movedOf(sums.currency, sums)),
      [...byCurrency].map(([key, records]) => movedOf(key, sumsOf(records))),
    ),
    ...compareLists(
      'totals.bySettlementDate',
      totals.bySettlementDate.map((sums) => movedOf(`${sums.settlementDate} ${sums.currency}`, sums)),
      [...byDate].map(([key, records]) => movedOf(key, sumsOf(records))),
    ),
  ];
}

type Moved = Pick<Sums, 'records' | 'failed'> & { readonly money: number };

/** What came in less what went out: a fee that is stated beside an amount is part of `fees`. */
function movedOf(key: string, { records, failed, ...sums }: Moved | Sums): string {
  const money = 'money' in sums ? sums.money : readMoney(sums.net);
  return JSON.stringify([key, records, failed, money]);
}

function sumsOf(records: readonly SettlementRecord[]): Moved {
  const moved = records.filter(({ hasFailed }) => !hasFailed);
  const { pos, neg } = flowsOf(moved);
  const beside = moved
    .filter(isFeeBeside)
    .reduce((sum, { cells }) => sum + readMoney(cells['SettlementFee'] ?? ''), 0);
  return { records: moved.length, failed: failedOf(records), money: pos - neg - beside };
}

/** Whether the fee is not in the SettlementAmount already, by what is nearest to Amount × SettlementFxRate. */
function isFeeBeside({ cells, amount, type }: SettlementRecord): boolean {
  if (type === 'FEE') return false;
  const [settled, fee] = [
    readMoney(cells['SettlementAmount'] ?? ''),
    readMoney(cells['SettlementFee'] ?? ''),
  ];
  const outside = (amount * readMoney(cells['SettlementFxRate'] ?? '')) / 100 - settled;
  const deducted = cells['Cashflow'] === 'POS' ? fee : -fee;
  const isConverted = cells['Currency'] !== cells['SettlementCurrency'];
  const others = [outside - deducted, ...(isConverted ? [] : [outside + deducted])];
  return fee > 0 && others.every((other) => Math.abs(outside) <= Math.abs(other));
}

function groupBy<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  return groups;
}
