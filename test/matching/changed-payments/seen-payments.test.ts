import { expect, it } from 'vitest';
import type { Tx } from '../../../src/db/client.js';
import { isUnseen, readSeenPayments } from '../../../src/matching/changed-payments/seen-payments.js';
import { databaseForEachTest } from '../../support/database.js';
import { matchRun } from '../findings.js';
import { payment, storePayments } from '../scenario.js';

const testDatabase = databaseForEachTest();

const store = (name: string) => testDatabase.database.sql.begin((tx) => storePayments(tx, [payment(name)]));

/** The number of a transaction that begins now. */
const newTransaction = () => testDatabase.database.sql.begin(transactionOf);

async function transactionOf(tx: Tx): Promise<string> {
  const [row] = await tx<{ id: string }[]>`select pg_current_xact_id()::text as id`;
  return row?.id ?? '';
}

async function highestKey(): Promise<string> {
  const [row] = await testDatabase.database.sql<
    { key: string }[]
  >`select max(key)::text as key from payments`;
  return row?.key ?? '';
}

/** The payments that a run has not seen which saw this key, and what was stored by older transactions than this one. */
function unseen(key: string, oldestTransaction: string): Promise<string[]> {
  return testDatabase.database.sql.begin(async (tx) => {
    const look = {
      paymentKey: '0',
      change: '0',
      highestKey: key,
      oldestTransaction,
      sawAllToHighest: false,
      asOf: '2026-11-20',
      latestAsOf: '2026-11-20',
      settings: '',
    };
    const rows = await tx<{ id: string }[]>`
      select p.id from payments p where ${isUnseen(tx, look, false)} order by p.key`;
    return rows.map(({ id }) => id.replace(/0+$/, ''));
  });
}

it('a payment is unseen that was stored after the last run', async () => {
  await store('p1');
  const [key, oldest] = [await highestKey(), await newTransaction()];
  expect(await unseen(key, oldest)).toEqual([]);
  await store('p2');
  expect(await unseen(key, oldest)).toEqual(['p2']);
});

it('a payment is unseen that was changed after the last run', async () => {
  await store('p1');
  await store('p2');
  const [key, oldest] = [await highestKey(), await newTransaction()];
  await testDatabase.database.sql`update payments set result_code = '000.000.000' where id like 'p1%'`;
  expect(await unseen(key, oldest)).toEqual(['p1']);
});

it('a payment is unseen whose transaction was open in the last run, also one of a savepoint', async () => {
  const { sql } = testDatabase.database;
  await store('p1');
  const oldest = await sql.begin(async (open) => {
    await storePayments(open, [payment('p2')]);
    await open.savepoint((inner) => storePayments(inner, [payment('p3')]));
    await store('p4');
    return transactionOf(open);
  });
  // The last one was stored while that transaction was open, so it is looked at once more.
  expect(await unseen(await highestKey(), oldest)).toEqual(['p2', 'p3', 'p4']);
});

it('every payment is unseen if the database was restored on a server of lower transaction numbers', async () => {
  const { sql } = testDatabase.database;
  const fenced = (work: (tx: Tx) => Promise<unknown>) =>
    sql.begin('isolation level repeatable read', async (tx) => {
      await tx`select set_config('recon.fence', (select token::text from run_fence), true)`;
      await work(tx);
    });
  const look = () => sql.begin((tx) => readSeenPayments(tx, 'its keys'));
  await store('p1');
  await fenced((tx) => matchRun(tx, 1));
  const [noted] = await sql<
    { oldest: string }[]
  >`select oldest_transaction::text as oldest from settlement_checks`;
  expect(await look()).toMatchObject({ highestKey: await highestKey(), oldestTransaction: noted?.oldest });
  await fenced((tx) => tx`update settlement_checks set own_transaction = own_transaction + 1000000`);
  expect(await look()).toMatchObject({ oldestTransaction: '0' });
  expect(await unseen(await highestKey(), '0')).toEqual(['p1']);
});
