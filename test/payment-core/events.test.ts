import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bookChargebacks, decryptNotification, encryptNotification } from '../../src/payment-core/index.js';
import {
  cardPayment,
  createTestCore,
  referencing,
  type TestCore,
  shopperResultUrl,
} from './support/test-core.js';

let world: TestCore;
beforeAll(async () => {
  world = await createTestCore();
});
afterAll(() => world.drop());

/** Reads and acknowledges everything. */
async function drain() {
  const events = await world.core.events.read({ limit: 500 });
  await world.core.events.acknowledge(events.map(({ sequence }) => sequence));
  return events;
}

describe('notifications', () => {
  test('report every creation and change in order, with the payment response as payload', async () => {
    await drain();
    const { payments } = world.core;
    const authorised = await payments.create(cardPayment('PA'));
    const captured = await payments.reference(authorised.id, referencing('CP', '60.00'));
    const pending = await payments.create(
      cardPayment('DB', { 'card.holder': 'SIMULATE REDIRECT', shopperResultUrl }),
    );
    const completed = await payments.complete(pending.id, { resultCode: '000.000.000' });
    await payments.complete(pending.id, { resultCode: '000.000.000' });
    const events = await world.core.events.read();
    expect(events.map(({ type, action, payload }) => [type, action, payload])).toEqual([
      ['PAYMENT', 'CREATED', authorised],
      ['PAYMENT', 'CREATED', { ...captured, referencedId: authorised.id }],
      ['PAYMENT', 'CREATED', pending],
      ['PAYMENT', 'UPDATED', completed],
    ]);
  });

  test('for the notificationUrl of a payment wait for its outcome, whatever was pending before', async () => {
    const { payments } = world.core;
    const notificationUrl = 'https://shop.example/notify';
    const pending = await payments.create(
      cardPayment('DB', { 'card.holder': 'SIMULATE REDIRECT', shopperResultUrl, notificationUrl }),
    );
    const queued = async () => {
      const rows = await world.database.database.sql`
        select url, resource_id as id, resource_path as path from status_updates where payment_id = ${pending.id}`;
      return [...rows];
    };
    await payments.complete(pending.id, { resultCode: '000.200.100' });
    expect(await queued()).toEqual([]);
    await payments.complete(pending.id, { resultCode: '000.000.000' });
    const path = `/v1/payments/${pending.id}`;
    expect(await queued()).toEqual([{ url: notificationUrl, id: pending.id, path }]);
  });

  test('are returned until they are acknowledged, and then no more', async () => {
    await drain();
    await world.core.payments.create(cardPayment('DB'));
    const [first] = await world.core.events.read();
    expect(await world.core.events.read()).toEqual([first]);
    expect(await world.core.events.acknowledge([first?.sequence ?? ''])).toEqual({ acknowledged: 1 });
    expect(await world.core.events.acknowledge([first?.sequence ?? ''])).toEqual({ acknowledged: 0 });
    expect(await world.core.events.read()).toEqual([]);
    expect(await world.core.events.acknowledge(['x', '-1', '9'.repeat(40)])).toEqual({ acknowledged: 0 });
  });

  test('of refused requests do not exist', async () => {
    await drain();
    const { id } = await world.core.payments.create(cardPayment('DB'));
    await world.core.payments.reference(id, referencing('CP', '1.00'));
    await world.core.payments.create({});
    expect(await drain()).toHaveLength(1);
  });

  test('carry the presentation amount', async () => {
    await drain();
    await world.core.payments.create(
      cardPayment('DB', { 'forex.amount': '110.00', 'forex.currency': 'USD' }),
    );
    const [event] = await drain();
    expect(event?.payload).toMatchObject({ presentationAmount: '110.00', presentationCurrency: 'USD' });
  });

  test('exist once for every payment that fifty simultaneous requests create', async () => {
    await drain();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => world.core.payments.create(cardPayment('DB'))),
    );
    const events = await drain();
    expect(events.map(({ payload }) => payload.id).sort()).toEqual(answers.map(({ id }) => id).sort());
  });

  test('are written for chargebacks that the reconciliation books, in its transaction', async () => {
    await drain();
    const { id } = await world.core.payments.create(cardPayment('DB'));
    await drain();
    const { sql } = world.database.database;
    const booking = {
      id: 'c'.repeat(32),
      paymentType: 'CB',
      referencedPaymentId: id,
      amountMinor: 10_000n,
      currency: 'EUR',
      reasonCode: '000.100.220',
      bookedAt: '2026-11-19T00:00:00Z',
    } as const;
    await sql.begin((tx) => bookChargebacks(tx, [booking]));
    await sql.begin((tx) => bookChargebacks(tx, [booking]));
    expect(await drain()).toMatchObject([
      {
        type: 'PAYMENT',
        action: 'CREATED',
        payload: { id: booking.id, paymentType: 'CB', referencedId: id, result: { code: '000.100.220' } },
      },
    ]);
    const undone = sql.begin(async (tx) => {
      await bookChargebacks(tx, [{ ...booking, id: 'd'.repeat(32) }]);
      throw new Error('rolled back');
    });
    await expect(undone).rejects.toThrow('rolled back');
    expect(await drain()).toEqual([]);
  });
});

describe('the queues', () => {
  const connector = { name: 'acquirer', process: () => Promise.resolve({ resultCode: '000.000.000' }) };

  test('of live and test are separate', async () => {
    const live = await world.open({ environment: 'live', connectors: { default: connector } });
    await drain();
    const inLive = await live.payments.create(cardPayment('DB'));
    const inTest = await world.core.payments.create(cardPayment('DB'));
    const [liveEvents, testEvents] = [await live.events.read(), await world.core.events.read()];
    expect(liveEvents.map(({ environment, payload }) => [environment, payload.id])).toEqual([
      ['live', inLive.id],
      ['live', inLive.id],
    ]);
    expect(testEvents.map(({ environment, payload }) => [environment, payload.id])).toEqual([
      ['test', inTest.id],
    ]);
    const all = [...liveEvents, ...testEvents].map(({ sequence }) => sequence);
    expect(await world.core.events.acknowledge(all)).toEqual({ acknowledged: 1 });
    expect(await live.events.read()).toHaveLength(2);
  });

  test('say by their type what their payload is, to the compiler too', async () => {
    await drain();
    await world.core.payments.create(cardPayment('DB'));
    const [event] = await drain();
    // A registration has no amount.
    expect(event?.type === 'PAYMENT' ? event.payload.amount : event?.payload.account).toBe('100.00');
  });

  test('show a caller only the events of its entities, and acknowledge only these', async () => {
    await drain();
    const mine = { entityIds: ['a'.repeat(32)] };
    const other = { entityIds: ['b'.repeat(32)] };
    const { id } = await world.core.payments.create(cardPayment('DB'), mine);
    await world.core.payments.reference(id, referencing('RF', '1.00'), mine);
    await world.core.payments.create(cardPayment('DB'));
    expect(await world.core.events.read({}, other)).toEqual([]);
    const events = await world.core.events.read({}, mine);
    expect(events).toHaveLength(2);
    const sequences = events.map(({ sequence }) => sequence);
    expect(await world.core.events.acknowledge(sequences, other)).toEqual({ acknowledged: 0 });
    expect(await world.core.events.acknowledge(sequences, mine)).toEqual({ acknowledged: 2 });
    expect(await world.core.events.read()).toHaveLength(1);
  });

  test('both get the chargeback of a payment that only an import stored', async () => {
    const live = await world.open({ environment: 'live', connectors: { default: connector } });
    await drain();
    const { sql } = world.database.database;
    const imported = 'e'.repeat(32);
    await sql`
      insert into payments (id, payment_type, amount_minor, currency, result_code, requested_at, entity_id)
      values (${imported}, 'DB', '100', 'EUR', '000.000.000', '2026-11-01T00:00:00Z', ${'a'.repeat(32)})`;
    const booking = {
      id: 'f'.repeat(32),
      paymentType: 'CB',
      referencedPaymentId: imported,
      amountMinor: 100n,
      currency: 'EUR',
      reasonCode: '000.100.220',
      bookedAt: '2026-11-19T00:00:00Z',
    } as const;
    await sql.begin((tx) => bookChargebacks(tx, [booking]));
    for (const one of [world.core, live]) {
      const events = await one.events.read({}, { entityIds: ['a'.repeat(32)] });
      const booked = events.filter(({ payload }) => payload.id === booking.id);
      expect(booked).toHaveLength(1);
      await one.events.acknowledge(booked.map(({ sequence }) => sequence));
    }
  });

  test('refuse what is not a list of sequences, so that it is not taken for one that changes nothing', async () => {
    const acknowledge = (given: unknown) => world.core.events.acknowledge(given as never);
    for (const given of [undefined, null, '7', 7, [7], ['7', null]]) {
      await expect(acknowledge(given)).rejects.toMatchObject({ name: 'ReconError', code: 'USAGE_INVALID' });
    }
    expect(await acknowledge(['\ud800'])).toEqual({ acknowledged: 0 });
  });
});

describe('an encrypted notification', () => {
  const key = '0f'.repeat(32);

  test('opens with its key, whatever its content', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (payload) => {
        const sent = encryptNotification({ payload }, key);
        // JSON cannot carry an own __proto__, so both sides are compared as JSON.
        expect(JSON.stringify(decryptNotification(sent, key))).toBe(JSON.stringify({ payload }));
      }),
    );
  });

  test('does not open when any bit of it is flipped, with another key, or a shorter tag', () => {
    const sent = encryptNotification({ type: 'PAYMENT' }, key);
    const flip = (hex: string, bit: number) => {
      const bytes = Buffer.from(hex, 'hex');
      bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      return bytes.toString('hex');
    };
    const opened: unknown[] = [];
    for (let bit = 0; bit < sent.body.length * 4; bit += 1) {
      opened.push(decryptNotification({ ...sent, body: flip(sent.body, bit) }, key));
    }
    for (const name of ['X-Initialization-Vector', 'X-Authentication-Tag'] as const) {
      for (let bit = 0; bit < sent.headers[name].length * 4; bit += 1) {
        const headers = { ...sent.headers, [name]: flip(sent.headers[name], bit) };
        opened.push(decryptNotification({ ...sent, headers }, key));
      }
    }
    const tag = sent.headers['X-Authentication-Tag'];
    for (const shorter of [tag.slice(0, 8), tag.slice(0, 24), '', 'zz']) {
      const headers = { ...sent.headers, 'X-Authentication-Tag': shorter };
      opened.push(decryptNotification({ ...sent, headers }, key));
    }
    opened.push(decryptNotification(sent, 'f0'.repeat(32)));
    expect(opened.filter((one) => one !== undefined)).toEqual([]);
  });

  test('that is no notification does not open, and a key of another form is refused', () => {
    // A receiver passes what it got.
    const decrypt = decryptNotification as (...given: unknown[]) => unknown;
    const sent = encryptNotification({ type: 'PAYMENT' }, key);
    const malformed = [undefined, null, 5, 'x', [], {}, { ...sent, body: 5 }, { ...sent, headers: null }];
    expect(malformed.map((given) => decrypt(given, key))).toEqual(malformed.map(() => undefined));
    for (const wrong of [undefined, null, 5, '', 'whsec_x', `${key}0f`]) {
      const refusal = { name: 'ReconError', code: 'USAGE_INVALID' };
      expect(() => decrypt(sent, wrong)).toThrow(expect.objectContaining(refusal));
      expect(() => (encryptNotification as typeof decrypt)({}, wrong)).toThrow(
        expect.objectContaining(refusal),
      );
    }
  });
});
