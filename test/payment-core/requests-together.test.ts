import fc from 'fast-check';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { logStatements } from '../../src/db/watch-statements.js';
import { createPaymentCore, type PaymentCore } from '../../src/payment-core/index.js';
import { cardPayment, createTestCore, encryptionKeys, noon, type TestCore } from './support/test-core.js';

/*
 * Requests that come at the same moment share a statement. Each gets the same answer as a request that comes alone.
 */

const entities = ['a'.repeat(32), 'b'.repeat(32)];
let world: TestCore;
beforeAll(async () => {
  world = await createTestCore();
});
afterAll(() => world.drop());

/** A core whose statements are counted. */
async function watched(): Promise<{ core: PaymentCore; statements: string[] }> {
  const statements: string[] = [];
  const logger = pino(
    { level: 'trace' },
    { write: (line) => statements.push((JSON.parse(line) as { statement: string }).statement) },
  );
  const sql = logStatements(world.database.database.sql, logger);
  return {
    core: await createPaymentCore({ sql, environment: 'test', encryptionKeys, clock: () => noon }),
    statements,
  };
}

/** What does not depend on chance: ids and references are random. */
function lasting(response: object) {
  const {
    id: _id,
    shortId: _short,
    ndc: _ndc,
    resultDetails: _details,
    ...rest
  } = response as Record<string, unknown>;
  return rest;
}

describe('payments made at the same moment', () => {
  test('cost one statement and are stored like payments made alone', async () => {
    const { core, statements } = await watched();
    const requests = ['10.00', '-1', '20.00', '130.00'].map((amount, index) =>
      cardPayment(index === 3 ? 'PA' : 'DB', { amount, merchantTransactionId: `together ${index}` }),
    );
    const together = await Promise.all(requests.map((request) => core.payments.create(request)));
    expect(statements.length).toBe(1);
    const alone: typeof together = [];
    for (const request of requests) alone.push(await core.payments.create(request));
    expect(together.map(lasting)).toEqual(alone.map(lasting));
    for (const [index, { id, result }] of together.entries()) {
      expect((await core.payments.get(id)).amount).toBe(index === 1 ? undefined : requests[index]?.amount);
      const events = await world.database.database.sql<{ id: string }[]>`
        select payload ->> 'id' as id from payment_events where resource_id = ${id}`;
      expect(events.map((event) => event.id)).toEqual(result.code === '200.300.404' ? [] : [id]);
    }
  });

  test('do not fail with one of them that the database refuses', async () => {
    const { sql } = world.database.database;
    await sql`alter table payments add constraint no_poison check (merchant_transaction_id <> 'customer poison')`;
    const names = ['customer one', 'customer poison', 'customer two', 'customer three'];
    const made = await Promise.allSettled(
      names.map((merchantTransactionId) =>
        world.core.payments.create(cardPayment('DB', { merchantTransactionId })),
      ),
    );
    await sql`alter table payments drop constraint no_poison`;
    expect(made.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(made[1]).toMatchObject({ reason: { code: 'DATABASE_FAILED' } });
    const stored = await sql<{ name: string }[]>`
      select merchant_transaction_id as name from payments join payment_events on resource_id = id
      where merchant_transaction_id like 'customer %' order by name`;
    expect(stored.map(({ name }) => name)).toEqual(['customer one', 'customer three', 'customer two']);
  });
});

test('payments read at the same moment are those that each caller would get alone', async () => {
  const { core, statements } = await watched();
  const live = await world.open({ environment: 'live' });
  const made = await Promise.all(
    [...entities, undefined].map((entityId) =>
      core.payments.create(cardPayment('DB', entityId === undefined ? {} : { entityId })),
    ),
  );
  const id = fc.constantFrom(...made.map((payment) => payment.id), 'f'.repeat(32), '');
  const caller = fc.constantFrom(
    {},
    { entityIds: [] },
    ...entities.map((entityId) => ({ entityIds: [entityId] })),
  );
  const reads = fc.array(fc.record({ id, caller }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(reads, async (all) => {
      const before = statements.length;
      const together = await Promise.all(all.map((read) => core.payments.get(read.id, read.caller)));
      expect(statements.length).toBe(before + 1);
      for (const [index, read] of all.entries()) {
        const [visible] = (await core.query({}, { id: read.id }, read.caller)).payments ?? [];
        expect(together[index]?.paymentType).toBe(visible?.paymentType);
        if (visible !== undefined) expect(together[index]).toEqual(visible);
        // The other environment has none of them.
        expect((await live.payments.get(read.id)).result.code).toBe('700.400.580');
      }
    }),
    { numRuns: 20 },
  );
});
