import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Connector } from '../../src/payment-core/index.js';
import { card, createTestCore, type TestCore } from './support/test-core.js';

let world: TestCore;
beforeAll(async () => {
  world = await createTestCore();
});
afterAll(() => world.drop());

const order = { paymentType: 'DB', amount: '42.00', currency: 'EUR', merchantTransactionId: 'order-000042' };

describe('a checkout', () => {
  test('is created, updated and paid once', async () => {
    const { checkouts, payments } = world.core;
    const created = await checkouts.create(order);
    expect(created.id).toMatch(/^[A-Za-z0-9.-]{32,48}$/);
    expect(created.result.code).toBe('000.200.100');
    expect((await checkouts.get(created.id)).result.code).toBe('000.200.100');
    expect((await checkouts.update(created.id, { amount: '43.00' })).result.code).toBe('000.200.101');
    const declined = await checkouts.pay(created.id, { ...card, 'card.holder': 'SIMULATE 800.100.155' });
    expect(declined.result.code).toBe('800.100.155');
    expect((await checkouts.get(created.id)).result.code).toBe('800.100.155');
    const paid = await checkouts.pay(created.id, card);
    expect(paid).toMatchObject({ amount: '43.00', merchantTransactionId: 'order-000042', paymentType: 'DB' });
    expect((await checkouts.get(created.id)).payment).toEqual(await payments.get(paid.id));
    expect((await checkouts.pay(created.id, card)).result.code).toBe('800.110.100');
    expect((await checkouts.update(created.id, { amount: '1.00' })).result.code).toBe('800.110.100');
  });

  test('is paid once, however many requests try at the same time', async () => {
    const { id } = await world.core.checkouts.create(order);
    const answers = await Promise.all(Array.from({ length: 50 }, () => world.core.checkouts.pay(id, card)));
    expect(answers.filter(({ result }) => result.code === '000.100.110')).toHaveLength(1);
    expect(answers.filter(({ result }) => result.code === '800.110.100')).toHaveLength(49);
  });

  test('gives a brand its own payment type', async () => {
    const { id } = await world.core.checkouts.create({ ...order, 'overridePaymentType[VISA]': 'PA' });
    expect((await world.core.checkouts.pay(id, card)).paymentType).toBe('PA');
    const other = await world.core.checkouts.create({ ...order, 'overridePaymentType[VISA]': 'PA' });
    const paid = await world.core.checkouts.pay(other.id, {
      ...card,
      paymentBrand: 'MASTER',
      'card.number': '5555555555554444',
    });
    expect(paid.paymentType).toBe('DB');
  });

  test('limits the captures of one brand, and the other brands pay by their own type', async () => {
    const master = { ...card, paymentBrand: 'MASTER', 'card.number': '5555555555554444' };
    const captures = { 'overridePaymentType[VISA]': 'PA', numberOfCaptures: '2' };
    const { checkouts } = world.core;
    const byVisa = await checkouts.pay((await checkouts.create({ ...order, ...captures })).id, card);
    expect(byVisa).toMatchObject({ paymentType: 'PA', numberOfCaptures: '2' });
    const byMaster = await checkouts.pay((await checkouts.create({ ...order, ...captures })).id, master);
    expect(byMaster).toMatchObject({ paymentType: 'DB', result: { code: '000.100.110' } });
    expect(byMaster.numberOfCaptures).toBeUndefined();
  });

  test('is validated as a whole after a change, and not by the change alone', async () => {
    const { checkouts } = world.core;
    const { id } = await checkouts.create({
      ...order,
      ...{ 'cart.items[0].name': 'Book', 'billing.street1': 'Main Street' },
      'standingInstruction.type': 'INSTALLMENT',
    });
    const changes = { 'cart.items[1].name': 'Pen', 'billing.street2': '12' };
    const more = { 'standingInstruction.numberOfInstallments': '6' };
    expect((await checkouts.update(id, { ...changes, ...more })).result.code).toBe('000.200.101');
    for (const [wrong, name] of [
      [{ 'cart.items[3].name': 'Ink' }, 'cart.items[3].name'],
      [{ 'standingInstruction.type': 'RECURRING' }, 'standingInstruction.numberOfInstallments'],
      [{ 'customer.email': 'jane@shop.example' }, 'customer.givenName'],
    ] as const) {
      const refused = await checkouts.update(id, wrong);
      expect(refused.result.parameterErrors?.map((error) => error.name)).toContain(name);
    }
    const added = { ...card, 'cart.items[2].name': 'Ink' };
    const paid = await checkouts.pay(id, added);
    expect(paid.cart).toMatchObject({ items: [{ name: 'Book' }, { name: 'Pen' }, { name: 'Ink' }] });
    const other = await checkouts.create(order);
    const gap = await checkouts.pay(other.id, added);
    expect(gap.result.parameterErrors).toMatchObject([{ name: 'cart.items[2].name' }]);
  });

  test('gets the defaults with its payment, of what is sent until then', async () => {
    const { checkouts } = world.core;
    const recurring = {
      ...order,
      paymentBrand: 'schemeB',
      'standingInstruction.type': 'RECURRING',
      'standingInstruction.mode': 'INITIAL',
    };
    const other = await checkouts.create(recurring);
    expect((await checkouts.update(other.id, { paymentBrand: 'schemeA' })).result.code).toBe('000.200.101');
    const { paymentBrand: _, ...unnamed } = card;
    const byOther = await checkouts.pay(other.id, unnamed);
    expect(byOther.standingInstruction).not.toHaveProperty('expiry');
    expect(byOther.standingInstruction).not.toHaveProperty('frequency');

    const { id } = await checkouts.create(recurring);
    const own = { 'standingInstruction.frequency': '0030', transactionProcessingCode: 'FUNDING' };
    expect(await checkouts.pay(id, { ...unnamed, ...own })).toMatchObject({
      result: { code: '000.100.110' },
      transactionProcessingCode: 'FUNDING',
      standingInstruction: { expiry: '9999-12-31', frequency: '0030' },
    });
  });

  test('of an amount that no brand could pay is refused', async () => {
    const { checkouts } = world.core;
    const free = { ...order, amount: '0.00' };
    expect((await checkouts.create(free)).result.code).toBe('100.550.300');
    const { id } = await checkouts.create(order);
    expect((await checkouts.update(id, { amount: '0' })).result.code).toBe('100.550.300');
    for (const validation of [{ paymentType: 'PA' }, { 'overridePaymentType[VISA]': 'PA' }]) {
      const created = await checkouts.create({ ...free, ...validation });
      expect((await checkouts.pay(created.id, card)).result.code).toBe('000.100.110');
    }
  });

  test('returns the hash of its script when integrity is asked for', async () => {
    const { id, integrity } = await world.core.checkouts.create({ ...order, integrity: 'true' });
    const hash = createHash('sha384').update(world.core.checkouts.script(id)).digest('base64');
    expect(integrity).toBe(`sha384-${hash}`);
    expect((await world.core.checkouts.create(order)).integrity).toBeUndefined();
  });

  test('cannot be changed by the one who pays', async () => {
    const { id } = await world.core.checkouts.create(order);
    const response = await world.core.checkouts.pay(id, { ...card, amount: '0.01' });
    expect(response.result).toMatchObject({ code: '200.300.404', parameterErrors: [{ name: 'amount' }] });
    const custom = await world.core.checkouts.pay(id, { ...card, 'customParameters[internal]': 'x' });
    expect(custom.result.parameterErrors?.map(({ name }) => name)).toContain('customParameters[internal]');
  });

  test('is paid with a registration, whose missing holder it may name', async () => {
    const { 'card.cvv': _, 'card.holder': __, ...instrument } = card;
    const registration = await world.core.registrations.create(instrument);
    const { id } = await world.core.checkouts.create({ ...order, overrideHolder: 'true' });
    const second = await world.core.checkouts.pay(id, card, { registrationId: registration.id });
    expect(second.result.parameterErrors).toMatchObject([{ name: 'card.number', value: '420000******0000' }]);
    const named = { 'card.holder': 'John Doe' };
    const paid = await world.core.checkouts.pay(id, named, { registrationId: registration.id });
    expect(paid).toMatchObject({
      result: { code: '000.100.110' },
      registrationId: registration.id,
      amount: '42.00',
      card: { holder: 'John Doe', last4Digits: '0000' },
    });
    expect((await world.core.checkouts.pay(id, card)).result.code).toBe('800.110.100');
    const either = await world.core.checkouts.create({ ...order, overrideHolder: 'true' });
    expect((await world.core.checkouts.pay(either.id, card)).result.code).toBe('000.100.110');
  });

  test('gives the brand that pays its own payment type: named, of the registration, or detected', async () => {
    const { checkouts, registrations } = world.core;
    const { paymentBrand: _, ...unnamed } = card;
    const { 'card.cvv': __, ...instrument } = card;
    const { paymentBrand: ___, ...unnamedInstrument } = instrument;
    const override = { ...order, 'overridePaymentType[VISA]': 'PA' };
    const existing = await registrations.create(instrument);
    const unknown = await registrations.create(unnamedInstrument);
    const master = { ...unnamed, 'card.number': '5555555555554444' };
    const ways = [
      [override, card, {}, 'PA'],
      [{ ...override, paymentBrand: 'VISA' }, unnamed, {}, 'PA'],
      [override, unnamed, {}, 'PA'],
      [override, {}, { registrationId: existing.id }, 'PA'],
      [override, {}, { registrationId: unknown.id }, 'PA'],
      [override, master, {}, 'DB'],
      [override, { ...master, paymentBrand: 'MASTER' }, {}, 'DB'],
    ] as const;
    for (const [checkout, request, payment, paymentType] of ways) {
      const { id } = await checkouts.create(checkout);
      const paid = await checkouts.pay(id, request, payment);
      expect(paid).toMatchObject({ result: { code: '000.100.110' }, paymentType });
    }
  });

  test('expires, and an unknown one does not exist', async () => {
    const { id } = await world.core.checkouts.create(order);
    world.advance(30 * 60_000);
    expect((await world.core.checkouts.pay(id, card)).result.code).toBe('200.300.406');
    expect((await world.core.checkouts.get(id)).result.code).toBe('200.300.406');
    expect((await world.core.checkouts.get('unknown')).result.code).toBe('200.300.406');
  });

  test('stays paid after its time, so nobody is asked to start a payment again that was made', async () => {
    const { checkouts } = world.core;
    const { id } = await checkouts.create(order);
    const paid = await checkouts.pay(id, card);
    world.advance(30 * 60_000);
    expect((await checkouts.pay(id, card)).result.code).toBe('800.110.100');
    expect((await checkouts.update(id, { amount: '1.00' })).result.code).toBe('800.110.100');
    expect((await checkouts.get(id)).payment?.id).toBe(paid.id);
  });
});

describe('the account numbers of a purchase', () => {
  const accounts = {
    'sender.accountNumber': 'DE89370400440532013000',
    'recipient.accountNumber': '4111111111111111',
    'risk.accountToken': 'shopper-4711',
    'giftCard.number': '6006491234567890',
  };

  test('are sealed in the checkout, and sent to the acquirer with its payment', async () => {
    const seen: Readonly<Record<string, string>>[] = [];
    const process: Connector['process'] = ({ parameters }) => {
      seen.push(parameters);
      return Promise.resolve({ resultCode: '000.000.000' });
    };
    const { checkouts } = await world.open({ connectors: { default: { name: 'acquirer', process } } });
    const { 'giftCard.number': giftCard, ...others } = accounts;
    const { id } = await checkouts.create({ ...order, ...others, testMode: 'EXTERNAL' });
    const changed = { 'giftCard.number': giftCard, 'recipient.accountNumber': '4012888888881881' };
    expect((await checkouts.update(id, changed)).result.code).toBe('000.200.101');
    const [row] = await world.database.database.sql<{ text: string }[]>`
      select parameters::text as text from checkouts where id = ${id}`;
    for (const number of Object.values({ ...accounts, ...changed })) expect(row?.text).not.toContain(number);
    const other = await checkouts.pay(id, { ...card, 'sender.accountNumber': 'another' });
    expect(other.result.parameterErrors).toMatchObject([{ name: 'sender.accountNumber' }]);
    expect((await checkouts.pay(id, card)).result.code).toBe('000.000.000');
    expect(seen).toMatchObject([{ ...accounts, ...changed }]);
  });

  test('cannot be guessed with the form of a shopper', async () => {
    const { id } = await world.core.checkouts.create({ ...order, ...accounts });
    const form = { ...card, 'sender.accountNumber': accounts['sender.accountNumber'] };
    const refused = await world.core.checkouts.pay(id, form, { fromShopper: true });
    expect(refused.result.parameterErrors).toMatchObject([
      { name: 'sender.accountNumber', message: 'sender.accountNumber is accepted with a token only' },
    ]);
  });

  test('may be sent in a checkout, but codes are refused, because they are never stored', async () => {
    const codes = {
      'threeDSecure.deviceInfo': 'ey…',
      'threeDSecure.verificationId': 'A'.repeat(28),
      'giftCard.pin': '1234',
    };
    const { checkouts } = world.core;
    const refused = await checkouts.create({ ...order, ...accounts, ...codes });
    expect(refused.result.parameterErrors?.map(({ message }) => message).sort()).toEqual(
      Object.keys(codes)
        .sort()
        .map(
          (name) =>
            `${name} is not accepted in a checkout request, because it is never stored: send it with the payment of the checkout`,
        ),
    );
    const { id } = await checkouts.create({ ...order, ...accounts });
    expect((await checkouts.pay(id, { ...card, ...codes })).result.code).toBe('000.100.110');
  });
});

describe('with fromShopper, what a form sends', () => {
  const form = { fromShopper: true };

  test('sets only what a shopper may enter', async () => {
    const { id } = await world.core.checkouts.create(order);
    const refused = await world.core.checkouts.pay(id, { ...card, descriptor: 'x' }, form);
    expect(refused.result).toMatchObject({ code: '200.300.404', parameterErrors: [{ name: 'descriptor' }] });
    expect((await world.core.checkouts.pay(id, card, form)).result.code).toBe('000.100.110');
  });

  test('pays with offered registrations only', async () => {
    const { 'card.cvv': _, ...instrument } = card;
    const { id: registrationId } = await world.core.registrations.create(instrument);
    const none = await world.core.checkouts.create(order);
    const refused = await world.core.checkouts.pay(none.id, {}, { ...form, registrationId });
    expect(refused.result).toMatchObject({
      code: '100.150.200',
      parameterErrors: [{ name: 'registrationId' }],
    });
    const offering = await world.core.checkouts.create({ ...order, 'registrations[0].id': registrationId });
    const numberAsBrand = { paymentBrand: card['card.number'] };
    const ofNumber = await world.core.checkouts.pay(offering.id, numberAsBrand, { ...form, registrationId });
    expect(ofNumber.result.parameterErrors).toMatchObject([
      { name: 'paymentBrand', value: '420000******0000' },
    ]);
    const paid = await world.core.checkouts.pay(offering.id, {}, { ...form, registrationId });
    expect(paid).toMatchObject({ result: { code: '000.100.110' }, registrationId });
  });

  test('counts as such whatever the value of fromShopper is', async () => {
    const { id } = await world.core.checkouts.create(order);
    // A program without types.
    const odd = { fromShopper: 'yes' } as unknown as { fromShopper: boolean };
    const refused = await world.core.checkouts.pay(id, { ...card, descriptor: 'x' }, odd);
    expect(refused.result.code).toBe('200.300.404');
  });
});
