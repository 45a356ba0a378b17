import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChargebackBooking } from '../../src/payment-core/index.js';
import { cardPayment, createTestCore, referencing, type TestCore } from './support/test-core.js';

let world: TestCore;
beforeAll(async () => {
  world = await createTestCore();
});
afterAll(() => world.drop());

const whole = { amount: '100.00', currency: 'EUR' };
const debit = async () => (await world.core.payments.create(cardPayment('DB'))).id;

describe('a chargeback of the back office', () => {
  test('is booked with its reason, blocks refunds, and is reversed', async () => {
    const id = await debit();
    const booked = await world.core.chargebacks.book(id, { ...whole, chargebackResultCode: '000.100.220' });
    expect(booked).toMatchObject({
      paymentType: 'CB',
      amount: '100.00',
      paymentBrand: 'VISA',
      result: { code: '000.100.220', description: 'The payment was fraudulent' },
    });
    const refund = referencing('RF', '10.00');
    expect((await world.core.payments.reference(id, refund)).result.code).toBe('700.300.600');
    expect((await world.core.chargebacks.book(id, whole)).result.code).toBe('700.300.500');
    const part = await world.core.chargebacks.reverse(booked.id, { amount: '40.00', currency: 'EUR' });
    expect(part).toMatchObject({ paymentType: 'CR', amount: '40.00', result: { code: '000.000.000' } });
    expect((await world.core.chargebacks.reverse(booked.id, whole)).result.code).toBe('700.400.411');
    expect((await world.core.chargebacks.reverse(booked.id, {})).amount).toBe('60.00');
    expect((await world.core.chargebacks.reverse(booked.id, {})).result.code).toBe('700.400.410');
    expect((await world.core.payments.reference(id, refund)).result.code).toBe('000.100.110');
  });

  test.each([
    ['a preauthorisation', 'PA', whole, '700.400.550'],
    ['more than the payment', 'DB', { amount: '100.01', currency: 'EUR' }, '700.100.300'],
    ['another currency', 'DB', { amount: '1.00', currency: 'USD' }, '700.100.500'],
  ] as const)('of %s is refused', async (_what, type, parameters, code) => {
    const { id } = await world.core.payments.create(cardPayment(type));
    expect((await world.core.chargebacks.book(id, parameters)).result.code).toBe(code);
  });

  test('takes what reversals left, and takes it whole after a refund', async () => {
    const { payments, chargebacks } = world.core;
    const partly = await debit();
    await payments.reference(partly, referencing('RV', '40.00'));
    expect((await chargebacks.book(partly, whole)).result.code).toBe('700.100.300');
    expect((await chargebacks.book(partly, {})).amount).toBe('60.00');
    const reversed = await debit();
    await payments.reference(reversed, referencing('RV', '100.00'));
    expect((await chargebacks.book(reversed, {})).result.code).toBe('700.300.300');
    const refunded = await debit();
    await payments.reference(refunded, referencing('RF', '30.00'));
    expect((await chargebacks.book(refunded, {})).amount).toBe('100.00');
  });

  test('that names another payment or operation than it is sent to is refused, and nothing is booked', async () => {
    const { chargebacks } = world.core;
    const [id, other] = [await debit(), await debit()];
    const named = async (answer: ReturnType<typeof chargebacks.book>) =>
      (await answer).result.parameterErrors?.map(({ name }) => name);
    const wrong = { paymentType: 'CR', referencedPaymentId: other };
    expect(await named(chargebacks.book(id, wrong))).toEqual(['paymentType', 'referencedPaymentId']);
    const right = { paymentType: 'CB', referencedPaymentId: id };
    const booked = await chargebacks.book(id, right);
    expect(booked).toMatchObject({ paymentType: 'CB', amount: '100.00' });
    const wrongReversal = { paymentType: 'CB', referencedPaymentId: id };
    expect(await named(chargebacks.reverse(booked.id, wrongReversal))).toEqual([
      'paymentType',
      'referencedPaymentId',
    ]);
    const reversal = { paymentType: 'CR', referencedPaymentId: booked.id };
    expect((await chargebacks.reverse(booked.id, reversal)).amount).toBe('100.00');
  });

  test('needs a payment, and a reversal needs a chargeback', async () => {
    expect((await world.core.chargebacks.book('0'.repeat(32), whole)).result.code).toBe('700.400.580');
    expect((await world.core.chargebacks.reverse(await debit(), whole)).result.code).toBe('700.400.420');
  });
});

const bookingOf = (id: string, referencedPaymentId: string): ChargebackBooking => ({
  id,
  paymentType: 'CB',
  referencedPaymentId,
  amountMinor: 10_000n,
  currency: 'EUR',
  reasonCode: '000.100.204',
  bookedAt: '2026-11-19T00:00:00Z',
});

test('a chargeback that the reconciliation booked belongs to the environment of its payment, and so does its reversal', async () => {
  const connector = { name: 'acquirer', process: () => Promise.resolve({ resultCode: '000.000.000' }) };
  const live = await world.open({ environment: 'live', connectors: { default: connector } });
  const cores = [live, world.core];
  for (const [index, core] of cores.entries()) {
    const other = cores[1 - index];
    const merchantTransactionId = `charged-${index}`;
    const { id: paid } = await core.payments.create(cardPayment('DB', { merchantTransactionId }));
    const [id, reversal] = [`cb${index}`.padEnd(32, '0'), `cf${index}`.padEnd(32, '0')];
    const booking = bookingOf(id, paid);
    await core.storedPayments.bookChargebacks([booking]);
    expect((await core.payments.get(id)).amount).toBe('100.00');
    const query = { includeLinkedTransactions: 'true' };
    expect((await core.query(query, { id })).payments?.map((one) => one.id)).toEqual([id, paid]);
    expect((await other?.payments.get(id))?.result.code).toBe('700.400.580');
    expect((await other?.chargebacks.reverse(id, {}))?.result.code).toBe('700.400.580');
    expect((await other?.query(query, { id }))?.payments).toEqual([]);

    await core.storedPayments.bookChargebacks([
      { ...booking, id: reversal, paymentType: 'CR', referencedPaymentId: id },
    ]);
    expect((await core.payments.get(reversal)).amount).toBe('100.00');
    expect((await other?.payments.get(reversal))?.result.code).toBe('700.400.580');
  }
});

test('a chargeback of an imported payment belongs to both environments', async () => {
  const [paid, id] = ['e'.repeat(32), 'f'.repeat(32)];
  await world.database.database.sql`
    insert into payments (id, payment_type, amount_minor, currency, result_code, requested_at)
    values (${paid}, 'DB', 10000, 'EUR', '000.000.000', '2026-11-18T10:00:00Z')`;
  await world.core.storedPayments.bookChargebacks([bookingOf(id, paid)]);
  for (const environment of ['live', 'test'] as const) {
    const core = await world.open({ environment });
    expect((await core.payments.get(id)).amount).toBe('100.00');
    expect((await core.query({}, { id })).payments).toHaveLength(1);
  }
});
