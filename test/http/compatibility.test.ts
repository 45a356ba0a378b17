import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entity, payment, serve, type Served } from './served.js';

/** Exactly the bytes that integrations of this API family send, and what they must be able to read. */
let gateway: Served;
let registration = '';

beforeAll(async () => {
  gateway = await serve();
  const card =
    'paymentBrand=VISA&card.number=4200000000000000&card.holder=Jane+Jones&card.expiryMonth=05&card.expiryYear=2034';
  registration = (await gateway.call('POST', '/v1/registrations', card)).body.id ?? '';
});
afterAll(() => gateway.close());

const cardBytes =
  'paymentBrand=VISA&card.number=4200000000000000&card.holder=Jane%20Jones&card.expiryMonth=05&card.expiryYear=2034&card.cvv=123';

const shopper =
  'customer.givenName=Jane&customer.surname=Jones&customer.email=jane%40example.com&customer.ip=127.0.0.1';

/** What is sent to POST /v1/payments, and the result. */
const payments: [what: string, form: string, code: string][] = [
  [
    'empty values',
    `amount=92.00&currency=EUR&paymentType=DB&${cardBytes}&descriptor=&merchantInvoiceId=&customer.mobile=&billing.street2=`,
    '000.100.110',
  ],
  [
    'an empty value beside a real one',
    `amount=&amount=92.00&currency=EUR&paymentType=DB&${cardBytes}`,
    '000.100.110',
  ],
  [
    'the entity by its old name',
    `authentication.entityId=${entity}&amount=92.00&currency=EUR&paymentType=PA&${cardBytes}`,
    '000.100.110',
  ],
  [
    'the entity by both names',
    `authentication.entityId=${entity}&entityId=${entity}&amount=92.00&currency=EUR&paymentType=PA&${cardBytes}`,
    '000.100.110',
  ],
  [
    'old credentials',
    `authentication.userId=8a82&authentication.password=secret&authentication.entityId=${entity}&amount=92.00&currency=EUR&paymentType=DB&${cardBytes}`,
    '000.100.110',
  ],
  ['an amount without decimals', `amount=150&currency=EUR&paymentType=DB&${cardBytes}`, '000.100.110'],
  [
    'raw brackets',
    `amount=1.00&currency=EUR&paymentType=DB&${cardBytes}&customParameters[SHOPPER_pluginId]=prestashop&cart.items[0].name=Shoe&cart.items[0].quantity=1&cart.items[0].price=1.00`,
    '000.100.110',
  ],
  [
    'encoded brackets',
    `amount=1.00&currency=EUR&paymentType=DB&${cardBytes}&customParameters%5B3DS2_enrolled%5D=true&cart.items%5B0%5D.name=Shoe&cart.items%5B0%5D.quantity=1&cart.items%5B0%5D.price=1.00`,
    '000.100.110',
  ],
  [
    'the recipient beside the address',
    `amount=1.00&currency=EUR&paymentType=DB&${cardBytes}&${shopper}&shipping.givenName=Jane&shipping.surname=Jones`,
    '000.100.110',
  ],
  [
    'the old recurring type',
    `amount=1.00&currency=EUR&paymentType=DB&${cardBytes}&recurringType=INITIAL&createRegistration=true`,
    '000.100.110',
  ],
  [
    'the proof of an authentication with the id of version 1',
    `amount=1.00&currency=EUR&paymentType=DB&${cardBytes}&threeDSecure.eci=05&threeDSecure.verificationId=AAABBIIFmAAAAAAAAAAAAAAAAAA%3D&threeDSecure.xid=MDAwMDAwMDAwMDAwMDAwMzIyNzY%3D`,
    '000.100.110',
  ],
  [
    'a name that no version had',
    `amount=1.00&currency=EUR&paymentType=DB&${cardBytes}&colour=red`,
    '200.300.404',
  ],
  [
    'only an email address of the shopper',
    `amount=1.00&currency=EUR&paymentType=DB&${cardBytes}&customer.email=jane%40example.com`,
    '200.300.404',
  ],
  [
    'a reference that is too short',
    `amount=1.00&currency=EUR&paymentType=DB&${cardBytes}&merchantInvoiceId=42`,
    '200.300.404',
  ],
  [
    'two entities',
    `authentication.entityId=${entity.replace('c', 'd')}&entityId=${entity}&amount=92.00&currency=EUR&paymentType=PA&${cardBytes}`,
    '200.300.404',
  ],
];

test.each(payments)('a payment with %s', async (_what, form, code) => {
  const answer = await gateway.call('POST', '/v1/payments', form, {
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: '*/*', connection: 'close' },
  });
  expect(answer.body.result).toMatchObject({ code });
  expect(answer.status).toBe(code === '000.100.110' ? 200 : 400);
});

test('retired parameters are logged by name and never by value', async () => {
  await gateway.call(
    'POST',
    '/v1/payments',
    `authentication.password=sesame&amount=1.00&currency=EUR&paymentType=DB&${cardBytes}`,
  );
  expect(gateway.stderr()).toContain('"names":["authentication.password"]');
  expect(gateway.stderr()).not.toContain('sesame');
});

describe('a reversal without amount and currency', () => {
  test('reverses what is left', async () => {
    const { body } = await gateway.call('POST', '/v1/payments', payment('PA'));
    const capture = 'paymentType=CP&amount=32.00&currency=EUR';
    await gateway.call('POST', `/v1/payments/${body.id ?? ''}`, capture);
    const reversed = await gateway.call(
      'POST',
      `/v1/payments/${body.id ?? ''}`,
      `entityId=${entity}&paymentType=RV&amount=&currency=`,
    );
    expect(reversed).toMatchObject({
      status: 200,
      body: { paymentType: 'RV', amount: '60.00', currency: 'EUR', referencedId: body.id },
    });
    const again = await gateway.call('POST', `/v1/payments/${body.id ?? ''}`, 'paymentType=RV');
    expect(again).toMatchObject({ status: 400, body: { result: { code: '700.300.300' } } });
  });

  test('reverses what is left of the payment that referenceUuid names', async () => {
    const { body } = await gateway.call('POST', '/v1/payments', payment('PA'));
    const referenceUuid = body.id ?? '';
    const capture = { paymentType: 'CP', amount: '32.00', currency: 'EUR', referenceUuid };
    const captured = await gateway.call('POST', '/v1/payments', capture);
    expect(captured).toMatchObject({ status: 200, body: { paymentType: 'CP', referencedId: body.id } });
    const refund = { paymentType: 'RF', amount: '2.00', currency: 'EUR', referenceUuid };
    const refunded = await gateway.call('POST', '/v1/payments', refund);
    expect(refunded).toMatchObject({
      status: 200,
      body: { paymentType: 'RF', referencedId: captured.body.id },
    });
    const reversal = { paymentType: 'RV', referenceUuid };
    const reversed = await gateway.call('POST', '/v1/payments', reversal);
    expect(reversed).toMatchObject({
      status: 200,
      body: { paymentType: 'RV', amount: '60.00', currency: 'EUR', referencedId: body.id },
    });
  });

  test('of an unknown referenceUuid is a violation of that parameter', async () => {
    const unknown = { paymentType: 'RV', referenceUuid: '0'.repeat(32) };
    const whole = await gateway.call('POST', '/v1/payments', unknown);
    const part = await gateway.call('POST', '/v1/payments', { ...unknown, amount: '1.00', currency: 'EUR' });
    expect(whole).toMatchObject({ status: 400, body: { result: { code: '200.300.404' } } });
    expect(whole.body.result).toEqual(part.body.result);
    const malformed = await gateway.call('POST', '/v1/payments', { ...unknown, referenceUuid: 'abc' });
    expect(malformed.body.result?.parameterErrors?.map(({ name }) => name)).toEqual(['referenceUuid']);
  });

  test('of two at once, one reverses', async () => {
    const { body } = await gateway.call('POST', '/v1/payments', payment('DB'));
    const both = await Promise.all(
      [1, 2].map(() => gateway.call('POST', `/v1/payments/${body.id ?? ''}`, 'paymentType=RV')),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  test.each(['CP', 'RF'])('a %s still needs both', async (paymentType) => {
    const { body } = await gateway.call('POST', '/v1/payments', payment('DB'));
    const answer = await gateway.call('POST', `/v1/payments/${body.id ?? ''}`, `paymentType=${paymentType}`);
    expect(answer.body.result?.parameterErrors?.map(({ name }) => name)).toEqual(['amount', 'currency']);
  });
});

describe('registrations where integrations put them', () => {
  test('a payment with registrationId in its body', async () => {
    const answer = await gateway.call(
      'POST',
      '/v1/payments',
      `registrationId=${registration}&amount=5.00&currency=EUR&paymentType=DB&card.cvv=123`,
    );
    expect(answer).toMatchObject({ status: 200, body: { registrationId: registration } });
  });

  test('a checkout that offers registrations is paid with one of them', async () => {
    const made = await gateway.call(
      'POST',
      '/v1/checkouts',
      `entityId=${entity}&amount=5.00&currency=EUR&paymentType=DB&registrations[0].id=${registration}`,
    );
    expect(made).toMatchObject({ status: 200, body: { result: { code: '000.200.100' } } });
    const paid = await gateway.call(
      'POST',
      `/v1/checkouts/${made.body.id ?? ''}/payment`,
      `registrationId=${registration}&card.cvv=123`,
      { token: null },
    );
    expect(paid.status).toBe(200);
    const unknown = await gateway.call(
      'POST',
      '/v1/checkouts',
      `amount=5.00&currency=EUR&paymentType=DB&registrations[0].id=${'0'.repeat(32)}`,
    );
    expect(unknown.body.result?.parameterErrors?.map(({ name }) => name)).toEqual(['registrations[0].id']);
  });

  test('a deletion with a body', async () => {
    const other =
      (await gateway.call('POST', '/v1/registrations', cardBytes.replace('&card.cvv=123', ''))).body.id ?? '';
    const deleted = await gateway.call(
      'DELETE',
      `/v1/registrations/${other}?entityId=${entity}`,
      'testMode=EXTERNAL',
    );
    expect(deleted.status).toBe(200);
  });
});

test('reads with the parameters that clients add', async () => {
  const { body } = await gateway.call(
    'POST',
    '/v1/payments',
    payment('DB', { merchantTransactionId: 'order-4711' }),
  );
  for (const target of [
    `/v1/payments/${body.id ?? ''}?authentication.entityId=${entity}&testMode=EXTERNAL`,
    `/v1/query?entityId=${entity}&testMode=INTERNAL&merchantTransactionId=order-4711&limit=`,
  ]) {
    expect(await gateway.call('GET', target)).toMatchObject({ status: 200 });
  }
});

test('an answer has what strict clients read', async () => {
  const form = `amount=92.00&currency=EUR&paymentType=PA&${cardBytes}&merchantTransactionId=order-4711&descriptor=Shop&cart.items[0].name=Shoe&cart.items[0].quantity=1&cart.items[0].price=92.00`;
  const made = await gateway.call('POST', '/v1/payments', form);
  expect(made.body).toMatchObject({
    id: expect.stringMatching(/^[a-z0-9]{32}$/) as string,
    result: { code: '000.100.110', description: expect.any(String) as string },
    ...{
      merchantTransactionId: 'order-4711',
      amount: '92.00',
      currency: 'EUR',
      paymentType: 'PA',
      paymentBrand: 'VISA',
    },
    card: { bin: '420000', last4Digits: '0000', holder: 'Jane Jones', expiryMonth: '05', expiryYear: '2034' },
    buildNumber: expect.any(String) as string,
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+0000$/) as string,
    ndc: expect.any(String) as string,
  });
  const { items } = made.body['cart'] as { items: unknown[] };
  expect(items).toHaveLength(1);
});
