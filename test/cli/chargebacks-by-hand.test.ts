import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { createInstallation, paymentId, paymentsFile, settlementFile, type Cells } from './installation.js';

interface Listed {
  readonly id: string;
  readonly status: string;
  readonly amount: string;
  readonly reversedAmount: string;
}

const charged: Cells = {
  ReconciliationType: 'CHARGEBACK',
  Cashflow: 'NEG',
  UniqueID: paymentId(1),
  ReasonCode: '000.100.203',
};
const returned: Cells = {
  ReconciliationType: 'CHARGEBACK REVERSAL',
  Cashflow: 'POS',
  UniqueID: paymentId(1),
};

/** An installation with the payments 1 and 2, and its commands. */
async function createWorld() {
  const world = await createInstallation();
  world.write('payments.csv', paymentsFile(1, 2));
  await world.recon('payments', 'import', 'payments.csv');
  let files = 0;
  /** A run over a file with these records, each with a separate SettlementTxId. */
  const run = async (...records: readonly Cells[]) => {
    files += 1;
    const rows = records.map((record, index) => ({ SettlementTxId: `S-${files}-${index}`, ...record }));
    const file = world.write(`day-${files}.csv`, settlementFile(...rows));
    return (await world.json<RunOutcome>('run', '--file', file, '--as-of', '2026-11-20')).document;
  };
  const list = async () => (await world.json<Listed[]>('chargebacks', 'list')).document;
  const book = async (...options: string[]) =>
    (await world.json<{ id: string }>('chargebacks', 'book', paymentId(1), '--by', 'anna', ...options))
      .document.id;
  const reverse = (id: string, ...options: string[]) =>
    world.recon('chargebacks', 'reverse', id, '--by', 'anna', ...options);
  const open = async () => {
    const { document } =
      await world.json<{ code: string; message: string; line: number; severity: string }[]>('discrepancies');
    return document.filter(({ code }) => code.includes('CHARGEBACK'));
  };
  return { ...world, run, list, book, reverse, open };
}

/** Settles payment 2, which has nothing to do with the chargeback. */
const otherRecord: Cells = { UniqueID: paymentId(2) };

describe('a chargeback that was booked by hand', () => {
  test('is named by explain if a record has its id, because no record is matched to a chargeback', async () => {
    const world = await createWorld();
    const { run, book, reverse } = world;
    const byHand = await book('--amount', '6.00');
    expect(await reverse(byHand, '--amount', '2.00')).toMatchObject({ code: 0 });
    const [reversal] = await world.database.database.sql<{ id: string }[]>`
      select id from payments where payment_type = 'CR'`;
    const reversalId = reversal?.id ?? '';
    await run({ ...charged, UniqueID: byHand }, otherRecord, { ...returned, UniqueID: reversalId });
    const explained = async (line: number) => (await world.recon('explain', `day-1.csv:${line}`)).stdout;
    expect(await explained(2)).toContain(
      `${byHand}: finds nothing\n    It is the id of a chargeback of payment ${paymentId(1)}. ` +
        'A record is matched to the payment, not to its chargeback.\n',
    );
    expect(await explained(3)).not.toContain('It is the id of');
    expect(await explained(4)).toContain(
      `It is the id of the reversal of a chargeback of payment ${paymentId(1)}.`,
    );
  });

  test('and then comes in a file is reported as booked twice until it is reversed', async () => {
    const { run, list, book, reverse, open } = await createWorld();
    const byHand = await book('--amount', '6.00');
    const first = await run({ ...charged, Amount: '6.00', SettlementAmount: '6.00' });
    expect(first.chargebacks).toEqual({ assigned: 1, reversed: 0 });
    expect(first.discrepancies.byCode).toEqual({ CHARGEBACK_BOOKED_TWICE: 1 });
    const found = await open();
    expect(found).toMatchObject([{ code: 'CHARGEBACK_BOOKED_TWICE', severity: 'warning', line: 2 }]);
    expect(found[0]?.message).toBe(
      `Payment ${paymentId(1)} was charged back by hand (${byHand}, 6.00 EUR) before this chargeback of 6.00 EUR ` +
        'arrived. If both are the same chargeback, it is booked twice.',
    );
    expect((await list()).map(({ status, amount }) => [status, amount])).toEqual([
      ['open', '6.00'],
      ['open', '6.00'],
    ]);

    expect((await run(otherRecord)).items.resolved).toBe(0);
    await reverse(byHand);
    expect((await run({ ...otherRecord, PaymentType: 'REFUND', Cashflow: 'NEG' })).items.resolved).toBe(1);
    expect(await open()).toEqual([]);
  });

  test('is reported once, on the last of several chargebacks', async () => {
    const { run, book, open } = await createWorld();
    await book('--amount', '1.00');
    const amounts = { Amount: '2.00', SettlementAmount: '2.00' };
    await run({ ...charged, ...amounts }, { ...charged, ...amounts, SettlementDate: '2026-11-17' });
    expect((await open()).map(({ code, line }) => [code, line])).toEqual([['CHARGEBACK_BOOKED_TWICE', 2]]);
  });

  test('is not reported beside a chargeback that failed, nor beside one whose file was withdrawn', async () => {
    const world = await createWorld();
    const { run, book, open } = world;
    await book();
    await run({ ...charged, SettlementStatus: 'FAILED' });
    expect(await open()).toEqual([]);
    await run(charged);
    expect((await open()).map(({ code }) => code)).toEqual(['CHARGEBACK_BOOKED_TWICE']);
    await world.recon('files', 'withdraw', 'day-2.csv', '--reason', 'a test file', '--by', 'anna');
    await run(otherRecord);
    expect(await open()).toEqual([]);
  });

  test('after that of a file was reversed is another one, and is not reported', async () => {
    const world = await createWorld();
    const { run, list, book, open } = world;
    await run(charged, returned);
    await book();
    expect(
      (await world.json<RunOutcome>('rerun', '--from', '2026-11-01', '--to', '2026-11-20')).document.exitCode,
    ).toBe(0);
    expect(await open()).toEqual([]);
    expect((await list()).map(({ status }) => status).sort()).toEqual(['open', 'reversed']);
  });

  test('and reversed by hand is not reported when one comes in a file afterwards', async () => {
    const { run, book, reverse, open } = await createWorld();
    await reverse(await book());
    await run(charged, returned);
    expect(await open()).toEqual([]);
  });
});

describe('a chargeback of a file', () => {
  test('that was reversed by hand is not reversed once more by a record', async () => {
    const { run, list, reverse, open } = await createWorld();
    await run(charged);
    const [chargeback] = await list();
    await reverse(chargeback?.id ?? '');
    const next = await run(returned);
    expect(next.chargebacks).toEqual({ assigned: 0, reversed: 0 });
    expect((await open()).map(({ code }) => code)).toEqual(['REVERSAL_WITHOUT_CHARGEBACK']);
    const after = await list();
    expect(after).toMatchObject([{ id: chargeback?.id, status: 'reversed' }]);
    expect(after[0]?.reversedAmount).toBe(after[0]?.amount);
  });

  test('of 0.00 that nobody reversed by hand is open for a record', async () => {
    const { run, book, reverse } = await createWorld();
    await reverse(await book());
    const nothing = { Amount: '0.00', SettlementAmount: '0.00' };
    expect((await run({ ...charged, ...nothing }, returned)).chargebacks).toEqual({
      assigned: 1,
      reversed: 1,
    });
  });

  test('of 0.00 is listed as open, and as withdrawn once its file is', async () => {
    const world = await createWorld();
    await world.run({ ...charged, Amount: '0.00', SettlementAmount: '0.00' });
    const statuses = async () => (await world.list()).map(({ status, amount }) => [status, amount]);
    expect(await statuses()).toEqual([['open', '0.00']]);
    await world.recon('files', 'withdraw', 'day-1.csv', '--reason', 'a test file', '--by', 'anna');
    await world.run(otherRecord);
    expect(await statuses()).toEqual([['withdrawn', '0.00']]);
  });

  test('that failed is listed as failed, as in the report, until something reverses it', async () => {
    const world = await createWorld();
    const { run, list, reverse } = world;
    const failed = { ...charged, SettlementStatus: 'FAILED' };
    const inReport = (outcome: RunOutcome) =>
      readFileSync(outcome.reports?.chargebacks ?? '', 'utf8')
        .split('\r\n')
        .map((line) => line.split(';')[1])
        .filter((status) => status === '"FAILED"');
    const first = await run(failed, { ...charged, UniqueID: paymentId(2), Amount: '3.00' });
    expect(inReport(first)).toHaveLength(1);
    const statuses = async (...filter: string[]) =>
      (await world.json<Listed[]>('chargebacks', 'list', ...filter)).document.map(({ status }) => status);
    expect((await statuses()).sort()).toEqual(['failed', 'open']);
    expect(await statuses('--status', 'failed')).toEqual(['failed']);
    expect(await statuses('--status', 'open')).toEqual(['open']);
    expect(await statuses('--payment', paymentId(1))).toEqual(['failed']);
    const table = await world.recon('chargebacks', 'list', '--status', 'failed');
    expect(table.stdout).toMatch(/[0-9a-f]{32}\s+failed\s+\d+\.\d\d EUR/);

    await reverse((await list()).find(({ status }) => status === 'failed')?.id ?? '', '--amount', '1.00');
    expect((await statuses()).sort()).toEqual(['open', 'partly-reversed']);
  });

  test('that was reversed by hand in part is open for a record of at most what is left', async () => {
    const { run, list, reverse, open } = await createWorld();
    await run({ ...charged, Amount: '7.00', SettlementAmount: '7.00' });
    const [chargeback] = await list();
    await reverse(chargeback?.id ?? '', '--amount', '5.00');
    const all = { ...returned, Amount: '7.00', SettlementAmount: '7.00' };
    expect((await run(all)).chargebacks).toEqual({ assigned: 0, reversed: 0 });
    expect((await open()).map(({ code }) => code)).toEqual(['REVERSAL_WITHOUT_CHARGEBACK']);
    const rest = { ...returned, Amount: '2.00', SettlementAmount: '2.00' };
    expect((await run(rest)).chargebacks).toEqual({ assigned: 0, reversed: 1 });
    expect(await list()).toMatchObject([{ status: 'reversed', amount: '7.00', reversedAmount: '7.00' }]);
  });
});
