import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Connector } from '../../src/payment-core/index.js';
import {
  cardPayment,
  createTestCore,
  like,
  referencing,
  type TestCore,
  shopperResultUrl,
} from './support/test-core.js';

let world: TestCore;
beforeAll(async () => {
  world = await createTestCore();
});
afterAll(() => world.drop());

const outcome = (response: { readonly result: { readonly code: string } }) => response.result.code;

describe('a payment', () => {
  test('is answered as operations 2.5 shows it, and is found again', async () => {
    const sent = cardPayment('DB', {
      merchantTransactionId: 'order-000001',
      'customer.givenName': 'Jane',
      'customer.surname': 'Jones',
      'billing.street1': 'Main Street 1',
      'billing.postcode': '12345',
      'cart.items[0].name': 'Book',
      'cart.items[1].name': 'Pen',
      'customParameters[shop.note]': 'gift',
      descriptor: 'BOOKS*1',
    });
    const response = await world.core.payments.create(sent);
    expect(response).toEqual({
      id: like(/^[0-9a-f]{32}$/),
      shortId: like(/^\d{4}\.\d{4}\.\d{4}$/),
      paymentType: 'DB',
      paymentBrand: 'VISA',
      amount: '100.00',
      currency: 'EUR',
      descriptor: 'BOOKS*1',
      result: {
        code: '000.100.110',
        description: 'Request processed in integrator test mode',
        avsResponse: 'F',
        cvvResponse: 'M',
      },
      resultDetails: { ConnectorTxID1: like(/^SIM[0-9A-F]{17}$/) },
      card: {
        bin: '420000',
        last4Digits: '0000',
        holder: 'Jane Jones',
        expiryMonth: '05',
        expiryYear: '2034',
      },
      merchantTransactionId: 'order-000001',
      transactionProcessingCode: 'PURCHASE',
      customer: { givenName: 'Jane', surname: 'Jones' },
      billing: { street1: 'Main Street 1', postcode: '12345' },
      cart: {
        items: [
          { name: 'Book', quantityUnit: 'COUNT' },
          { name: 'Pen', quantityUnit: 'COUNT' },
        ],
      },
      customParameters: { 'shop.note': 'gift' },
      buildNumber: like(/^\S+@\d{4}-\d{2}-\d{2} /),
      timestamp: '2026-11-20 12:00:00+0000',
      ndc: like(/^[0-9a-f-]{65}$/),
    });
    expect(await world.core.payments.get(response.id)).toEqual(response);
  });

  test('all violations are reported together, and nothing is stored', async () => {
    const response = await world.core.payments.create({ paymentType: 'DB', amount: '1e2', currency: 'eur' });
    expect(response.result.code).toBe('200.300.404');
    const names = response.result.parameterErrors?.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['amount', 'currency']));
    expect(outcome(await world.core.payments.get(response.id))).toBe('700.400.580');
  });

  test('that is declined is stored as failed', async () => {
    const declined = await world.core.payments.create(
      cardPayment('DB', { 'card.holder': 'SIMULATE 800.100.155' }),
    );
    expect(outcome(declined)).toBe('800.100.155');
    expect(outcome(await world.core.payments.get(declined.id))).toBe('800.100.155');
  });

  test.each([
    ['card.holder', 'SIMULATE 800.100.153 CVV=N', { code: '800.100.153', cvvResponse: 'N' }],
    ['card.holder', 'SIMULATE AVS=Z', { code: '000.100.110', avsResponse: 'Z' }],
    ['customParameters[SIMULATOR]', 'SIMULATE 900.100.300', { code: '900.100.300' }],
    ['amount', '9000.51', { code: '800.100.155' }],
    ['amount', '9000.90', { code: '900.100.300' }],
    ['card.holder', 'SIMULATE 000.100.999', { code: '999.999.999' }],
    ['card.holder', 'SIMULATE 000.100.220', { code: '999.999.999' }],
  ])('the simulator answers %s=%s', async (name, value, expected) => {
    const response = await world.core.payments.create(cardPayment('DB', { [name]: value }));
    expect(response.result).toMatchObject(expected);
  });

  test('the simulator returns risk, advice and acquirer response', async () => {
    const holder = 'SIMULATE 800.100.155 SCORE=-20 ADVICE=03 ACQUIRER=51';
    const response = await world.core.payments.create(cardPayment('DB', { 'card.holder': holder }));
    expect(response.risk).toEqual({ score: '-20' });
    expect(response.resultDetails).toEqual({ AcquirerResponse: '51', MerchantAdviceCode: '03' });
  });
});

describe('references', () => {
  const create = async (type: 'PA' | 'DB' | 'CD', more = {}) =>
    (await world.core.payments.create(cardPayment(type, more))).id;

  test('captures and releases of the rest that come at once never take more than there is', async () => {
    const id = await create('PA');
    await world.core.payments.reference(id, referencing('CP', '30.00'));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        world.core.payments.reference(id, referencing(index % 2 === 0 ? 'CP' : 'RV', '10.00')),
      ),
    );
    expect(answers.filter(({ result }) => result.code === '000.100.110')).toHaveLength(7);
  });

  test('a PA is captured in parts, then refunded through its captures', async () => {
    const id = await create('PA', { numberOfCaptures: '3' });
    const first = await world.core.payments.reference(id, referencing('CP', '30.00'));
    expect(first).toMatchObject({ paymentType: 'CP', amount: '30.00', card: { last4Digits: '0000' } });
    expect(outcome(await world.core.payments.reference(id, referencing('CP', '70.01')))).toBe('700.400.100');
    expect(outcome(await world.core.payments.reference(id, referencing('RV', '70.01')))).toBe('700.400.300');
    expect(outcome(await world.core.payments.reference(id, referencing('CP', '70.00')))).toBe('000.100.110');
    expect(outcome(await world.core.payments.reference(id, referencing('CP', '1.00')))).toBe('700.300.300');
    const viaCapture = await world.core.payments.reference(first.id, referencing('RF', '30.00'));
    expect(outcome(viaCapture)).toBe('000.100.110');
    expect(outcome(await world.core.payments.reference(first.id, referencing('RF', '0.01')))).toBe(
      '700.300.300',
    );
    expect(outcome(await world.core.payments.reference(id, referencing('RF', '70.00')))).toBe('000.100.110');
    expect(outcome(await world.core.payments.reference(id, referencing('RF', '0.01')))).toBe('700.300.300');
  });

  test('sequence FINAL and the number of captures close a PA', async () => {
    const id = await create('PA');
    const final = referencing('CP', '10.00', { sequence: 'FINAL' });
    expect(outcome(await world.core.payments.reference(id, final))).toBe('000.100.110');
    expect(outcome(await world.core.payments.reference(id, referencing('CP', '10.00')))).toBe('700.300.300');
    const once = await create('PA', { numberOfCaptures: '1' });
    expect(outcome(await world.core.payments.reference(once, referencing('CP', '10.00')))).toBe(
      '000.100.110',
    );
    expect(outcome(await world.core.payments.reference(once, referencing('CP', '10.00')))).toBe(
      '700.300.300',
    );
  });

  test('by referenceUuid, and an unknown one is a violation', async () => {
    const id = await create('DB');
    const refund = { ...referencing('RF', '100.00'), referenceUuid: id };
    expect(outcome(await world.core.payments.create(refund))).toBe('000.100.110');
    const unknown = await world.core.payments.create({ ...refund, referenceUuid: '0'.repeat(32) });
    expect(unknown.result).toMatchObject({
      code: '200.300.404',
      parameterErrors: [{ name: 'referenceUuid' }],
    });
  });

  test.each(['CP', 'RV', 'RF'] as const)('a %s by referenceUuid does not take another card', async (type) => {
    const id = await create(type === 'RF' ? 'DB' : 'PA');
    const { payments } = world.core;
    const other = { paymentBrand: 'MASTER', 'card.number': '5454545454545454', createRegistration: 'true' };
    const refused = await payments.create({
      ...cardPayment('DB', other),
      ...{ paymentType: type, referenceUuid: id },
    });
    expect(refused.result.code).toBe('200.300.404');
    expect(refused.result.parameterErrors?.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['card.number', 'card.cvv', 'createRegistration']),
    );
    const whole = await payments.create({ ...referencing(type, '100.00'), referenceUuid: id });
    expect(whole).toMatchObject({ result: { code: '000.100.110' }, card: { bin: '420000' } });
  });

  test.each(['CP', 'RV', 'RF'] as const)('a %s does not take another brand', async (type) => {
    const id = await create(type === 'RF' ? 'DB' : 'PA');
    const { payments } = world.core;
    const other = { ...referencing(type, '10.00'), paymentBrand: 'MASTER' };
    expect(outcome(await payments.reference(id, other))).toBe('700.100.400');
    expect(outcome(await payments.create({ ...other, referenceUuid: id }))).toBe('700.100.400');
    const same = await payments.reference(id, { ...other, paymentBrand: 'VISA' });
    expect(same).toMatchObject({ result: { code: '000.100.110' }, paymentBrand: 'VISA' });
  });

  test('an incremental authorisation adds to what can be captured', async () => {
    const id = await create('PA', { merchantTransactionId: 'hotel-0001' });
    const { 'card.cvv': _, ...authorisation } = cardPayment('PA', {
      amount: '50.00',
      referenceUuid: id,
      'standingInstruction.industryPractice': 'INCREMENTAL_AUTH',
      'standingInstruction.type': 'UNSCHEDULED',
      'standingInstruction.mode': 'REPEATED',
      'standingInstruction.source': 'MIT',
      'standingInstruction.initialTransactionId': '123456789012345',
    });
    const increment = await world.core.payments.create(authorisation);
    expect(increment.result.parameterErrors ?? []).toEqual([]);
    const master = { ...authorisation, paymentBrand: 'MASTER', 'card.number': '5454545454545454' };
    expect(outcome(await world.core.payments.create(master))).toBe('700.100.400');
    expect(outcome(await world.core.payments.reference(id, referencing('CP', '150.01')))).toBe('700.400.100');
    expect(outcome(await world.core.payments.reference(id, referencing('CP', '150.00')))).toBe('000.100.110');
    expect(outcome(await world.core.payments.reference(increment.id, referencing('CP', '1.00')))).toBe(
      '700.300.100',
    );
  });

  test('an incremental authorisation leaves a total that can be reversed in one amount', async () => {
    const id = await create('PA', { amount: '9999999900.00' });
    const increment = (amount: string) =>
      world.core.payments.create({
        ...cardPayment('PA', { amount, referenceUuid: id }),
        'standingInstruction.industryPractice': 'INCREMENTAL_AUTH',
      });
    expect(outcome(await increment('99.99'))).toBe('000.100.110');
    expect(outcome(await increment('0.01'))).toBe('100.550.301');
    const reversed = await world.core.payments.reverseRemaining(id, { paymentType: 'RV' });
    expect(reversed).toMatchObject({ result: { code: '000.100.110' }, amount: '9999999999.99' });
  });

  test('a declined capture is stored and releases its amount, an uncertain capture reserves it', async () => {
    const id = await create('PA');
    const declined = referencing('CP', '100.00', { 'customParameters[SIMULATOR]': 'SIMULATE 800.100.100' });
    const uncertain = referencing('CP', '60.00', { 'customParameters[SIMULATOR]': 'SIMULATE 900.100.300' });
    expect(outcome(await world.core.payments.reference(id, declined))).toBe('800.100.100');
    const open = await world.core.payments.reference(id, uncertain);
    expect(outcome(await world.core.payments.reference(id, referencing('CP', '60.00')))).toBe('700.400.100');
    await world.core.payments.complete(open.id, { resultCode: '800.100.100' });
    expect(outcome(await world.core.payments.reference(id, referencing('CP', '60.00')))).toBe('000.100.110');
  });
});

describe('an asynchronous payment', () => {
  test('waits with a redirect, then succeeds once', async () => {
    const pending = await world.core.payments.create(
      cardPayment('DB', { 'card.holder': 'SIMULATE REDIRECT', shopperResultUrl }),
    );
    expect(pending).toMatchObject({ result: { code: '000.200.000' }, redirect: { url: like(/^https:/) } });
    expect(outcome(await world.core.payments.reference(pending.id, referencing('RF', '1.00')))).toBe(
      '700.400.570',
    );
    const done = await world.core.payments.complete(pending.id, { resultCode: '000.000.000' });
    expect(done.result.code).toBe('000.000.000');
    expect(done.redirect).toBeUndefined();
    const again = await world.core.payments.complete(pending.id, { resultCode: '100.396.101' });
    expect(again.result.code).toBe('000.000.000');
  });
});

describe('test modes', () => {
  test('testMode in live is declined with 600.200.701, and live needs a connector', async () => {
    const live = await world.open({ environment: 'live' });
    expect(outcome(await live.payments.create(cardPayment('DB', { testMode: 'INTERNAL' })))).toBe(
      '600.200.701',
    );
    expect((await live.payments.create(cardPayment('DB'))).result).toMatchObject({
      code: '600.200.201',
      parameterErrors: [
        {
          name: 'paymentBrand',
          value: 'VISA',
          message: 'paymentBrand has no connector to an acquirer, and payments in live need one',
        },
      ],
    });
  });

  test('in live, a card number that was sent as the brand is shown truncated', async () => {
    const live = await world.open({ environment: 'live' });
    const { result } = await live.payments.create({ ...cardPayment('DB'), paymentBrand: '4200000000000000' });
    expect(result).toMatchObject({
      code: '600.200.201',
      parameterErrors: [{ name: 'paymentBrand', value: '420000******0000' }],
    });
  });

  test('EXTERNAL needs a connector, and so does a capture of a payment whose connector is gone', async () => {
    const external = { testMode: 'EXTERNAL' };
    const { result } = await world.core.payments.create(cardPayment('DB', external));
    expect(result).toMatchObject({
      code: '600.200.201',
      parameterErrors: [{ name: 'testMode', value: 'EXTERNAL' }],
    });
    const acquirer: Connector = {
      name: 'gone later',
      process: () => Promise.resolve({ resultCode: '000.000.000' }),
    };
    const connected = await world.open({ connectors: { default: acquirer } });
    const { id } = await connected.payments.create(cardPayment('PA', external));
    const capture = { paymentType: 'CP', amount: '1.00', currency: 'EUR' };
    expect((await world.core.payments.reference(id, capture)).result).toMatchObject({
      code: '600.200.201',
      parameterErrors: [{ name: 'paymentType', value: 'CP' }],
    });
    expect(outcome(await connected.payments.reference(id, capture))).toBe('000.000.000');
  });

  test('an imported payment shows each reference of its acquirer under the number of its column', async () => {
    const id = '7'.repeat(32);
    await world.database.database.sql`
      insert into payments (id, payment_type, amount_minor, currency, result_code, requested_at, connector_tx_id2)
      values (${id}, 'DB', '100', 'EUR', '000.000.000', '2026-11-01T00:00:00Z', 'second')`;
    expect((await world.core.payments.get(id)).resultDetails).toEqual({ ConnectorTxID2: 'second' });
    const { payments = [] } = await world.core.query({}, { id });
    expect(payments[0]?.resultDetails).toEqual({ ConnectorTxID2: 'second' });
  });

  test('what test did with an imported payment does not count in live, and the other way round', async () => {
    const id = 'd'.repeat(32);
    await world.database.database.sql`
      insert into payments (id, payment_type, amount_minor, currency, result_code, requested_at, referenced_payment_id)
      values (${id}, 'DB', 10000, 'EUR', '000.000.000', '2026-11-18T10:00:00Z', null),
        (${'e'.repeat(32)}, 'RF', 1000, 'EUR', '000.000.000', '2026-11-18T11:00:00Z', ${id})`;
    const connector = { name: 'acquirer', process: () => Promise.resolve({ resultCode: '000.000.000' }) };
    const live = await world.open({ environment: 'live', connectors: { default: connector } });
    for (const { payments } of [world.core, live]) {
      expect(outcome(await payments.reference(id, referencing('RF', '90.01')))).toBe('700.400.200');
      expect(outcome(await payments.reference(id, referencing('RF', '90.00')))).toMatch(/^000\./);
      expect(outcome(await payments.reference(id, referencing('RF', '0.01')))).toBe('700.300.300');
    }
  });
});
