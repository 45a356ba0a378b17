import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runAllDueJobs } from '../../src/http/run-due-jobs.js';
import { createPaymentCore, type PaymentCore } from '../../src/payment-core/index.js';
import { databaseForAllTests } from '../support/database.js';
import { card, cardPayment, encryptionKeys } from './support/test-core.js';

/*
 * Several machines share a database, and the clock of one of them is wrong for a moment. What ends or falls due must
 * not depend on it: keys of others would be forgotten and payments made twice, or all fires of a year made at once.
 */

const yearMs = 366 * 24 * 3_600_000;

const testDatabase = databaseForAllTests();
let core: PaymentCore;
let aheadMs = 0;
beforeAll(async () => {
  const { now } = Date;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs);
  // Without a clock, as a program opens it: the clock of a test would be used everywhere.
  core = await createPaymentCore({ sql: testDatabase.database.sql, environment: 'test', encryptionKeys });
});
afterAll(() => vi.restoreAllMocks());

/** Does the work on a machine whose clock is a year ahead. */
async function aYearAhead<T>(work: () => Promise<T>): Promise<T> {
  aheadMs = yearMs;
  try {
    return await work();
  } finally {
    aheadMs = 0;
  }
}

describe('a machine whose clock is a year ahead', () => {
  const caller = { entityIds: ['a'.repeat(32)], idempotencyKey: 'order-1' };

  test('answers a repeated request from what is stored, and removes no key', async () => {
    const request = cardPayment('DB');
    const first = await core.payments.create(request, caller);
    const other = await core.payments.create(request, { ...caller, idempotencyKey: 'order-2' });
    const again = await aYearAhead(() => core.payments.create(request, caller));
    const third = await aYearAhead(() =>
      core.payments.create(request, { ...caller, idempotencyKey: 'order-3' }),
    );
    const rest = await core.payments.create(request, { ...caller, idempotencyKey: 'order-2' });
    expect([again.id, rest.id]).toEqual([first.id, other.id]);
    expect(third.id).not.toBe(first.id);
  });

  test('leaves no key that is remembered for longer than a day', async () => {
    await aYearAhead(() => core.payments.create(cardPayment('DB'), { ...caller, idempotencyKey: 'order-4' }));
    const { sql } = testDatabase.database;
    const late = await sql`select from idempotency_keys where created_at > now() + interval '1 hour'`;
    expect(late).toHaveLength(0);
  });

  test('makes no scheduled payment before it is due, and plans the next one for the present', async () => {
    const { id: registrationId } = await core.registrations.create(card);
    const time = { amount: '9.99', currency: 'EUR', 'job.expression': '0 0 6 1 * ? *' };
    const everyMonth = await core.jobs.create(registrationId, { ...time, 'job.misfirePolicy': 'all' });
    const plannedAhead = await aYearAhead(() => core.jobs.create(registrationId, time));
    const changedAhead = await core.jobs.create(registrationId, time);
    const changed = await aYearAhead(() =>
      core.jobs.update(changedAhead.id, { 'job.expression': '0 0 7 1 * ? *' }),
    );
    const due = { core, sql: testDatabase.database.sql };
    const { runs, failure } = await aYearAhead(() => runAllDueJobs(due, new AbortController().signal));
    expect([...runs, ...(await aYearAhead(() => core.jobs.runDue())), failure]).toEqual([undefined]);
    const jobs = [await core.jobs.get(everyMonth.id), plannedAhead, changed];
    const inAMonth = new Date(Date.now() + 32 * 24 * 3_600_000).toISOString();
    for (const job of jobs) expect(job.nextRunAt?.slice(0, 10).localeCompare(inAMonth)).toBe(-1);
    const deleted = await aYearAhead(() => core.jobs.delete(everyMonth.id));
    expect(deleted).toMatchObject({ status: 'deleted' });
  });

  test('counts its requests in the window that all share', async () => {
    const throttling = { 'payments.get': { requests: 100, windowSeconds: 100_000_000 } };
    const { sql } = testDatabase.database;
    const limited = await createPaymentCore({ sql, environment: 'test', encryptionKeys, throttling });
    // Years, and less than clocks may differ.
    for (const ahead of [yearMs * 4, 30 * 60_000, 0]) {
      aheadMs = ahead;
      await limited.payments.get('unknown');
    }
    const windows = await sql`
      select requests, started_at <= now() as "hasBegun" from throttle_windows`;
    expect(windows).toEqual([{ requests: 3, hasBegun: true }]);
  });

  test('takes payments for the checkouts of others, and makes none that lasts a year', async () => {
    const request = { paymentType: 'DB', amount: '5.00', currency: 'EUR' };
    const checkout = await core.checkouts.create(request);
    const paid = await aYearAhead(() => core.checkouts.pay(checkout.id, card));
    expect(paid.result.code).toBe('000.100.110');
    await aYearAhead(() => core.checkouts.create(request));
    const { sql } = testDatabase.database;
    const late = await sql`select from checkouts where expires_at > now() + interval '31 minutes'`;
    expect(late).toHaveLength(0);
  });
});
