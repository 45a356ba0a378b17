import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  fileIdsInScope,
  openFindingsInScope,
  recordsInScope,
  type RunScope,
} from '../../src/db/run-scope.js';
import { isRecordInScope, rowsInScope } from '../../src/reporting/scope/rows-in-scope.js';
import { verifyReports } from '../../src/reporting/folder/verify-reports.js';
import {
  createWorld,
  discrepancy,
  due,
  id32,
  match,
  payment,
  settlementFile,
  type Fact,
  type World,
} from './world.js';
import { runId } from '../../src/values/ids.js';

let world: World;

beforeEach(async () => {
  world = await createWorld();
});

afterEach(() => world.end());

const run = (id: number): RunScope => ({ kind: 'run', runId: runId(id), asOf: '2026-11-20' });
const range = (from: string, to = from): RunScope => ({ kind: 'range', from, to, asOf: '2026-11-20' });

/** Three nights: file n has two records of day n, and run n loaded it. */
const nights: readonly Fact[] = [1, 2, 3].flatMap((id) => {
  const cells = (tx: string, type: string) => ({
    kind: 'record' as const,
    cells: { SettlementTxId: `${id}-${tx}`, SettlementDate: `2026-11-1${id}`, ReconciliationType: type },
  });
  const lines = [cells('a', 'SETTLED'), cells('b', 'CHARGEBACK')];
  const { facts } = settlementFile({ id, name: `night-${id}.csv`, finishedRunId: id, lines });
  return [
    ...facts,
    match([id, 2], 'MATCHED', { payment_key: 1 }),
    match([id, 3], 'MATCHED', { payment_key: 2 }),
  ];
});

const rechecks: readonly Fact[] = [
  ['run_rechecks', { run_id: 3, file_id: 1, line: 3 }],
  ['run_rechecks', { run_id: 3, file_id: 3, line: 2 }],
  // A run that loaded nothing.
  ['run_rechecks', { run_id: 5, file_id: 1, line: 3 }],
];

describe('the scope of findings is the scope of records', () => {
  test.each<[string, RunScope, string[]]>([
    ['a run', run(2), ['2:2', '2:3']],
    ['a run with rechecks, also of its files', run(3), ['1:3', '3:2', '3:3']],
    ['a run that loaded nothing', run(4), []],
    ['a range of days', range('2026-11-12', '2026-11-13'), ['2:2', '2:3', '3:2', '3:3']],
  ])('%s', async (_what, scope, expected) => {
    await world.store([payment(1), payment(2), ...nights, ...rechecks]);
    const places = (rows: readonly { file_id: number; line: number }[]) =>
      rows.map(({ file_id, line }) => `${file_id}:${line}`).sort();
    await world.transact(async (tx) => {
      expect(places(await tx`${recordsInScope(tx, scope, await fileIdsInScope(tx, scope))}`)).toEqual(
        expected,
      );
      expect(
        places(await tx`${rowsInScope(tx, scope, 'record_matches', await fileIdsInScope(tx, scope))}`),
      ).toEqual(expected);
      const records = tx<{ file_id: number; line: number }[]>`
        select r.file_id, r.line from settlement_records r where ${isRecordInScope(tx, scope)}`;
      expect(places(await records)).toEqual(expected);
    });
  });
});

test('a fee that was redelivered counts while it waits for a decision, a superseded one does not', async () => {
  const uncounted = (line: number, reason: string) =>
    ['uncounted_records', { file_id: 1, line, reason, run_id: 2 }] as const;
  const lines = ['a', 'b', 'c'].map((SettlementTxId) => ({
    kind: 'record' as const,
    cells: { ReconciliationType: 'FEE', PaymentType: 'MONTHLY', SettlementTxId },
  }));
  const { facts } = settlementFile({ id: 1, name: 'fees.csv', lines });
  const fees = [2, 3, 4].map((line) => match([1, line], 'NOT_APPLICABLE'));
  await world.store([...facts, ...fees, uncounted(3, 'REDELIVERED'), uncounted(4, 'SUPERSEDED')]);
  await world.transact(async (tx) => {
    const november = range('2026-11-01', '2026-11-30');
    const rows = await tx<
      { line: number }[]
    >`${rowsInScope(tx, november, 'record_matches', await fileIdsInScope(tx, november))}`;
    expect(rows.map(({ line }) => line).sort()).toEqual([2, 3]);
  });
});

describe('which discrepancies a run reports', () => {
  const reported = async (scope: RunScope) => {
    const { discrepancies } = await world.publish({ scope });
    const rows = parse<{
      DiscrepancyId: string;
    }>(readFileSync(discrepancies), { delimiter: ';', columns: true, bom: true });
    return rows.map((row) => row.DiscrepancyId.replace(/0+$/, ''));
  };

  test.each<[string, Fact, RunScope, string[]]>([
    ['on a record in scope', discrepancy('d1', 'FX_MISMATCH', { file_id: 2, line: 2 }), run(2), ['d1']],
    ['on a record of another night', discrepancy('d1', 'FX_MISMATCH', { file_id: 1, line: 2 }), run(2), []],
    [
      'on a record looked at again',
      discrepancy('d1', 'NOT_MATCHED', { file_id: 1, line: 3 }),
      run(3),
      ['d1'],
    ],
    ['resolved', discrepancy('d1', 'FX_MISMATCH', { file_id: 2, line: 2, resolved_run: 2 }), run(2), []],
    [
      'on the settlement of another night that one in scope completes',
      discrepancy('d1', 'AMOUNT_MISMATCH', { file_id: 3, line: 2, payment_key: 1 }),
      run(2),
      ['d1'],
    ],
    [
      'on the chargeback of another night that one in scope exceeds',
      discrepancy('d1', 'CHARGEBACK_EXCEEDS_PAYMENT', { file_id: 3, line: 3, payment_key: 2 }),
      range('2026-11-11'),
      ['d1'],
    ],
    [
      'on the chargeback of another night that one looked at again exceeds',
      discrepancy('d1', 'CHARGEBACK_EXCEEDS_PAYMENT', { file_id: 2, line: 3, payment_key: 2 }),
      run(5),
      ['d1'],
    ],
    [
      'on the settlement of another night when only a chargeback is looked at again',
      discrepancy('d1', 'AMOUNT_MISMATCH', { file_id: 3, line: 2, payment_key: 1 }),
      run(5),
      [],
    ],
    [
      'on a settlement whose payment has just a chargeback in scope',
      discrepancy('d1', 'AMOUNT_MISMATCH', { file_id: 3, line: 3, payment_key: 2 }),
      run(2),
      [],
    ],
    ['on a payment due', discrepancy('d1', 'MISSING_SETTLEMENT', { payment_key: 3 }), run(2), ['d1']],
    ['on a payment not yet due', discrepancy('d1', 'MISSING_SETTLEMENT', { payment_key: 4 }), run(2), []],
    [
      'on a payment due on the day',
      discrepancy('d1', 'MISSING_SETTLEMENT', { payment_key: 3 }),
      range('2026-11-06'),
      ['d1'],
    ],
    [
      'on a payment due on another day',
      discrepancy('d1', 'MISSING_SETTLEMENT', { payment_key: 3 }),
      range('2026-11-07'),
      [],
    ],
  ])('%s', async (_what, finding, scope, expected) => {
    for (const night of [1, 2, 3]) {
      const lines = ['SETTLED', 'CHARGEBACK'].map((type, index) => ({
        kind: 'record' as const,
        cells: {
          SettlementTxId: `${night}-${index === 0 ? 'a' : 'b'}`,
          SettlementDate: `2026-11-1${night}`,
          ReconciliationType: type,
        },
      }));
      world.archive({ id: night, name: `night-${night}.csv`, lines });
    }
    await world.store([
      payment(1),
      payment(2),
      payment(3, { requested_at: '2026-11-01T23:59:59Z' }),
      payment(4, { requested_at: '2026-11-16T00:00:00Z' }),
      ...nights,
      ...rechecks,
      finding,
    ]);
    expect(await reported(scope)).toEqual(expected);
  });
});

test.each<[string, RunScope, string[]]>([
  ['its first day', range('2026-11-11'), ['d2']],
  ['its last day and the one after it', range('2026-11-12', '2026-11-13'), ['d3']],
  ['all its days', range('2026-11-10', '2026-11-12'), ['d2', 'd3']],
  ['a day before it', range('2026-11-10'), []],
])('of a file of two days, the open findings of %s', async (_what, scope, expected) => {
  const lines = ['2026-11-11', '2026-11-12'].map((day, index) => ({
    kind: 'record' as const,
    cells: { SettlementTxId: `${index}`, SettlementDate: day, ReconciliationType: 'SETTLED' },
  }));
  await world.store([
    ...settlementFile({ id: 1, name: 'two-days.csv', finishedRunId: 1, lines }).facts,
    match([1, 2], 'NOT_MATCHED'),
    match([1, 3], 'NOT_MATCHED'),
    discrepancy('d1', 'FX_MISMATCH', { file_id: 1, line: 2, resolved_run: 1 }),
    discrepancy('d2', 'NOT_MATCHED', { file_id: 1, line: 2 }),
    discrepancy('d3', 'NOT_MATCHED', { file_id: 1, line: 3 }),
  ]);
  await world.transact(async (tx) => {
    const found = await tx<
      { id: string }[]
    >`select id from (${openFindingsInScope(tx, scope, await fileIdsInScope(tx, scope))}) d order by id`;
    expect(found.map(({ id }) => id.replace(/0+$/, ''))).toEqual(expected);
  });
});

describe('rejected files', () => {
  const rejected = (id: number, fields: object): Fact => [
    'settlement_files',
    {
      id,
      sha256: id32(`sha${id}`),
      source: 'acquirer',
      name: `broken-${id}.csv`,
      size_bytes: 3,
      status: 'rejected',
      received_at: '2026-11-12T23:30:00Z',
      received_run_id: 1,
      finished_run_id: 1,
      error_code: 'FILE_HEADER',
      error_message: 'no',
      first_settlement_date: null,
      last_settlement_date: null,
      ...fields,
    },
  ];

  test.each<[string, RunScope, string, string[]]>([
    ['a run tells those it settled', run(1), 'UTC', ['broken-1.csv', 'broken-2.csv']],
    ['a day tells those that arrived on it', range('2026-11-12'), 'UTC', ['broken-1.csv', 'broken-3.csv']],
    ['in the configured zone', range('2026-11-13'), 'Europe/Berlin', ['broken-1.csv', 'broken-3.csv']],
    ['and those whose days touch it', range('2026-11-10'), 'UTC', ['broken-2.csv']],
    ['at either end', range('2026-11-09'), 'UTC', ['broken-2.csv']],
  ])('%s', async (_what, scope, timezone, expected) => {
    const days = { first_settlement_date: '2026-11-09', last_settlement_date: '2026-11-10' };
    await world.store([rejected(1, {}), rejected(2, days), rejected(3, { finished_run_id: 2 })]);
    const { rejectedRows } = await world.publish({ scope, due: { ...due, timezone } });
    const rows = parse<Record<string, string>>(readFileSync(rejectedRows), {
      delimiter: ';',
      columns: true,
      bom: true,
    });
    expect(rows.map((row) => row['File'])).toEqual(expected);
    expect(rows.every((row) => row['Line'] === '' && row['Code'] === 'FILE_HEADER')).toBe(true);
  });
});

test('F105 reports in parts are listed part by part and as a whole', async () => {
  await world.store([
    payment(1, { requested_at: '2026-11-01T10:00:00Z' }),
    ...Array.from({ length: 5 }, (_, index) => discrepancy(`d${index}`, `CODE_${index}`, { payment_key: 1 })),
  ]);
  const { directory, manifest } = await world.publish({ rowLimit: 3 });
  expect(readdirSync(directory).filter((name) => name.startsWith('discrepancies'))).toEqual([
    'discrepancies-2.csv',
    'discrepancies-3.csv',
    'discrepancies.csv',
  ]);
  const codes = ['discrepancies.csv', 'discrepancies-2.csv', 'discrepancies-3.csv'].map((name) =>
    parse<{
      Code: string;
    }>(readFileSync(path.join(directory, name)), { delimiter: ';', columns: true, bom: true }).map(
      (row) => row.Code,
    ),
  );
  expect(codes).toEqual([['CODE_0', 'CODE_1'], ['CODE_2', 'CODE_3'], ['CODE_4']]);
  const { totals } = JSON.parse(readFileSync(manifest, 'utf8')) as { totals: Record<string, unknown> };
  expect(totals['discrepancies']).toEqual({ parts: 3, rows: 5 });
  expect(await verifyReports(world.reports)).toMatchObject([{ ok: true }]);
});
