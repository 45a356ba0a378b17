import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { chargeback, reversal } from './chargeback-rows.js';
import { createInstallation, paymentsFile, settlementFile, type Cells } from './installation.js';

/* A clearing institute returns a chargeback in parts, each in its own record. */

const of = (amount: string, cells: Cells): Cells => ({ ...cells, Amount: amount, SettlementAmount: amount });

/** The commands of an installation with payments 1 and 2. */
async function createWorld() {
  const world = await createInstallation();
  world.write('payments.csv', paymentsFile(1, 2));
  await world.recon('payments', 'import', 'payments.csv');
  let files = 0;
  const take = async (...records: readonly Cells[]) => {
    files += 1;
    const rows = records.map((record, index) => ({ ...record, SettlementTxId: `S-${files}-${index}` }));
    const file = world.write(`day-${files}.csv`, settlementFile(...rows));
    return (await world.json<RunOutcome>('run', '--file', file, '--as-of', '2026-11-20')).document;
  };
  const rerun = async () =>
    (await world.json<RunOutcome>('rerun', '--from', '2026-11-01', '--to', '2026-11-20')).document;
  const shown = async (...options: string[]) => {
    const { document } = await world.json<Listed[]>('chargebacks', 'list', ...options);
    return document.map((each) => [each.status, each.amount, each.reversedAmount]);
  };
  const open = async () =>
    (await world.json<{ code: string; line: number }[]>('discrepancies')).document
      .filter(({ code }) => code.includes('CHARGEBACK'))
      .map(({ code, line }) => `${code}:${line}`);
  return { ...world, take, rerun, shown, open };
}

interface Listed {
  readonly status: string;
  readonly amount: string;
  readonly reversedAmount: string;
}

/** Status, Amount, ReversedOn, ReversedAmount and ReversedCurrency of each row of chargebacks.csv. */
function reported(outcome: RunOutcome): string[] {
  const [header = '', ...rows] = readFileSync(outcome.reports?.chargebacks ?? '', 'utf8')
    .replace('\ufeff', '')
    .trim()
    .split('\r\n');
  const names = header.split(';');
  return rows.map((row) => {
    const cells = row.split(';');
    return ['Status', 'Amount', 'ReversedOn', 'ReversedAmount', 'ReversedCurrency']
      .map((name) => (cells[names.indexOf(name)] ?? '').replaceAll('"', ''))
      .join(' ');
  });
}

test('each part that is returned of a chargeback counts for it, until its amount is used', async () => {
  const world = await createWorld();
  const { take, rerun, shown, open } = world;
  const first = await take(of('7.00', chargeback), of('4.00', reversal));
  expect(first.chargebacks).toEqual({ assigned: 1, reversed: 1 });
  expect(await shown()).toEqual([['partly-reversed', '7.00', '4.00']]);

  const second = await take({ ...of('3.00', reversal), SettlementDate: '2026-11-20' });
  expect(second.chargebacks).toEqual({ assigned: 0, reversed: 1 });
  expect(second.discrepancies.byCode).toEqual({});
  expect(await shown()).toEqual([['reversed', '7.00', '7.00']]);
  expect(reported(second)).toEqual(['REVERSED 7.00 2026-11-20 7.00 EUR']);
  const explained = (await world.recon('explain', 'day-1.csv:2')).stdout;
  expect(explained).toContain('reversed by day-1.csv line 3 (4.00 EUR), day-2.csv line 2 (3.00 EUR)');
  expect((await world.recon('explain', 'day-2.csv:2')).stdout).toContain(
    'reverses day-1.csv line 2 (7.00 EUR)',
  );

  const third = await take(of('1.00', reversal));
  expect(third.discrepancies.byCode).toEqual({ REVERSAL_WITHOUT_CHARGEBACK: 1 });
  expect(await shown('--status', 'reversed')).toEqual([['reversed', '7.00', '7.00']]);
  expect((await world.recon('explain', 'day-3.csv:2')).stdout).toContain(
    '1.00 EUR of a chargeback was returned, but no chargeback of payment',
  );
  const again = await rerun();
  expect(again.chargebacks).toEqual({ assigned: 1, reversed: 2 });
  expect(await open()).toEqual(['REVERSAL_WITHOUT_CHARGEBACK:2']);
});

test('a part of more than what is left, or in another currency, waits for a chargeback', async () => {
  const { take, shown, open } = await createWorld();
  await take(of('7.00', chargeback), of('4.00', reversal), of('5.00', reversal), {
    ...of('3.00', reversal),
    Currency: 'USD',
  });
  expect(await shown()).toEqual([['partly-reversed', '7.00', '4.00']]);
  expect((await open()).filter((each) => each.startsWith('REVERSAL'))).toEqual([
    'REVERSAL_WITHOUT_CHARGEBACK:4',
    'REVERSAL_WITHOUT_CHARGEBACK:5',
  ]);
});

test('a part of which the amount is left takes that chargeback before an open one of another amount', async () => {
  const { take, shown } = await createWorld();
  const dated = (day: number, cells: Cells): Cells => ({ ...cells, SettlementDate: `2026-11-${day}` });
  const rows = [of('9.00', chargeback), of('8.00', chargeback), of('6.00', reversal), of('3.00', reversal)];
  const outcome = await take(...rows.map((each, index) => dated(10 + index, each)), of('8.00', reversal));
  expect(outcome.chargebacks).toEqual({ assigned: 2, reversed: 3 });
  expect((await shown()).sort()).toEqual([
    ['reversed', '8.00', '8.00'],
    ['reversed', '9.00', '9.00'],
  ]);
});

test('what a person reversed of a chargeback is not returned once more', async () => {
  const world = await createWorld();
  const { take, shown } = world;
  await take(of('7.00', chargeback), of('4.00', reversal));
  const [booked] = (await world.json<{ id: string }[]>('chargebacks', 'list')).document;
  await world.recon('chargebacks', 'reverse', booked?.id ?? '', '--amount', '2.00', '--by', 'anna');
  const outcome = await take(of('3.00', reversal), of('1.00', reversal));
  expect(outcome.discrepancies.byCode).toEqual({ REVERSAL_WITHOUT_CHARGEBACK: 1 });
  expect(await shown()).toEqual([['reversed', '7.00', '7.00']]);
});

test('chargebacks that were returned in parts do not exceed their payment', async () => {
  const { take, open } = await createWorld();
  await take(of('100.00', chargeback), of('60.00', reversal));
  await take(of('40.00', reversal));
  await take(of('100.00', chargeback));
  expect(await open()).toEqual([]);
  await take(of('1.00', chargeback));
  expect(await open()).toEqual(['CHARGEBACK_EXCEEDS_PAYMENT:2']);
});

test('a part whose file was withdrawn and restored returns to its chargeback', async () => {
  const world = await createWorld();
  const { take, rerun, shown, open } = world;
  await take(of('7.00', chargeback), of('4.00', reversal));
  await take(of('3.00', reversal));
  await world.recon('files', 'withdraw', 'day-2.csv', '--reason', 'wrong', '--by', 'anna');
  await rerun();
  expect(await shown()).toEqual([['partly-reversed', '7.00', '4.00']]);
  // Another one that is open and of the same amount: an id never changes.
  await take(of('3.00', chargeback));
  await world.recon('files', 'restore', 'day-2.csv', '--reason', 'right', '--by', 'anna');
  await rerun();
  expect((await shown()).sort()).toEqual([
    ['open', '3.00', '0.00'],
    ['reversed', '7.00', '7.00'],
  ]);
  expect(await open()).toEqual([]);
});

test('a part that is corrected stays a part of the same chargeback', async () => {
  const world = await createWorld();
  const { rerun, shown, take, open } = world;
  await take(of('7.00', chargeback), of('4.00', reversal), of('3.00', reversal));
  const corrected = { ...of('2.00', reversal), SettlementTxId: 'S-1-2' };
  const file = world.write('corrected.csv', settlementFile(corrected));
  await world.json('run', '--file', file, '--as-of', '2026-11-20');
  await world.json('decide', 'corrected.csv:2', '--supersede', '--reason', 'corrected', '--by', 'anna');
  await rerun();
  expect(await shown()).toEqual([['partly-reversed', '7.00', '6.00']]);
  expect(await open()).toEqual([]);
  await world.json('decide', 'corrected.csv:2', '--undo', '--by', 'anna');
  await rerun();
  expect(await shown()).toEqual([['reversed', '7.00', '7.00']]);
});

test('a chargeback that was returned in another currency does not exceed its payment', async () => {
  const { take, shown, open } = await createWorld();
  await take(of('100.00', chargeback), { ...of('108.00', reversal), Currency: 'USD' });
  expect(await shown()).toEqual([['reversed', '100.00', '108.00']]);
  await take(of('100.00', chargeback));
  expect(await open()).toEqual([]);
  await take(of('1.00', chargeback));
  expect(await open()).toEqual(['CHARGEBACK_EXCEEDS_PAYMENT:2']);
});

describe('parts that are all corrected at once', () => {
  const corrected = async (...parts: readonly Cells[]) => {
    const world = await createWorld();
    await world.take(of('7.00', chargeback), of('4.00', reversal), of('3.00', reversal));
    const rows = parts.map((part, index) => ({ ...part, SettlementTxId: `S-1-${index + 1}` }));
    const file = world.write('corrected.csv', settlementFile(...rows));
    await world.json('run', '--file', file, '--as-of', '2026-11-20');
    const records = ['corrected.csv:2', 'corrected.csv:3'];
    await world.json('decide', ...records, '--supersede', '--reason', 'corrected', '--by', 'anna');
    await world.rerun();
    return world;
  };

  test('stay parts of the same chargeback', async () => {
    const { shown, open } = await corrected(of('5.00', reversal), of('1.00', reversal));
    expect(await shown()).toEqual([['partly-reversed', '7.00', '6.00']]);
    expect(await open()).toEqual([]);
  });

  test('return no more than its amount together', async () => {
    const world = await corrected(of('6.00', reversal), of('5.00', reversal));
    expect(await world.shown()).toEqual([['partly-reversed', '7.00', '6.00']]);
    expect(await world.open()).toEqual(['REVERSAL_WITHOUT_CHARGEBACK:3']);
    await world.json('decide', 'corrected.csv:2', '--undo', '--by', 'anna');
    await world.json('decide', 'corrected.csv:3', '--undo', '--by', 'anna');
    await world.rerun();
    expect(await world.shown()).toEqual([['reversed', '7.00', '7.00']]);
  });

  test('are in one currency', async () => {
    const { shown, open } = await corrected(of('5.00', reversal), {
      ...of('2.00', reversal),
      Currency: 'USD',
    });
    expect(await shown()).toEqual([['partly-reversed', '7.00', '5.00']]);
    expect((await open()).filter((each) => each.startsWith('REVERSAL'))).toEqual([
      'REVERSAL_WITHOUT_CHARGEBACK:3',
    ]);
  });
});
