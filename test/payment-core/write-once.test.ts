import { describe, expect, test } from 'vitest';
import pino from 'pino';
import { openDatabase } from '../../src/db/connect.js';
import { createPaymentCore, type PaymentCore } from '../../src/payment-core/index.js';
import { administer, databaseForAllTests } from '../support/database.js';
import { startDatabaseProxy, type Cut } from '../support/database-proxy.js';
import { card, cardPayment, encryptionKeys, referencing } from './support/test-core.js';

const testDatabase = databaseForAllTests();

/** How often each table has this payment. */
async function stored(id: string) {
  const [counts] = await testDatabase.database.sql<{ [table: string]: number }[]>`
    select (select count(*)::int from payments where id = ${id}) as payments,
      (select count(*)::int from payment_details join payments on key = payment_key where id = ${id}) as details,
      (select count(*)::int from payment_events where resource_id = ${id}) as events`;
  return counts;
}

const once = { payments: 1, details: 1, events: 1 };

/** Calls a core that reaches the database through a proxy, which cuts as `cutAt` says once it is armed. */
async function through<T>(
  cutAt: (statement: string) => Cut | undefined,
  work: (core: PaymentCore, sent: () => readonly string[]) => Promise<T>,
): Promise<T> {
  let since = Infinity;
  const proxy = await startDatabaseProxy(testDatabase.url, (statement) =>
    proxy.statements.length > since ? cutAt(statement) : undefined,
  );
  const database = await openDatabase({ url: proxy.url }, { logger: pino({ enabled: false }) });
  const core = await createPaymentCore({ sql: database.sql, environment: 'test', encryptionKeys });
  try {
    // The statement is prepared on every connection.
    await Promise.all(Array.from({ length: 8 }, () => core.payments.create(cardPayment('DB'))));
    since = proxy.statements.length;
    return await work(core, () => proxy.statements.slice(since));
  } finally {
    await proxy.close();
    // The driver would wait for an answer that never came.
    await database.sql.end({ timeout: 0 });
    await database.close();
  }
}

const kindsOf = (statements: readonly string[]) =>
  statements.map((statement) => /^\s*(\w+)/.exec(statement)?.[1]);

describe('what is stored without a decision under a lock', () => {
  test.each([
    ['a payment', (core: PaymentCore) => core.payments.create(cardPayment('DB')), ['with']],
    [
      'a payment with a registration',
      (core: PaymentCore) => core.payments.create(cardPayment('DB', { createRegistration: 'true' })),
      ['with'],
    ],
    ['a registration', (core: PaymentCore) => core.registrations.create(card), ['with']],
    [
      'a checkout',
      (core: PaymentCore) => core.checkouts.create({ paymentType: 'DB', amount: '1.00', currency: 'EUR' }),
      ['insert'],
    ],
  ])('%s costs one statement', async (_what, make, statements) => {
    const sent = await through(
      () => undefined,
      async (core, since) => {
        await make(core);
        return kindsOf(since());
      },
    );
    expect(sent).toEqual(statements);
  });
});

test('a capture costs seven statements in four round trips', async () => {
  const sent = await through(
    () => undefined,
    async (core, since) => {
      const { id } = await core.payments.create(cardPayment('PA'));
      const before = since().length;
      await core.payments.reference(id, referencing('CP', '30.00'));
      return since()
        .slice(before)
        .map((statement) => /^\s*(?:\w+)/.exec(statement)?.[0].trim());
    },
  );
  // Begin; settings, lock, family and payment together; the writes; commit.
  expect(sent).toEqual(['begin', 'select', 'with', 'with', 'select', 'with', 'commit']);
});

describe('a payment whose statement gets no answer', () => {
  test.each(['unsent', 'answer lost', 'sent', 'terminated'] as const)(
    'because its connection was cut (%s) is sent again, stored once and answered',
    async (cut) => {
      let cuts = 0;
      const { response, statements } = await through(
        () => (cuts++ === 0 ? cut : undefined),
        async (core, since) => {
          const made = await core.payments.create(cardPayment('DB'));
          return { response: made, statements: kindsOf(since()) };
        },
      );
      expect(response.result.code).toBe('000.100.110');
      expect(await stored(response.id)).toEqual(once);
      expect(statements.filter((kind) => kind === 'with').length).toBe(2);
    },
  );

  test('however often it is sent reports that it is unknown whether it was stored', async () => {
    const failure = await through(
      () => 'answer lost',
      (core) => core.payments.create(cardPayment('DB')).catch((thrown: unknown) => thrown),
    );
    expect(failure).toMatchObject({
      code: 'DATABASE_FAILED',
      message: expect.stringContaining('it is unknown whether it was stored') as string,
    });
  });

  test('among many at once, while connections are ended: every answered payment is stored once', async () => {
    const over = new AbortController();
    const core = await createPaymentCore({
      sql: testDatabase.database.sql,
      environment: 'test',
      encryptionKeys,
    });
    const killing = (async () => {
      while (!over.signal.aborted) {
        await administer(
          `select pg_terminate_backend(pid) from (select pid from pg_stat_activity where datname = '${testDatabase.name}'
             and application_name = 'recon test' order by random() limit 1) as one`,
        );
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    })();
    const made: string[] = [];
    const pay = async () => {
      for (let n = 0; n < 25; n += 1) {
        const response = await core.payments.create(cardPayment('DB')).catch(() => undefined);
        if (response !== undefined) made.push(response.id);
      }
    };
    await Promise.all(Array.from({ length: 8 }, pay));
    over.abort();
    await killing;
    expect(made.length).toBeGreaterThan(0);
    // The pool may still have the connection that was ended last.
    const fresh = await openDatabase({ url: testDatabase.url }, { logger: pino({ enabled: false }) });
    const rows = await fresh.sql<{ id: string; details: number; events: number }[]>`
      select id, (select count(*)::int from payment_details where payment_key = key) as details,
        (select count(*)::int from payment_events where resource_id = id) as events
      from payments`;
    await fresh.close();
    expect(rows.filter(({ details, events }) => details !== 1 || events !== 1)).toEqual([]);
    const ids = new Set(rows.map(({ id }) => id));
    expect(made.filter((id) => !ids.has(id))).toEqual([]);
  });
});
