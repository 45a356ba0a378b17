import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunScope } from '../../../src/db/run-scope.js';
import { readTotals } from '../../../src/reporting/totals/read-totals.js';
import { sumAcceptedRows } from '../../../src/reporting/totals/sum-accepted-rows.js';
import { runId } from '../../../src/values/ids.js';
import { createWorld, due, rowText, type Cells, type Line, type World } from '../world.js';

/** The control totals of whole files (design 6), and which of several files a repeated row counts with. */

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.end());

const run = (id: number): RunScope => ({ kind: 'run', runId: runId(id), asOf: '2026-11-20' });

const cellsOf = (id: string, cells: Cells): Cells => ({
  SettlementTxId: id,
  Amount: cells['SettlementAmount'] ?? '100.00',
  ...cells,
});
const record = (id: string, cells: Cells): Line => ({ kind: 'record', cells: cellsOf(id, cells) });
const again = (id: string, at: readonly [number, number], cells: Cells): Line => ({
  kind: 'known',
  cells: cellsOf(id, cells),
  record: at,
});

const totalsOf = (scope: RunScope) => world.transact((tx) => sumAcceptedRows(tx, scope));

test('add up all days, types and directions of an account, currency and kind, in the order of the sources', async () => {
  const known: readonly Cells[] = [
    { SettlementAmount: '1.00' },
    { SettlementAmount: '2.00', SettlementDate: '2026-11-18' },
  ];
  await world.load({
    id: 1,
    name: 'a.csv',
    source: 'north',
    lines: known.map((cells, at) => record(`${at}`, cells)),
  });
  const failed: Cells = { SettlementStatus: 'FAILED' };
  const refund: Cells = { PaymentType: 'REFUND', Cashflow: 'NEG' };
  await world.load({
    id: 2,
    name: 'b.csv',
    source: 'south',
    finishedRunId: 2,
    lines: [
      ...known.map((cells, at) => again(`${at}`, [1, at + 2], cells)),
      record('c', { ...failed, SettlementAmount: '4.00' }),
      record('d', { ...failed, ...refund, SettlementAmount: '8.00' }),
      record('e', { ...failed, SettlementAmount: '16.00', SettlementDate: '2026-11-18' }),
      record('f', { ...refund, SettlementAmount: '32.00' }),
      record('h', { ...failed, SettlementAmount: '128.00' }),
    ],
  });
  await world.load({
    id: 3,
    name: 'a.csv',
    reportName: 'a-2.csv',
    source: 'west',
    finishedRunId: 2,
    lines: [record('g', { SettlementAmount: '64.00' })],
  });
  const { controlTotals, money } = await totalsOf(run(2));
  expect([...controlTotals]).toMatchObject([
    {
      source: 'south',
      ...{ file: 'b.csv', count: 7, alreadyKnown: 2, pos: '3.00', neg: '32.00', net: '-29.00' },
      failed: { count: 4, pos: '148.00', neg: '8.00' },
    },
    { source: 'west', file: 'a.csv', count: 1, alreadyKnown: 0, pos: '64.00', net: '64.00' },
  ]);
  expect(money.byFile.map(({ file, alreadyKnown }) => [file, alreadyKnown])).toEqual([
    ['a.csv', 0],
    ['b.csv', 2],
  ]);
});

test('of a file count among the known rows only those whose money moved', async () => {
  const cells: readonly Cells[] = [
    { SettlementAmount: '1.00' },
    { SettlementAmount: '2.00', SettlementStatus: 'FAILED' },
    { SettlementAmount: '4.00', SettlementStatus: 'FAILED', SettlementCurrency: 'USD' },
  ];
  await world.load({ id: 1, name: 'a.csv', lines: cells.map((each, at) => record(`${at}`, each)) });
  await world.load({
    id: 2,
    name: 'b.csv',
    finishedRunId: 2,
    lineEnding: '\r\n',
    lines: cells.map((each, at) => again(`${at}`, [1, at + 2], each)),
  });
  const { controlTotals, money } = await totalsOf(run(2));
  const numbers = money.byFile.map(({ currency, records, alreadyKnown, failed }) => [
    currency,
    { records, alreadyKnown, failed: failed.count },
  ]);
  expect(numbers).toEqual([
    ['EUR', { records: 1, alreadyKnown: 1, failed: 1 }],
    ['USD', { records: 0, alreadyKnown: 0, failed: 1 }],
  ]);
  // The rows of the control totals are counted whether their money moved or not.
  expect([...controlTotals].map(({ count, alreadyKnown }) => [count, alreadyKnown])).toEqual([
    [2, 2],
    [1, 1],
  ]);
});

test('of some days leave out the repeated rows of other days', async () => {
  const days = ['2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21'];
  const cells = days.map((day, at): Cells => ({ SettlementAmount: `${10 ** at}.00`, SettlementDate: day }));
  await world.load({ id: 1, name: 'a.csv', lines: cells.map((each, at) => record(`${at}`, each)) });
  await world.load({
    id: 2,
    name: 'b.csv',
    lineEnding: '\r\n',
    lines: cells.map((each, at) => again(`${at}`, [1, at + 2], each)),
  });
  const range: RunScope = { kind: 'range', from: '2026-11-19', to: '2026-11-20', asOf: '2026-11-20' };
  const { controlTotals } = await totalsOf(range);
  expect([...controlTotals].map(({ file, count, pos }) => [file, count, pos])).toEqual([
    ['a.csv', 2, '110.00'],
    ['b.csv', 2, '110.00'],
  ]);
});

test('the fees of several records of one kind add up', async () => {
  const fees = ['0.10', '0.20', '0.40', ''];
  await world.load({
    id: 1,
    name: 'a.csv',
    lines: fees.map((fee, at) => record(`${at}`, { SettlementAmount: '10.00', SettlementFee: fee })),
  });
  const { money } = await totalsOf(run(1));
  expect(money.byCurrency).toMatchObject([{ gross: 4000n, feesCharged: 70n, net: 3930n }]);
});

test('a repeated row counts with the first file that brought it and is not withdrawn, and with no later one', async () => {
  const cells: Cells = { SettlementAmount: '1.00' };
  await world.load({ id: 1, name: 'a.csv', lines: [record('a', cells)] });
  const brought = [again('a', [1, 2], cells)];
  await world.load({ id: 2, name: 'b.csv', finishedRunId: 2, lineEnding: '\r\n', lines: brought });
  await world.load({ id: 3, name: 'c.csv', finishedRunId: 3, mark: '\ufeff', lines: brought });
  await world.store([['withdrawn_files', { file_id: 1, run_id: 4 }]]);
  const net = async (id: number) => (await totalsOf(run(id))).money.byCurrency.map((total) => total.net);
  expect(await net(2)).toEqual([100n]);
  expect(await net(3)).toEqual([]);
});

test('of a rejected row, nothing is read that has more or fewer columns than a record', async () => {
  const row = rowText({ SettlementAmount: '7.00' });
  const rejected = [row, `${row};`, row.slice(0, row.lastIndexOf(';'))];
  const lines = rejected.map((raw): Line => ({ kind: 'rejected', raw, issues: [] }));
  await world.load({ id: 1, name: 'a.csv', lines });
  const totals = await world.transact((tx) => readTotals(tx, run(1), due));
  expect(totals.rejectedRows).toEqual({ count: 3, unreadable: 2 });
  expect(totals.byCurrency).toMatchObject([{ records: 0, rejected: { count: 1, pos: '7.00', neg: '0.00' } }]);
});

test('name the reconciled file of each of two files of the same name', async () => {
  await world.load({
    id: 1,
    name: 'a.csv',
    source: 'north',
    lines: [record('a', { SettlementAmount: '1.00' })],
  });
  await world.load({
    id: 2,
    name: 'a.csv',
    reportName: 'a-0f1e2d3c.csv',
    source: 'south',
    lines: [record('b', { SettlementAmount: '2.00' })],
  });
  const { money } = await totalsOf(run(1));
  expect(money.byFile.map(({ file, reconciledFile, gross }) => [file, reconciledFile, gross])).toEqual([
    ['a.csv', 'a-0f1e2d3c.csv', 200n],
    ['a.csv', 'a.csv', 100n],
  ]);
});
