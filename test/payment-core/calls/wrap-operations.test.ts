/* eslint-disable @typescript-eslint/unbound-method -- operations are arrow functions; taken off their group to break their types */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ReconError } from '../../../src/errors.js';
import { operations, validateParameters, type PaymentCore } from '../../../src/payment-core/index.js';
import { card, cardPayment, createTestCore, encryptionKeys, type TestCore } from '../support/test-core.js';

let world: TestCore;
let core: PaymentCore;
beforeAll(async () => {
  world = await createTestCore();
  core = world.core;
});
afterAll(() => world.drop());

/** A value of a type other than the required one: programs in JavaScript can send anything. */
type Loose = (...given: unknown[]) => Promise<{ readonly result: { readonly code: string } }>;
// The purpose of these tests is to break the types.
const loose = (call: unknown) => call as Loose;

const throwing = {
  get amount(): string {
    throw new Error('4200000000000000');
  },
};
const hostileParameters: Readonly<Record<string, unknown>> = {
  'a missing record': undefined,
  null: null,
  'a text': 'amount=1.00',
  'a number': 7,
  'a getter that throws': throwing,
  'eight million digits': { amount: '1'.repeat(8_000_000) },
  'eight million digits in free text': { 'card.holder': '1'.repeat(8_000_000) },
  'a custom parameter of 8 MB': { 'customParameters[x]': '1-'.repeat(4_000_000) },
  '100,000 parameters': Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`p${n}`, 'x'])),
  'a value with NUL': { amount: '1.00\u0000' },
  'half of a character': { 'card.holder': 'Jane \ud800' },
  'values that are not texts': { amount: 1, currency: ['EUR'], paymentType: { toString: () => 'DB' } },
};

const hostileIds: Readonly<Record<string, unknown>> = {
  'with NUL': 'a\u0000b',
  'with half of a character': '\ud800',
  'of 10 MB': 'a'.repeat(10_000_000),
  'that is empty': '',
  'that is missing': undefined,
  'that is null': null,
  'that is a number': 7,
  'that is an object': { id: 1 },
};

/** Operations that take parameters, with the position of the parameters. */
const takeParameters = (): readonly (readonly [string, (given: unknown) => ReturnType<Loose>])[] => [
  ['payments.create', (p) => loose(core.payments.create)(p)],
  ['payments.reference', (p) => loose(core.payments.reference)('0'.repeat(32), p)],
  ['registrations.create', (p) => loose(core.registrations.create)(p)],
  ['registrations.pay', (p) => loose(core.registrations.pay)('0'.repeat(32), p)],
  ['checkouts.create', (p) => loose(core.checkouts.create)(p)],
  ['checkouts.update', (p) => loose(core.checkouts.update)(checkoutId, p)],
  ['checkouts.pay', (p) => loose(core.checkouts.pay)(checkoutId, p)],
  ['chargebacks.book', (p) => loose(core.chargebacks.book)('0'.repeat(32), p)],
  ['chargebacks.reverse', (p) => loose(core.chargebacks.reverse)('0'.repeat(32), p)],
  ['migrations.create', (p) => loose(core.migrations.create)(p)],
  ['query', (p) => loose(core.query)(p)],
  ['reporting.summary', (p) => loose(core.reporting.summary)(p)],
  ['reporting.details', (p) => loose(core.reporting.details)(p)],
  ['jobs.create', (p) => loose(core.jobs.create)('0'.repeat(32), p)],
  ['jobs.update', (p) => loose(core.jobs.update)('0'.repeat(32), p)],
];

let checkoutId = '';
beforeAll(async () => {
  checkoutId = (await core.checkouts.create({ paymentType: 'DB', amount: '1.00', currency: 'EUR' })).id;
});

const chargeback = { amount: '1.00', currency: 'EUR' };
const capture = { paymentType: 'CP', amount: '1.00', currency: 'EUR' };
const job = { amount: '1.00', currency: 'EUR', 'job.expression': '0 0 6 1 * ? *' };
const oneClick = { paymentType: 'DB', amount: '1.00', currency: 'EUR' };

/** Operations that take an id, with the answer to one that does not exist. */
const takeIds = (): readonly (readonly [string, (id: unknown) => ReturnType<Loose>, string])[] => [
  ['payments.get', (id) => loose(core.payments.get)(id), '700.400.580'],
  ['payments.reference', (id) => loose(core.payments.reference)(id, capture), '700.400.580'],
  [
    'payments.complete',
    (id) => loose(core.payments.complete)(id, { resultCode: '000.000.000' }),
    '700.400.580',
  ],
  ['registrations.get', (id) => loose(core.registrations.get)(id), '100.150.200'],
  ['registrations.delete', (id) => loose(core.registrations.delete)(id), '100.150.200'],
  ['registrations.pay', (id) => loose(core.registrations.pay)(id, oneClick), '100.150.200'],
  ['checkouts.get', (id) => loose(core.checkouts.get)(id), '200.300.406'],
  ['checkouts.update', (id) => loose(core.checkouts.update)(id, { amount: '2.00' }), '200.300.406'],
  ['checkouts.pay', (id) => loose(core.checkouts.pay)(id, card), '200.300.406'],
  ['chargebacks.book', (id) => loose(core.chargebacks.book)(id, chargeback), '700.400.580'],
  ['chargebacks.reverse', (id) => loose(core.chargebacks.reverse)(id, chargeback), '700.400.580'],
  ['jobs.create', (id) => loose(core.jobs.create)(id, job), '100.150.200'],
  ['jobs.get', (id) => loose(core.jobs.get)(id), '200.300.406'],
  ['jobs.update', (id) => loose(core.jobs.update)(id, { amount: '2.00' }), '200.300.406'],
  ['jobs.delete', (id) => loose(core.jobs.delete)(id), '200.300.406'],
];

describe('every operation', () => {
  test('that can be limited is in one of the tables here', () => {
    const covered = new Set([...takeParameters(), ...takeIds()].map(([name]) => name));
    expect(operations.filter((name) => !covered.has(name))).toEqual([]);
  });

  test.each(Object.entries(hostileParameters))(
    'answers to %s with 200.300.404',
    async (_what, parameters) => {
      for (const [name, call] of takeParameters()) {
        const { result } = await call(parameters);
        // An empty partial request is valid and finds nothing.
        expect([name, result.code]).toEqual([name, '200.300.404']);
      }
    },
  );

  test.each(Object.entries(hostileIds))(
    'answers to an id %s as to an id that does not exist',
    async (_what, id) => {
      for (const [name, call, code] of takeIds()) {
        expect([name, (await call(id)).result.code]).toEqual([name, code]);
      }
      expect(core.checkouts.script(id as string)).not.toContain('\u0000');
    },
  );

  test.each([
    ['null', null],
    ['a text', 'a'.repeat(32)],
    ['entities that are not a list', { entityIds: 'a'.repeat(32) }],
    ['a misspelt name of the entities', { entityIDs: ['a'.repeat(32)] }],
    ['an entity instead of a list of entities', { entityId: 'a'.repeat(32) }],
    ['entities that are not texts', { entityIds: [7, null, 'a\u0000', '\ud800'] }],
  ])('finds nothing for a caller that is %s', async (_what, caller) => {
    const { id } = await core.payments.create(cardPayment('DB', { entityId: 'a'.repeat(32) }));
    expect((await loose(core.payments.get)(id, caller)).result.code).toBe('700.400.580');
  });

  test('reads its parameters before it returns, each once', async () => {
    const changing: Record<string, string> = { ...cardPayment('DB', { amount: '1.00' }) };
    const going = core.payments.create(changing);
    changing['amount'] = '1000000.00';
    expect(await going).toMatchObject({ amount: '1.00', result: { code: '000.100.110' } });

    let reads = 0;
    const unsteady = {
      ...cardPayment('DB'),
      get amount() {
        reads += 1;
        return reads === 1 ? '1.00' : '1000000.00';
      },
    };
    expect((await core.payments.create(unsteady)).amount).toBe('1.00');
    expect(reads).toBe(1);
  });

  test('refuses pages, limits and registrations of any other type', async () => {
    const dates = { 'date.from': '2026-11-01', 'date.to': '2026-11-20' };
    const asked: readonly (readonly [unknown, string])[] = [
      [await loose(core.query)({}, { after: 7 }), '200.300.404'],
      [await loose(core.query)({}, 'x'), '200.300.404'],
      [await loose(core.reporting.details)(dates, { settlementCurrency: 'E\u0000R' }), '200.300.404'],
      [await loose(core.reporting.details)(dates, { limit: 'all' }), '200.300.404'],
      [await loose(core.reporting.details)(dates, { limit: Number.NaN }), '200.300.404'],
      [await loose(core.checkouts.pay)(checkoutId, {}, { registrationId: 'a\u0000' }), '100.150.200'],
    ];
    for (const [answer, code] of asked) expect(answer).toMatchObject({ result: { code } });
  });
});

describe('the pure validation', () => {
  test('accepts the same inputs without throwing', () => {
    for (const parameters of Object.values(hostileParameters)) {
      const errors = validateParameters('payment', parameters as Record<string, unknown>, {
        environment: 'test',
      });
      expect(errors.length).toBeGreaterThan(0);
    }
  });
});

describe('what is thrown', () => {
  test('is a ReconError for a missing key, without any of the sealed text', async () => {
    const { id } = await core.registrations.create({
      paymentBrand: 'VISA',
      'card.number': '4200000000000000',
      'card.expiryMonth': '05',
      'card.expiryYear': '2034',
    });
    const other = await world.open({
      encryptionKeys: { ...encryptionKeys, current: 'second', keys: { second: '22'.repeat(32) } },
    });
    const wrong = await world.open({
      encryptionKeys: { ...encryptionKeys, keys: { first: '44'.repeat(32) } },
    });
    for (const [one, word] of [
      [other, 'has no key first'],
      [wrong, 'cannot be opened with the key first'],
    ] as const) {
      const failure = await one.registrations.pay(id, oneClick).catch((thrown: unknown) => thrown);
      expect(failure).toBeInstanceOf(ReconError);
      expect(failure).toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining(word) as string,
      });
    }
    await expect(other.secrets.rotateKeys()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('is a ReconError for a defect in what was passed to the core, and quotes nothing', async () => {
    const broken = await world.open({
      schemeOf: () => {
        throw new RangeError('4200000000000000');
      },
    });
    const failure = await broken.payments.create(cardPayment('DB')).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ name: 'ReconError', code: 'INTERNAL_ERROR' });
    expect(
      JSON.stringify([String(failure), (failure as Error).cause, (failure as Error).stack]),
    ).not.toContain('4200000000000000');
  });
});

test('wrong arguments of the stored payments are named as such, and not as a defect', async () => {
  const { import: load, export: write, bookChargebacks } = core.storedPayments;
  const booking = { id: 'x', paymentType: 'CB', referencedPaymentId: 'y', amountMinor: 1 };
  for (const call of [
    () => loose(load)(),
    () => loose(write)('payments.csv'),
    () => loose(write)(),
    () => loose(bookChargebacks)(),
    () => loose(bookChargebacks)([null]),
    () => loose(bookChargebacks)([booking]),
  ]) {
    await expect(call()).rejects.toMatchObject({ name: 'ReconError', code: 'USAGE_INVALID' });
  }
});

describe('throttling', () => {
  test('counts before any other check, also for a paid checkout and invalid input', async () => {
    const throttling = Object.fromEntries(
      operations.map((name) => [name, { requests: 1, windowSeconds: 60 }]),
    );
    const { id } = await core.checkouts.create({ paymentType: 'DB', amount: '1.00', currency: 'EUR' });
    await core.checkouts.pay(id, card);
    const limited = await world.open({ throttling, environment: 'test' });
    expect((await limited.checkouts.pay(id, card)).result.code).toBe('800.110.100');
    expect((await limited.checkouts.pay(id, card)).result.code).toBe('800.120.100');
    expect((await loose(limited.payments.create)(null)).result.code).toBe('200.300.404');
    expect((await loose(limited.payments.create)(null)).result.code).toBe('800.120.100');
    expect((await loose(limited.payments.get)('a\u0000')).result.code).toBe('700.400.580');
    expect((await loose(limited.payments.get)('a\u0000')).result.code).toBe('800.120.100');
  });
});
