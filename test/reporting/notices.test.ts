import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunScope } from '../../src/db/run-scope.js';
import { countResults } from '../../src/reporting/count-results.js';
import { createWorld, match, outcome, payment, runScope, type World } from './world.js';

/** Circumstances that explain a whole report are stated before it. */
let world: World;

beforeEach(async () => {
  world = await createWorld();
  await world.load({ id: 1, name: 'a.csv', lines: [{ kind: 'record', cells: {} }] });
  await world.store([match([1, 2], 'NOT_MATCHED')]);
});

afterEach(() => world.end());

const noticesOf = async (scope: RunScope) => (await world.transact((tx) => countResults(tx, scope))).notices;

test('a run over an empty payment store says so', async () => {
  const notice = 'No payments are stored, so nothing can match: recon payments import FILE';
  expect(await noticesOf(runScope)).toEqual([notice]);
  const { summary } = await world.publish({ outcome: { ...outcome, notices: [notice] } });
  expect(JSON.parse(readFileSync(summary, 'utf8'))).toMatchObject({ notices: [notice] });
});

test('a run over stored payments has no such notice', async () => {
  await world.store([payment(1)]);
  expect(await noticesOf(runScope)).toBeUndefined();
});

test('a range without records says which dates are stored', async () => {
  const october: RunScope = { kind: 'range', from: '2026-10-01', to: '2026-10-31', asOf: '2026-11-20' };
  expect(await noticesOf(october)).toEqual([
    'No record with a settlement date from 2026-10-01 to 2026-10-31 is stored. ' +
      'The stored records are from 2026-11-19 to 2026-11-19.',
  ]);
  await world.store([payment(1)]);
  expect(await noticesOf({ ...october, to: '2026-11-30' })).toBeUndefined();
  await world.store([['withdrawn_files', { file_id: 1, run_id: 2 }]]);
  expect(await noticesOf(october)).toEqual([
    'No record with a settlement date from 2026-10-01 to 2026-10-31 is stored, and none of any other date. ' +
      '1 withdrawn file is left out: recon files --status withdrawn',
  ]);
});

test('a range without records says that a file of it is withdrawn, and nothing about one of other dates', async () => {
  const on = (day: string): RunScope => ({ kind: 'range', from: day, to: day, asOf: '2026-12-20' });
  const line = (day: string) => ({ kind: 'record' as const, cells: { SettlementDate: day } });
  await world.load({ id: 2, name: 'b.csv', lines: [line('2026-12-01'), line('2026-12-03')] });
  await world.store([['withdrawn_files', { file_id: 2, run_id: 2 }]]);
  const stored = 'The stored records are from 2026-11-19 to 2026-11-19.';
  expect(await noticesOf(on('2026-12-02'))).toEqual([
    `No record with a settlement date from 2026-12-02 to 2026-12-02 is stored. ${stored} ` +
      '1 withdrawn file is left out: recon files --status withdrawn',
  ]);
  expect(await noticesOf(on('2026-12-04'))).toEqual([
    `No record with a settlement date from 2026-12-04 to 2026-12-04 is stored. ${stored}`,
  ]);
});

test('a range says that a file which a re-run fetched has records of other days, until a run reports them', async () => {
  const line = (day: string) => ({ kind: 'record' as const, cells: { SettlementDate: day } });
  await world.load({
    id: 2,
    name: 'b.csv',
    lines: [line('2026-12-01'), line('2026-12-03')],
    finishedRunId: 2,
  });
  await world.store([payment(1), match([2, 3], 'NOT_MATCHED'), match([2, 2], 'NOT_MATCHED')]);
  const moment = '2026-12-04T05:00:00Z';
  const run = {
    id: 2,
    status: 'completed',
    fence_token: 8,
    as_of: '2026-12-04',
    host: 'host',
    process_id: 1,
  };
  const times = { started_at: moment, heartbeat_at: moment, from_date: '2026-12-02', to_date: '2026-12-03' };
  await world.store([['runs', { ...run, ...times, kind: 'rerun' }]]);
  const from = (day: string): RunScope => ({
    kind: 'range',
    from: day,
    to: '2026-12-03',
    asOf: '2026-12-04',
  });
  expect(await noticesOf(from('2026-12-02'))).toEqual([
    '1 file that a re-run fetched has records from 2026-12-01 to 2026-12-03, which are not all in the range. All of them ' +
      'are matched; the next recon run reports the others too.',
  ]);
  expect(await noticesOf(from('2026-12-01'))).toBeUndefined();
  await world.transact((tx) => tx`update settlement_files set finished_run_id = 1`);
  expect(await noticesOf(from('2026-12-02'))).toBeUndefined();
});
