import { describe, expect, it, test } from 'vitest';
import type { Tx } from '../../../src/db/client.js';
import { databaseForAllTests } from '../../support/database.js';
import { matchRange, matchRun, openFindings } from '../findings.js';
import { id32, payment, record, rolledBack, storePayments, storeRecords } from '../scenario.js';

/**
 * A run looks for missing settlements among the payments with which something happened since the last run. Here are the
 * things that can happen; the model property tests check all of matching in histories of several runs.
 */
const testDatabase = databaseForAllTests();
const long = '2026-11-10T10:00:00Z';

async function missing(tx: Tx): Promise<string[]> {
  const findings = await openFindings(tx, new Map());
  return findings.filter(({ code }) => code === 'MISSING_SETTLEMENT').map(({ subject }) => subject);
}

/** As an import does it: the new value, and a row that says what changed. */
async function change(tx: Tx, id: string, resultCode: string): Promise<void> {
  await tx`update payments set result_code = ${resultCode} where id = ${id32(id)}`;
  await tx`insert into payment_changes (payment_id, column_name, kind, new_value, file_name, file_sha256, line)
    values (${id32(id)}, 'ResultCode', 'CONTRADICTION', ${resultCode}, 'payments.csv', '', 2)`;
}

/** The same of the payment that a reversal names: the old one as well, since it is no longer reversed. */
async function refer(tx: Tx, id: string, to: string): Promise<void> {
  await tx`
    insert into payment_changes (payment_id, column_name, kind, old_value, new_value, file_name, file_sha256, line)
    select id, 'ReferencedPaymentId', 'CONTRADICTION', referenced_payment_id, ${id32(to)}, 'payments.csv', '', 2
    from payments where id = ${id32(id)}`;
  await tx`update payments set referenced_payment_id = ${id32(to)} where id = ${id32(id)}`;
}

const settled = { uniqueId: id32('p1'), settlementDate: '2026-11-12' };

describe('after a first run, a second one reports a payment', () => {
  test.each<{
    readonly what: string;
    readonly before: (tx: Tx) => Promise<unknown>;
    readonly between: (tx: Tx) => Promise<unknown>;
    readonly run?: Parameters<typeof matchRun>[2];
  }>([
    {
      what: 'that was imported late',
      before: () => Promise.resolve(),
      between: (tx) => storePayments(tx, [payment('p1', { requestedAt: long })]),
    },
    {
      what: 'that was pending, and to which the core gave its result',
      before: (tx) => storePayments(tx, [payment('p1', { requestedAt: long, resultCode: '000.200.000' })]),
      between: (tx) => tx`update payments set result_code = '000.000.000'`,
    },
    {
      what: 'that had failed, says an import',
      before: (tx) => storePayments(tx, [payment('p1', { requestedAt: long, resultCode: '800.100.152' })]),
      between: (tx) => change(tx, 'p1', '000.000.000'),
    },
    {
      what: 'whose reversal failed, says an import',
      before: (tx) =>
        storePayments(tx, [
          payment('p1', { requestedAt: long }),
          payment('p2', { type: 'RV', references: id32('p1') }),
        ]),
      between: (tx) => change(tx, 'p2', '800.100.152'),
    },
    {
      what: 'whose reversal reverses another payment, says an import',
      before: (tx) =>
        storePayments(tx, [
          payment('p1', { requestedAt: long }),
          payment('p2', { type: 'PA' }),
          payment('p3', { type: 'RV', references: id32('p1') }),
        ]),
      between: (tx) => refer(tx, 'p3', 'p2'),
    },
    {
      what: 'whose settlement is due now',
      before: (tx) => storePayments(tx, [payment('p1', { requestedAt: '2026-11-19T10:00:00Z' })]),
      between: () => Promise.resolve(),
      run: { asOf: '2026-11-24' },
    },
    {
      what: 'whose settlement is due earlier, by other settings',
      before: (tx) => storePayments(tx, [payment('p1', { requestedAt: '2026-11-17T10:00:00Z' })]),
      between: () => Promise.resolve(),
      run: { settlementDueDays: 2 },
    },
    {
      what: 'whose only record is withdrawn',
      before: async (tx) => {
        await storePayments(tx, [payment('p1', { requestedAt: long })]);
        await storeRecords(tx, 1, [record('a', settled)]);
      },
      between: withdraw,
    },
    {
      what: 'whose only record is withdrawn, and a re-run of another range of payments acted on it',
      before: async (tx) => {
        await storePayments(tx, [payment('p1', { requestedAt: long })]);
        await storeRecords(tx, 1, [record('a', settled)]);
      },
      between: async (tx) => {
        await withdraw(tx);
        await matchRange(tx, 7, { from: '2026-11-12', to: '2026-11-12' });
        expect(await missing(tx)).toEqual([]);
      },
    },
  ])('$what', ({ before, between, run }) =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await before(tx);
      await matchRun(tx, 1);
      expect(await missing(tx)).toEqual([]);
      await between(tx);
      await matchRun(tx, 8, run);
      expect(await missing(tx)).toEqual(['p1']);
      await matchRun(tx, 9, run);
      expect(await missing(tx)).toEqual(['p1']);
    }),
  );
});

async function withdraw(tx: Tx): Promise<void> {
  await tx`insert into file_withdrawals (file_id, kind, author, reason, decided_at)
    select id, 'withdraw', 'test', 'test', now() from settlement_files`;
}

describe('a payment that is reported as missing', () => {
  const reportMissing = async (tx: Tx) => {
    await tx`insert into runs (id, kind, status, fence_token, as_of, started_at, heartbeat_at, host, process_id)
      values (1, 'run', 'completed', 1, '2026-11-20', now(), now(), 'test', 1)`;
    await storePayments(tx, [payment('p1', { requestedAt: long })]);
    await matchRun(tx, 1);
    expect(await missing(tx)).toEqual(['p1']);
  };

  it('is no longer reported when an import gives it a day from which it is not due yet', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await reportMissing(tx);
      await tx`update payments set requested_at = '2026-11-19T10:00:00Z'`;
      await matchRun(tx, 2);
      expect(await missing(tx)).toEqual([]);
    }));

  it('is still reported by a run of an earlier as-of date', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await reportMissing(tx);
      await matchRun(tx, 2, { asOf: '2026-11-12' });
      expect(await missing(tx)).toEqual(['p1']);
      await matchRange(tx, 3, { from: '2026-11-15', to: '2026-11-15' });
      expect(await missing(tx)).toEqual(['p1']);
    }));
});

it('looks at each payment and each change once: a run notes the last of both', () =>
  rolledBack(testDatabase.database.sql, async (tx) => {
    await storePayments(tx, [payment('p1', { requestedAt: long }), payment('p2', { requestedAt: long })]);
    await change(tx, 'p1', '800.100.152');
    await change(tx, 'p2', '800.100.152');
    await matchRun(tx, 1);
    const [noted] =
      await tx`select last_payment_key as payment, last_change as change from settlement_checks`;
    const [last] = await tx`
      select (select max(key) from payments) as payment, (select max(id) from payment_changes) as change`;
    expect(noted).toEqual(last);
  }));

it('finds a payment whose transaction was open in an earlier run, although its key is lower than the last one seen', async () => {
  const { sql } = testDatabase.database;
  const run = (id: number) =>
    sql.begin('isolation level repeatable read', async (tx) => {
      await tx`select set_config('recon.fence', (select token::text from run_fence), true)`;
      await matchRun(tx, id);
    });
  await sql.begin(async (open) => {
    await storePayments(open, [payment('p1', { requestedAt: long })]);
    await sql.begin((tx) => storePayments(tx, [payment('p2', { requestedAt: long })]));
    await run(1);
    await run(2);
    expect(await sql.begin(missing)).toEqual(['p2']);
  });
  await run(3);
  expect(await sql.begin(missing)).toEqual(['p1', 'p2']);
});
