import { PassThrough } from 'node:stream';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDatabaseUrl } from '../../src/db/connection/connection-address.js';
import { createPaymentCore, exportPayments, type PaymentCore } from '../../src/payment-core/index.js';
import {
  card,
  cardPayment,
  createTestCore,
  encryptionKeys,
  referencing,
  type TestCore,
} from './support/test-core.js';

let world: TestCore;
beforeAll(async () => {
  world = await createTestCore();
});
afterAll(() => world.drop());

const mine = 'a'.repeat(32);
const other = 'b'.repeat(32);

describe('a caller', () => {
  test('acts for its own entities only', async () => {
    const { payments } = world.core;
    const caller = { entityIds: [mine] };
    const foreign = await payments.create(cardPayment('DB', { entityId: other }), caller);
    expect(foreign.result.code).toBe('800.900.201');
    const own = await payments.create(cardPayment('DB'), caller);
    expect((await world.core.query({ entityId: mine })).payments).toHaveLength(1);
    const stranger = { entityIds: [other] };
    const unknown = await payments.get('0'.repeat(32), stranger);
    const hidden = await payments.get(own.id, stranger);
    expect(hidden.result).toEqual(unknown.result);
    const refund = referencing('RF', '1.00');
    expect((await payments.reference(own.id, refund, stranger)).result.code).toBe('700.400.580');
    expect((await payments.complete(own.id, { resultCode: '000.000.000' }, stranger)).result.code).toBe(
      '700.400.580',
    );
    expect((await payments.reference(own.id, refund, caller)).result.code).toBe('000.100.110');
  });

  test('of several entities must say for which one it acts', async () => {
    const response = await world.core.payments.create(cardPayment('DB'), { entityIds: [mine, other] });
    expect(response.result.code).toBe('800.900.201');
  });

  test.each([
    ['of several entities', { entityIds: [mine, other] }],
    ['that sees everything', undefined],
  ])('%s takes, adds and books only for the entity of the payment', async (_who, caller) => {
    const { payments, chargebacks, storedPayments } = world.core;
    const { id } = await payments.create(cardPayment('PA', { entityId: mine }), caller);
    const capture = referencing('CP', '1.00', { entityId: other });
    expect((await payments.reference(id, capture, caller)).result.code).toBe('700.400.580');
    const byParameter = [
      { ...capture, referenceUuid: id },
      cardPayment('PA', { entityId: other, referenceUuid: id }),
    ];
    for (const request of byParameter) {
      const { result } = await payments.create(request, caller);
      expect(result).toMatchObject({ code: '200.300.404', parameterErrors: [{ name: 'referenceUuid' }] });
    }
    const own = await payments.reference(id, { ...capture, entityId: mine }, caller);
    expect((await storedPayments.find(own.id))?.entityId).toBe(mine);
    const booked = (entityId: string) => chargebacks.book(own.id, { entityId }, caller);
    expect((await booked(other)).result.code).toBe('700.400.580');
    expect((await booked(mine)).result.code).toBe('000.100.200');
  });

  test('names the entity of an imported payment that has none', async () => {
    const { payments, storedPayments } = world.core;
    const { id } = await payments.create(cardPayment('DB'));
    const refund = await payments.reference(id, referencing('RF', '1.00', { entityId: mine }));
    expect((await storedPayments.find(refund.id))?.entityId).toBe(mine);
  });

  test('of several entities does not move a checkout or a job to another one', async () => {
    const { payments, checkouts, jobs } = world.core;
    const both = { entityIds: [mine, other] };
    const amount = { amount: '5.00', currency: 'EUR' };
    const checkout = await checkouts.create({ paymentType: 'DB', ...amount, entityId: mine }, both);
    const first = cardPayment('DB', { createRegistration: 'true', entityId: mine });
    const { registrationId = '' } = await payments.create(first, both);
    const time = { 'job.expression': '0 0 6 1 * ? *' };
    const job = await jobs.create(registrationId, { ...amount, ...time, entityId: mine }, both);
    const toOther = { amount: '6.00', entityId: other };
    for (const { result } of [
      await checkouts.update(checkout.id, toOther, both),
      await jobs.update(job.id, { ...toOther, currency: 'EUR' }, both),
    ]) {
      const parameterErrors = [{ name: 'entityId', value: other, message: 'entityId cannot be changed' }];
      expect(result).toMatchObject({ code: '200.300.404', parameterErrors });
    }
    const toMine = { amount: '6.00', currency: 'EUR', entityId: mine };
    expect((await jobs.update(job.id, toMine, both)).result.code).toBe('000.000.100');
    expect((await checkouts.update(checkout.id, toMine, both)).result.code).toBe('000.200.101');
    const paid = await checkouts.pay(checkout.id, card, { fromShopper: true });
    expect(paid).toMatchObject({ amount: '6.00', result: { code: '000.100.110' } });
  });
});

describe('an idempotency key', () => {
  const third = 'c'.repeat(32);

  test('belongs to the entity that the request names', async () => {
    const { payments } = world.core;
    const order = cardPayment('DB', { entityId: mine });
    const key = { idempotencyKey: 'order-000001' };
    const first = await payments.create(order, { entityIds: [mine, other], ...key });
    const again = await payments.create(order, { entityIds: [mine, third], ...key });
    const alone = await payments.create(order, { entityIds: [mine], ...key });
    expect([again.id, alone.id]).toEqual([first.id, first.id]);
    const anothers = await payments.create(
      { ...order, entityId: third },
      { entityIds: [other, third], ...key },
    );
    expect(anothers.result.code).toBe('000.100.110');
    expect(anothers.id).not.toBe(first.id);
  });

  test('is refused with another card of a wallet, and not with another security code', async () => {
    const { payments } = world.core;
    const caller = { entityIds: [mine], idempotencyKey: 'wallet-0001' };
    const payBy = (token: string) =>
      payments.create(
        {
          ...{ paymentType: 'DB', paymentBrand: 'WALLET', amount: '1.00', currency: 'EUR' },
          'walletA.paymentToken': token,
        },
        caller,
      );
    const first = await payBy('token-of-the-first-card-Zm9v');
    expect((await payBy('token-of-the-first-card-Zm9v')).id).toBe(first.id);
    expect((await payBy('token-of-the-other-card-YmFy')).result).toMatchObject({
      code: '200.300.404',
      parameterErrors: [{ name: 'Idempotency-Key' }],
    });

    const byCard = { entityIds: [mine], idempotencyKey: 'card-0001' };
    const paid = await payments.create(cardPayment('DB', { 'card.cvv': '123' }), byCard);
    expect((await payments.create(cardPayment('DB', { 'card.cvv': '321' }), byCard)).id).toBe(paid.id);
  });

  test.each([
    ['of other entities', [other, third]],
    [
      'of a hundred entities',
      Array.from({ length: 100 }, (_, index) => index.toString(16).padStart(32, '0')),
    ],
    ['without an entity', []],
  ])('shows a caller %s no answer that was given to another one', async (_who, entityIds) => {
    const { payments, registrations } = world.core;
    const key = { idempotencyKey: `order-${entityIds.length}` };
    const order = cardPayment('DB', { entityId: mine });
    for (const caller of [{ entityIds: [mine, third], ...key }, key]) {
      expect((await payments.create(order, caller)).result.code).toBe('000.100.110');
    }
    expect((await payments.create(order, { entityIds, ...key })).result.code).toBe('800.900.201');

    const { id } = await registrations.create({ ...card, entityId: mine });
    const once = { idempotencyKey: `end-${entityIds.length}` };
    await registrations.delete(id, { entityIds: [mine, third], ...once });
    expect((await registrations.delete(id, { entityIds, ...once })).result.code).toBe('100.150.200');
  });
});

describe('an unusable idempotency key', () => {
  test.each(['', 'k'.repeat(256), 'a\0', 5])('%j is refused, and nothing is paid', async (key) => {
    const merchantTransactionId = `unusable-${String(key).length}-${typeof key}`;
    const payment = cardPayment('DB', { merchantTransactionId });
    // A plain JavaScript program may pass any type.
    const { result } = await world.core.payments.create(payment, { idempotencyKey: key as string });
    expect(result.code).toBe('200.300.404');
    expect(result.parameterErrors).toEqual([
      {
        name: 'Idempotency-Key',
        value: null,
        message: 'Idempotency-Key must have 1 to 255 characters',
      },
    ]);
    expect((await world.core.query({ merchantTransactionId })).payments ?? []).toHaveLength(0);
  });
});

describe('names that try to reach a prototype', () => {
  test.each(['__proto__.x', '__proto__[x]', 'customParameters[__proto__]', 'constructor.prototype.x'])(
    '%s is a violation and changes nothing',
    async (name) => {
      const response = await world.core.payments.create({ ...cardPayment('DB'), [name]: 'polluted' });
      expect(response.result.code).toBe('200.300.404');
      expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    },
  );
});

describe('a core on the client of a program', () => {
  test('opens sessions like it, which do not ask for types: nothing catches that the server ends them then', async () => {
    const asked: string[] = [];
    const sql = postgres({
      ...readDatabaseUrl(world.database.url),
      types: { bigint: postgres.BigInt },
      max: 1,
      debug: (_connection, statement) => {
        if (statement.includes('typarray')) asked.push(statement);
      },
    });
    await sql`select 1`;
    expect(asked).toHaveLength(1);
    await exportPayments(sql, new PassThrough().resume());
    expect(asked).toHaveLength(1);
    await sql.end();
  });

  test('gets only errors with a code from an export', async () => {
    const sql = postgres({
      ...readDatabaseUrl(world.database.url),
      types: { bigint: postgres.BigInt },
      database: 'none',
    });
    await expect(exportPayments(sql, new PassThrough())).rejects.toMatchObject({
      name: 'ReconError',
      code: 'DATABASE_UNREACHABLE',
    });
    await sql.end();
  });

  test('reads the same as any other, whatever its types and the settings of its sessions', async () => {
    const sql = postgres({
      ...readDatabaseUrl(world.database.url),
      types: { bigint: postgres.BigInt },
      connection: { TimeZone: 'Asia/Tokyo', DateStyle: 'German' },
    });
    const core = await world.open({ sql });
    const { id, registration } = await core.payments.create(
      cardPayment('DB', { createRegistration: 'true', merchantTransactionId: 'own-client' }),
    );
    await core.payments.reference(id, referencing('RF', '1.00'));
    const registrationId = registration?.id ?? '';
    const job = await core.jobs.create(registrationId, {
      amount: '9.99',
      currency: 'EUR',
      'job.expression': '0 0 6 * * ? *',
    });
    const checkout = await core.checkouts.create({ paymentType: 'DB', amount: '5.00', currency: 'EUR' });
    const readings = (from: PaymentCore) =>
      Promise.all([
        from.storedPayments.find(id),
        from.payments.get(id),
        from.registrations.get(registrationId),
        from.jobs.get(job.id),
        from.checkouts.get(checkout.id),
        from
          .query({ merchantTransactionId: 'own-client', includeLinkedTransactions: 'true' })
          .then(({ payments }) => payments),
        from.events.read(),
      ]);
    // The identifiers of a request differ by nature.
    const comparable = async (from: PaymentCore) =>
      JSON.stringify(
        await readings(from),
        (name, value: unknown) => (typeof value === 'bigint' ? `${value}n` : name === 'ndc' ? '' : value),
        1,
      );
    expect(await comparable(core)).toBe(await comparable(world.core));
    expect((await core.storedPayments.find(id))?.requestedAt).toBe('2026-11-20 12:00:00+00');
    await sql`update payments set requested_at = '2026-11-20 12:00:00.0305Z' where id = ${id}`;
    expect((await core.storedPayments.find(id))?.requestedAt).toBe('2026-11-20 12:00:00.0305+00');
    await core.close();
    await sql.end();
  });

  test('that reads int8 as text is refused, because it would not compute with amounts', async () => {
    const sql = postgres({ ...readDatabaseUrl(world.database.url) });
    await expect(world.open({ sql: sql as never })).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message:
        'createPaymentCore: sql must read int8 as bigint (types: { bigint: postgres.BigInt }). Nothing was done.',
    });
    await sql.end();
  });
});

describe('a core that opens its own database', () => {
  test('by URL, and closes it', async () => {
    const core = await createPaymentCore({
      databaseUrl: world.database.url,
      environment: 'test',
      encryptionKeys,
    });
    const { id } = await core.payments.create(cardPayment('DB'));
    await core.close();
    expect((await world.core.payments.get(id)).id).toBe(id);
    await expect(core.payments.get(id)).rejects.toMatchObject({
      name: 'ReconError',
      code: 'USAGE_INVALID',
      message: 'The payment core was closed; open it again.',
    });
  });

  test('waits in close for a payment that its acquirer has not answered yet', async () => {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const core = await createPaymentCore({
      databaseUrl: world.database.url,
      environment: 'test',
      encryptionKeys,
      connectors: {
        default: {
          name: 'slow',
          process: async () => {
            asked();
            await answered;
            return { resultCode: '000.000.000' };
          },
        },
      },
    });
    const paying = core.payments.create(cardPayment('DB', { testMode: 'EXTERNAL' }));
    await isAsked;
    const closing = core.close();
    await expect(core.payments.create(cardPayment('DB'))).rejects.toMatchObject({ code: 'USAGE_INVALID' });
    answer();
    const { id, result } = await paying;
    expect(result.code).toBe('000.000.000');
    await closing;
    await core.close();
    expect((await world.core.payments.get(id)).result.code).toBe('000.000.000');
  });

  test('that does not exist is reported in words', async () => {
    const opening = createPaymentCore({
      databaseUrl: 'postgres://nobody@127.0.0.1:1/none',
      environment: 'test',
      encryptionKeys,
    });
    await expect(opening).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
  });
});
