import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunScope } from '../../../src/db/run-scope.js';
import { readTotals } from '../../../src/reporting/totals/read-totals.js';
import { columns } from '../../../src/settlement-file/columns.js';
import { runId } from '../../../src/values/ids.js';
import { arbitraryRows, filesOf } from '../arbitrary-files.js';
import { createWorld, due, settlementFile, type Cells, type Line, type World } from '../world.js';

/**
 * The totals, recomputed from the bytes of the files with nothing but additions, for random files: all types and
 * directions, two currencies, fees before, inside and beside the amount, FAILED records, rejected rows and repeated
 * ones.
 */
let world: World;

beforeEach(async () => {
  world = await createWorld();
});

afterEach(() => world.end());

const minor = (text: string) => BigInt(text.replace('.', ''));
const text = (value: bigint) => {
  const digits = (value < 0n ? -value : value).toString().padStart(3, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};
const distance = (a: bigint, b: bigint) => (a < b ? b - a : a - b);

/**
 * The fee of a record, and whether it is in the amount already: the arithmetic of docs/reports.md, written down once
 * more.
 */
function feeOf(cells: Cells): { gross: bigint; deducted: bigint; charged: bigint } {
  const [amount, fee] = [minor(cells['SettlementAmount'] ?? ''), minor(cells['SettlementFee'] || '0.00')];
  const sign = cells['Cashflow'] === 'POS' ? 1n : -1n;
  const stated = minor(cells['Amount'] ?? '') * minor(cells['SettlementFxRate'] ?? '');
  const away = (gross: bigint) => distance(stated, 100n * gross);
  const [with0, with1, with2] = [away(amount), away(amount + sign * fee), away(amount - sign * fee)];
  const oneCurrency = cells['Currency'] === cells['SettlementCurrency'];
  if (with0 <= with1 && (!oneCurrency || with0 <= with2))
    return { gross: amount, deducted: 0n, charged: fee };
  if (!oneCurrency || with1 <= with2) return { gross: amount + sign * fee, deducted: fee, charged: 0n };
  return { gross: amount - sign * fee, deducted: -fee, charged: 0n };
}

/** What `run --json` must state about a currency, from the rows of the first file. */
function plainTotals(rows: readonly Cells[], rejected: readonly Cells[], currency: string) {
  const sum = { gross: 0n, refunds: 0n, chargebacks: 0n, reversals: 0n, deducted: 0n, charged: 0n, fees: 0n };
  const failed = { count: 0, pos: 0n, neg: 0n };
  let records = 0;
  let bank = 0n;
  for (const cells of rows.filter((each) => each['SettlementCurrency'] === currency)) {
    const amount = minor(cells['SettlementAmount'] ?? '');
    const isPos = cells['Cashflow'] === 'POS';
    if (cells['SettlementStatus'] === 'FAILED') {
      failed.count += 1;
      failed[isPos ? 'pos' : 'neg'] += amount;
      continue;
    }
    records += 1;
    bank += isPos ? amount : -amount;
    if (cells['ReconciliationType'] === 'FEE') {
      sum.fees += isPos ? -amount : amount;
      continue;
    }
    const { gross, deducted, charged } = feeOf(cells);
    bank -= charged;
    sum.deducted += deducted;
    sum.charged += charged;
    if (cells['ReconciliationType'] === 'SETTLED') sum[isPos ? 'gross' : 'refunds'] += gross;
    if (cells['ReconciliationType'] === 'CHARGEBACK') sum.chargebacks += isPos ? -gross : gross;
    if (cells['ReconciliationType'] === 'CHARGEBACK REVERSAL') sum.reversals += isPos ? gross : -gross;
  }
  const refused = rejected.filter((each) => each['SettlementCurrency'] === currency);
  const flow = (cashflow: string) =>
    text(
      refused
        .filter((each) => each['Cashflow'] === cashflow)
        .reduce((total, each) => total + minor(each['SettlementAmount'] ?? ''), 0n),
    );
  return {
    currency,
    records,
    gross: text(sum.gross),
    refunds: text(sum.refunds),
    chargebacks: text(sum.chargebacks),
    reversals: text(sum.reversals),
    fees: text(sum.deducted + sum.charged + sum.fees),
    // What the bank moves: the signed settlement amounts less the fees that are charged beside them.
    net: text(bank),
    feesDeducted: text(sum.deducted),
    feesCharged: text(sum.charged),
    feeRecords: text(sum.fees),
    failed: { count: failed.count, pos: text(failed.pos), neg: text(failed.neg) },
    rejected: { count: refused.length, pos: flow('POS'), neg: flow('NEG') },
  };
}

function cellsOf(line: string): Cells | undefined {
  try {
    const [cells = []]: string[][] = parse(line, { delimiter: ';', relax_column_count: true });
    if (cells.length !== columns.length) return undefined;
    return Object.fromEntries(columns.map((column, index) => [column.name, cells[index] ?? '']));
  } catch {
    return undefined;
  }
}

const isReadable = (cells: Cells | undefined) =>
  cells !== undefined &&
  /^\d{1,10}\.\d{2}$/.test(cells['SettlementAmount'] ?? '') &&
  ['EUR', 'USD'].includes(cells['SettlementCurrency'] ?? '');

test('the totals are what adding up the files gives, each record once', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(arbitraryRows, async (input) => {
      run += 1;
      const files = filesOf(run, input);
      await world.store(files.flatMap((file) => settlementFile(file).facts));
      const scope: RunScope = { kind: 'run', runId: runId(run), asOf: '2026-11-20' };
      const totals = await world.transact((tx) => readTotals(tx, scope, due));
      const rows = input.rows.map((cells): Cells => ({ Currency: 'EUR', ...cells }));
      const refused = input.rejected.map(cellsOf);
      const readable = refused.flatMap((cells) => (cells !== undefined && isReadable(cells) ? [cells] : []));
      const currencies = new Set([...rows, ...readable].map((cells) => cells['SettlementCurrency'] ?? ''));
      expect(totals).toEqual({
        byCurrency: [...currencies].sort().map((currency) => plainTotals(rows, readable, currency)),
        rejectedRows: { count: refused.length, unreadable: refused.length - readable.length },
      });
      for (const total of totals.byCurrency) {
        expect(
          minor(total.gross) -
            minor(total.refunds) -
            minor(total.chargebacks) +
            minor(total.reversals) -
            minor(total.fees),
        ).toBe(minor(total.net));
      }
    }),
    { numRuns: 60 },
  );
});

test('a record counts once, whichever of its files is withdrawn, and one that was replaced does not count', async () => {
  const record = (id: string, amount: string): Line => ({
    kind: 'record',
    cells: { SettlementTxId: id, SettlementAmount: amount, Amount: amount },
  });
  const again = (id: string, amount: string): Line => ({
    kind: 'known',
    cells: { SettlementTxId: id, SettlementAmount: amount, Amount: amount },
    record: [1, 2],
  });
  const lines = [record('a', '1.00'), record('b', '20.00')];
  const files = [
    { id: 1, name: 'first.csv', lines },
    { id: 2, name: 'second.csv', finishedRunId: 2, lines: [again('a', '1.00')] },
    { id: 3, name: 'third.csv', finishedRunId: 3, lines: [again('a', '1.00'), record('c', '300.00')] },
  ];
  for (const file of files) await world.load(file);
  const scope: RunScope = { kind: 'range', from: '2026-11-01', to: '2026-11-30', asOf: '2026-11-20' };
  const net = async () => {
    const { byCurrency } = await world.transact((tx) => readTotals(tx, scope, due));
    return byCurrency.map((total) => total.net);
  };
  expect(await net()).toEqual(['321.00']);
  const uncounted = (line: number, file_id: number, reason: string) =>
    ['uncounted_records', { file_id, line, reason, run_id: 4 }] as const;
  await world.store([['withdrawn_files', { file_id: 1, run_id: 4 }], uncounted(3, 1, 'WITHDRAWN')]);
  expect(await net()).toEqual(['301.00']);
  await world.store([['withdrawn_files', { file_id: 2, run_id: 4 }]]);
  expect(await net()).toEqual(['301.00']);
  await world.store([uncounted(3, 3, 'SUPERSEDED')]);
  expect(await net()).toEqual(['1.00']);
  await world.store([uncounted(2, 1, 'SUPERSEDED')]);
  expect(await net()).toEqual([]);
});

test('every list of totals adds up to the total of its currency', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(arbitraryRows, async (input) => {
      run += 1;
      for (const file of filesOf(run, { ...input, repeated: 0 })) await world.load(file);
      const scope: RunScope = { kind: 'run', runId: runId(run), asOf: '2026-11-20' };
      const { totals } = await world.publish({ scope });
      const rows = parse<Record<string, string>>(readFileSync(totals), {
        delimiter: ';',
        columns: true,
        bom: true,
      });
      const amounts = [
        'Gross',
        'Refunds',
        'Chargebacks',
        'Reversals',
        'Fees',
        'Net',
        'FailedPos',
        'FailedNeg',
      ];
      const sums = (by: string, currency: string) =>
        amounts.map((name) =>
          rows
            .filter((row) => row['By'] === by && row['Currency'] === currency)
            .reduce((sum, row) => sum + minor(row[name] || '0.00'), 0n),
        );
      for (const currency of ['EUR', 'USD']) {
        const whole = sums('CURRENCY', currency);
        for (const by of ['ACCOUNT', 'DATE', 'FILE']) expect(sums(by, currency), by).toEqual(whole);
      }
    }),
    { numRuns: 15 },
  );
});
