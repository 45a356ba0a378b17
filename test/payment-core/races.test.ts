import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPaymentCore, type ErrorResponse, type PaymentCore } from '../../src/payment-core/index.js';
import { openDatabase, type Database } from '../../src/db/connect.js';
import pino from 'pino';
import {
  cardPayment,
  createTestCore,
  encryptionKeys,
  noon,
  referencing,
  type TestCore,
} from './support/test-core.js';

let world: TestCore;
/** Separate processes from the view of the database. */
let others: { readonly database: Database; readonly core: PaymentCore }[] = [];
beforeAll(async () => {
  world = await createTestCore();
  others = await Promise.all(
    [1, 2, 3].map(async () => {
      const database = await openDatabase({ url: world.database.url }, { logger: pino({ enabled: false }) });
      const core = await createPaymentCore({
        sql: database.sql,
        environment: 'test',
        encryptionKeys,
        clock: () => noon,
      });
      return { database, core };
    }),
  );
});
afterAll(async () => {
  await Promise.all(others.map(({ database }) => database.close()));
  await world.drop();
});

/** Fifty requests at once, over several cores. */
function fifty<T>(make: (core: PaymentCore, index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(
    Array.from({ length: 50 }, (_, index) => make((others[index % 3] ?? world).core, index)),
  );
}

const codes = (responses: readonly { readonly result: { readonly code: string } }[]) => {
  const counted = new Map<string, number>();
  for (const { result } of responses) counted.set(result.code, (counted.get(result.code) ?? 0) + 1);
  return Object.fromEntries(counted);
};

async function stored(id: string): Promise<Record<string, string>> {
  const rows = await world.database.database.sql<{ type: string; sum: string }[]>`
    select payment_type as type, sum(amount_minor)::text as sum from payments
    where referenced_payment_id = ${id} and outcome = 'SUCCESS' group by payment_type`;
  return Object.fromEntries(rows.map(({ type, sum }) => [type, sum]));
}

const create = async (type: 'PA' | 'DB' | 'CD') => (await world.core.payments.create(cardPayment(type))).id;

describe('fifty at once', () => {
  test('captures of 30 on 100: exactly three', async () => {
    const id = await create('PA');
    const answers = await fifty((core) => core.payments.reference(id, referencing('CP', '30.00')));
    expect(codes(answers)).toEqual({ '000.100.110': 3, '700.400.100': 47 });
    expect(await stored(id)).toEqual({ CP: '9000' });
  });

  test('refunds of 30 on 100: exactly three', async () => {
    const id = await create('DB');
    const answers = await fifty((core) => core.payments.reference(id, referencing('RF', '30.00')));
    expect(codes(answers)).toEqual({ '000.100.110': 3, '700.400.200': 47 });
    expect(await stored(id)).toEqual({ RF: '9000' });
  });

  test('partial and full captures mixed never exceed', async () => {
    const id = await create('PA');
    await fifty((core, index) =>
      core.payments.reference(id, referencing('CP', index % 5 === 0 ? '100.00' : '7.00')),
    );
    expect(BigInt((await stored(id))['CP'] ?? '0')).toBeLessThanOrEqual(10_000n);
  });

  test('reversals: exactly one', async () => {
    const id = await create('DB');
    const answers = await fifty((core) => core.payments.reference(id, referencing('RV', '100.00')));
    expect(codes(answers)).toEqual({ '000.100.110': 1, '700.300.300': 49 });
  });

  test('reversal against capture: one of the two', async () => {
    const id = await create('PA');
    await fifty((core, index) =>
      core.payments.reference(id, referencing(index % 2 === 0 ? 'RV' : 'CP', '100.00')),
    );
    expect(Object.values(await stored(id))).toEqual(['10000']);
  });

  test('captures and refunds of captures at the same time keep both bounds', async () => {
    const id = await create('PA');
    const first = await world.core.payments.reference(id, referencing('CP', '20.00'));
    await fifty((core, index) =>
      index % 2 === 0
        ? core.payments.reference(id, referencing('CP', '9.00'))
        : core.payments.reference(first.id, referencing('RF', '3.00')),
    );
    expect(await stored(id)).toEqual({ CP: '9200' });
    expect(await stored(first.id)).toEqual({ RF: '1800' });
  });

  test.each([1, 7, 8, 9, 20])(
    'refunds by the ids of a capture and of its PA, after %i payments that follow each other: exactly one',
    async (length) => {
      let referenceUuid = await create('PA');
      for (let made = 1; made < length; made += 1) {
        ({ id: referenceUuid } = await world.core.payments.create(cardPayment('PA', { referenceUuid })));
      }
      const authorised = await world.core.payments.create(cardPayment('PA', { referenceUuid }));
      const capture = await world.core.payments.reference(authorised.id, referencing('CP', '100.00'));
      const answers = await fifty((core, index) =>
        core.payments.reference(index % 2 === 0 ? authorised.id : capture.id, referencing('RF', '60.00')),
      );
      expect(codes(answers)).toEqual({ '000.100.110': 1, '700.400.200': 49 });
    },
  );

  test('imported references in a circle neither end nor exceed anything', async () => {
    const { sql } = world.database.database;
    const ids = ['1'.repeat(32), '2'.repeat(32), '3'.repeat(32)] as const;
    const [first, second, third] = ids;
    await sql`
      insert into payments (id, payment_type, amount_minor, currency, result_code, requested_at, referenced_payment_id)
      values (${first}, 'DB', 10000, 'EUR', '000.000.000', '2026-11-18T10:00:00Z', ${second}),
        (${second}, 'DB', 10000, 'EUR', '000.000.000', '2026-11-18T10:00:00Z', ${first}),
        (${third}, 'DB', 10000, 'EUR', '000.000.000', '2026-11-18T10:00:00Z', ${first})`;
    const answers = await fifty((core, index) =>
      core.payments.reference(ids[index % 3] ?? first, referencing('RF', '60.00')),
    );
    expect(codes(answers)).toEqual({ '000.100.110': 3, '700.400.200': 47 });
  });

  test('refunds, reversals and chargebacks of a debit never exceed it together', async () => {
    const id = await create('DB');
    await fifty((core, index) => {
      if (index % 3 === 0) return core.payments.reference(id, referencing('RF', '60.00'));
      if (index % 3 === 1) return core.payments.reference(id, referencing('RV', '100.00'));
      return core.chargebacks.book(id, { amount: '100.00', currency: 'EUR' });
    });
    const sums = await stored(id);
    expect(BigInt(sums['RF'] ?? '0') + BigInt(sums['RV'] ?? '0')).toBeLessThanOrEqual(10_000n);
    const [chargebacks] = await world.database.database.sql<{ n: bigint }[]>`
      select count(*) as n from payments where referenced_payment_id = ${id} and payment_type = 'CB'`;
    expect(Number(chargebacks?.n)).toBeLessThanOrEqual(1);
  });

  test('imported payments have the same limits, including earlier refunds', async () => {
    const { sql } = world.database.database;
    const debit = 'a'.repeat(32);
    await sql`
      insert into payments (id, payment_type, amount_minor, currency, result_code, requested_at, referenced_payment_id)
      values (${debit}, 'DB', 10000, 'EUR', '000.000.000', '2026-11-18T10:00:00Z', null),
        (${'b'.repeat(32)}, 'RF', 5000, 'EUR', '000.000.000', '2026-11-19T10:00:00Z', ${debit})`;
    const answers = await fifty((core) => core.payments.reference(debit, referencing('RF', '20.00')));
    expect(codes(answers)).toEqual({ '000.100.110': 2, '700.400.200': 48 });
    expect(await stored(debit)).toEqual({ RF: '9000' });
  });

  test('use and deletion of a registration: no use after the deletion', async () => {
    const { registrationId = '' } = await world.core.payments.create(
      cardPayment('DB', { createRegistration: 'true' }),
    );
    const pay = { paymentType: 'DB', amount: '1.00', currency: 'EUR' };
    const answers = await fifty<ErrorResponse>((core, index) =>
      index === 25 ? core.registrations.delete(registrationId) : core.registrations.pay(registrationId, pay),
    );
    expect(Object.keys(codes(answers)).sort()).toEqual(
      codes(answers)['100.150.202'] === undefined ? ['000.100.110'] : ['000.100.110', '100.150.202'],
    );
    const events = await world.database.database.sql<{ kind: string }[]>`
      select type || ' ' || action as kind from payment_events
      where payload ->> 'registrationId' = ${registrationId} or resource_id = ${registrationId}
      order by sequence`;
    expect(events.at(-1)?.kind).toBe('REGISTRATION DELETED');
  });
});
