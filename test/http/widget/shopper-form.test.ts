import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeParameters } from '../../../src/payment-core/index.js';
import { card, otherEntity, serve, type Served } from '../served.js';

/** What the form of a shopper, which carries no token, may send to a checkout, and what only the merchant may set. */
let gateway: Served;

beforeAll(async () => {
  gateway = await serve();
});
afterAll(() => gateway.close());

type Form = Readonly<Record<string, string>>;

const order = { paymentType: 'DB', amount: '5.00', currency: 'EUR' };

const checkout = async (more: Form = {}) => {
  const made = await gateway.call('POST', '/v1/checkouts', { ...order, ...more });
  expect(made.body.result?.code).toBe('000.200.100');
  return made.body.id ?? '';
};

const pay = (id: string, form: Form | string, token?: null) =>
  gateway.call('POST', `/v1/checkouts/${id}/payment`, form, token === null ? { token } : {});
const payByForm = (id: string, form: Form | string) => pay(id, form, null);

const namesOf = (reply: Awaited<ReturnType<typeof pay>>) =>
  (reply.body.result?.parameterErrors ?? []).map(({ name }) => name);

describe('a form without a token', () => {
  test.each<[string, Form]>([
    [
      'proof of an authentication',
      { 'threeDSecure.eci': '05', 'threeDSecure.verificationId': 'A'.repeat(28) },
    ],
    ['a request to skip the authentication', { 'threeDSecure.disable': 'true' }],
    ['an exemption', { 'threeDSecure.exemptionFlag': '01' }],
    ['the text on the statement', { descriptor: 'Free of charge' }],
    ['taxes and discounts', { taxAmount: '0.00', discountAmount: '5.00' }],
    ['an address for notifications', { notificationUrl: 'https://evil.example/' }],
    ['a payment to refer to', { referenceUuid: '0'.repeat(32) }],
    ['the references of the merchant', { merchantTransactionId: 'order-4711', merchantMemo: 'memo-4711' }],
    ['another channel than the internet', { transactionCategory: 'MOTO' }],
    ['the name of the merchant', { 'merchant.name': 'Somebody else', 'merchant.mcc': '7995' }],
    ['the cart', { 'cart.items[0].name': 'Shoe', 'cart.items[0].price': '0.01' }],
    ['data for the risk check', { 'risk.channelId': 'trusted', 'risk.parameters[vip]': 'true' }],
    ['the due date of a direct debit', { transactionDueDate: '2099-01-01' }],
    [
      'a standing instruction',
      { 'standingInstruction.mode': 'INITIAL', 'standingInstruction.source': 'CIT' },
    ],
    ['the cost of shipping', { 'shipping.cost': '0.00', 'shipping.method': 'SAME_DAY_SERVICE' }],
    [
      'what the merchant knows about the shopper',
      { 'customer.merchantCustomerId': '1', 'customer.status': 'EXISTING' },
    ],
    ['a token of a vault', { 'tokenAccount.number': '4200000000000000', 'tokenAccount.type': 'NETWORK' }],
    ['a malformed value of such a parameter', { 'threeDSecure.eci': 'xx' }],
    ['the permission to name a holder', { overrideHolder: 'true' }],
  ])('does not set %s', async (_what, form) => {
    const id = await checkout();
    const refused = await payByForm(id, { ...card, ...form });
    expect(refused).toMatchObject({ status: 400, body: { result: { code: '200.300.404' } } });
    expect(namesOf(refused)).toEqual(Object.keys(form).sort());
    for (const error of refused.body.result?.parameterErrors ?? []) {
      expect(error.message).toBe(`${error.name} is accepted with a token only`);
      expect(Object.values(form)).not.toContain(error.value);
    }
    // Nothing was paid.
    expect((await payByForm(id, card)).status).toBe(200);
  });

  test('sets what the shopper enters', async () => {
    const id = await checkout();
    const paid = await payByForm(id, {
      ...card,
      createRegistration: 'true',
      shopperResultUrl: 'https://shop.example/back',
      locale: 'de-DE',
      'customParameters[SHOPPER_note]': 'ring twice',
      'customer.givenName': 'Jane',
      'customer.surname': 'Jones',
      'customer.email': 'jane@example.com',
      'customer.browser.userAgent': 'Mozilla/5.0',
      'billing.street1': 'Main Street 1',
      'billing.city': 'Berlin',
      'billing.postcode': '10115',
      'billing.country': 'DE',
      'shipping.street1': 'Side Street 2',
      'shipping.customer.givenName': 'John',
    });
    expect(paid.status).toBe(200);
    const { body } = await gateway.call('GET', `/v1/checkouts/${id}/payment`);
    expect(body).toMatchObject({
      customer: { email: 'jane@example.com' },
      billing: { city: 'Berlin' },
      shipping: { street1: 'Side Street 2', customer: { givenName: 'John' } },
      customParameters: { SHOPPER_note: 'ring twice' },
    });
    expect(body['registrationId']).toMatch(/^[a-z0-9]{32}$/i);
  });

  test.each<[string, Form, Form]>([
    [
      'a bank account',
      { paymentBrand: 'DIRECTDEBIT_SEPA' },
      {
        'bankAccount.holder': 'Jane Jones',
        'bankAccount.iban': 'DE23100000001234567890',
        'bankAccount.bic': 'MARKDEF1100',
        'bankAccount.country': 'DE',
      },
    ],
    ['a virtual account', { paymentBrand: 'PAYPAL' }, { 'virtualAccount.accountId': 'jane@example.com' }],
    ['a token of a device wallet', { paymentBrand: 'WALLET' }, { 'walletA.paymentToken': 'x'.repeat(200) }],
  ])('pays with %s', async (_what, brand, form) => {
    expect((await payByForm(await checkout(brand), form)).status).toBe(200);
    expect((await payByForm(await checkout(), { ...brand, ...form })).status).toBe(200);
  });

  test('may repeat what the checkout sets, and cannot change it', async () => {
    const set = { descriptor: 'Shoes', 'customer.givenName': 'Jane', 'customer.surname': 'Jones' };
    const id = await checkout(set);
    const changed = { ...order, amount: '0.01', descriptor: 'Boots', 'customer.surname': 'Smith' };
    expect(namesOf(await payByForm(id, { ...card, ...changed })).sort()).toEqual([
      'amount',
      'customer.surname',
      'descriptor',
    ]);
    expect((await payByForm(id, { ...card, ...order, ...set })).status).toBe(200);
    const { body } = await gateway.call('GET', `/v1/checkouts/${id}/payment`);
    expect(body).toMatchObject({ amount: '5.00', descriptor: 'Shoes', customer: { surname: 'Jones' } });
  });

  test('is refused by name for what nobody may send', async () => {
    const refused = await payByForm(await checkout(), {
      ...card,
      colour: 'red',
      'customParameters[vip]': '1',
    });
    expect(namesOf(refused).sort()).toEqual(['colour', 'customParameters[vip]']);
  });
});

test('with a token, the same parameters are accepted', async () => {
  const paid = await pay(await checkout(), {
    ...card,
    descriptor: 'Shoes',
    merchantTransactionId: 'order-4711',
    'threeDSecure.eci': '05',
    'threeDSecure.verificationId': 'A'.repeat(28),
  });
  expect(paid).toMatchObject({ status: 200, body: { descriptor: 'Shoes' } });
});

test('every parameter of a payment that a form may not send is refused, whatever its value', async () => {
  const id = await checkout();
  const { components } = JSON.parse((await gateway.call('GET', '/openapi.json')).text) as {
    components: { schemas: { CheckoutPaymentRequest: FormSchema } };
  };
  const schema = components.schemas.CheckoutPaymentRequest;
  const described = Object.values({ ...schema.properties, ...schema.patternProperties });
  const forMerchant = new Set(
    described.filter((one) => one['x-needs-token'] === true).map((one) => one['x-name']),
  );
  const all = describeParameters('payment').map(({ name }) => name);
  expect([...forMerchant].filter((name) => !all.includes(name))).toEqual([]);
  const spelled = (name: string) =>
    name.replaceAll('[n]', '[0]').replace('[key]', '[SHOPPER_key]').replace('<scheme>', 'schemeA');
  const refused = await payByForm(id, Object.fromEntries(all.map((name) => [spelled(name), '\u2603'])));
  const ofMerchant = (refused.body.result?.parameterErrors ?? [])
    .filter(({ message }) => message.endsWith('is accepted with a token only'))
    .map(({ name }) => name);
  // What the checkout has set cannot be changed either, which is another message.
  const ofCheckout = ['amount', 'currency', 'paymentType', 'entityId'];
  expect(ofMerchant.sort()).toEqual(
    [...forMerchant]
      .map(spelled)
      .filter((name) => !ofCheckout.includes(name))
      .sort(),
  );
  for (const name of ofCheckout) expect(forMerchant).toContain(name);
});

interface FormSchema {
  readonly properties: Record<string, { 'x-name': string; 'x-needs-token'?: boolean }>;
  readonly patternProperties: Record<string, { 'x-name': string; 'x-needs-token'?: boolean }>;
}

describe('the registrations that a checkout offers', () => {
  let [first, second, foreign] = ['', '', ''];
  beforeAll(async () => {
    const made = async (options: { token?: string } = {}) =>
      (await gateway.call('POST', '/v1/registrations', card, options)).body.id ?? '';
    [first, second] = [await made(), await made()];
    foreign = await made({ token: await gateway.token('--entity', otherEntity) });
  });
  const code = { 'card.cvv': '123' };

  test('pay, by a form without a token', async () => {
    const id = await checkout({ 'registrations[0].id': second, 'registrations[1].id': first });
    expect((await payByForm(id, { registrationId: first, ...code })).status).toBe(200);
    const { body } = await gateway.call('GET', `/v1/checkouts/${id}/payment`);
    expect(body['registrationId']).toBe(first);
  });

  test('no other registration pays without a token, whether or not it exists', async () => {
    for (const offered of [{}, { 'registrations[0].id': second }]) {
      const id = await checkout(offered);
      for (const registrationId of [first, foreign, '0'.repeat(32), '\u2603']) {
        const refused = await payByForm(id, { registrationId, ...code });
        expect(refused).toMatchObject({ status: 404, body: { result: { code: '200.300.404' } } });
        expect(refused.body.result?.parameterErrors).toEqual([
          {
            name: 'registrationId',
            value: null,
            message: 'registrationId is not a registration that this checkout offers',
          },
        ]);
      }
      expect((await pay(id, { registrationId: first, ...code })).status).toBe(200);
    }
  });

  test('are those of the latest change of the checkout', async () => {
    const id = await checkout({ 'registrations[0].id': second, 'registrations[1].id': first });
    const change = (form: Form) => gateway.call('POST', `/v1/checkouts/${id}`, form);
    expect((await change({ amount: '6.00' })).status).toBe(200);
    const wrong = await change({ 'registrations[0].id': foreign });
    expect(namesOf(wrong)).toEqual(['registrations[0].id']);
    expect((await change({ 'registrations[0].id': second })).status).toBe(200);
    expect((await payByForm(id, { registrationId: first, ...code })).status).toBe(404);
    expect((await payByForm(id, { registrationId: second, ...code })).status).toBe(200);
  });

  test('must exist when the checkout is made', async () => {
    const gone = (await gateway.call('POST', '/v1/registrations', card)).body.id ?? '';
    await gateway.call('DELETE', `/v1/registrations/${gone}`);
    const refused = await gateway.call('POST', '/v1/checkouts', {
      ...order,
      'registrations[0].id': first,
      'registrations[1].id': gone,
      'registrations[2].id': foreign,
    });
    expect(refused).toMatchObject({ status: 400, body: { result: { code: '200.300.404' } } });
    expect(namesOf(refused)).toEqual(['registrations[1].id', 'registrations[2].id']);
  });
});

describe('a card of another brand than the named one', () => {
  const master = { ...card, 'card.number': '5555555555554444' };

  test.each<[string, Form, Form, string[]]>([
    ['which the form names', {}, master, ['card.number']],
    [
      'which the checkout names',
      { paymentBrand: 'AMEX' },
      { ...master, paymentBrand: 'AMEX' },
      ['card.number'],
    ],
    ['whose numbers are not known', {}, { ...master, paymentBrand: 'MADA' }, []],
    ['that shares its numbers with others', {}, { ...master, paymentBrand: 'DINERS' }, []],
  ])('%s', async (_what, more, form, names) => {
    const id = await checkout(more);
    const answer = await payByForm(id, form);
    expect(namesOf(answer)).toEqual(names);
    expect(answer.body.result?.code).toBe(names.length === 0 ? '000.100.110' : '200.300.404');
    expect(answer.text).not.toContain('5555555555554444');
  });

  test('that pays by a registration', async () => {
    const registrationId = (await gateway.call('POST', '/v1/registrations', card)).body.id ?? '';
    const id = await checkout({ 'registrations[0].id': registrationId, 'overridePaymentType[AMEX]': 'PA' });
    const form = { registrationId, 'card.cvv': '123' };
    expect(namesOf(await payByForm(id, { ...form, paymentBrand: 'AMEX' }))).toEqual(['paymentBrand']);
    expect((await payByForm(id, { ...form, paymentBrand: 'VISA' })).status).toBe(200);
  });

  test('does not choose the payment type of another brand', async () => {
    const id = await checkout({ 'overridePaymentType[AMEX]': 'PA' });
    expect((await payByForm(id, { ...card, paymentBrand: 'AMEX' })).status).toBe(400);
    const paid = await pay(id, { ...card, paymentBrand: 'AMEX' });
    // A merchant may name any brand; its acquirer decides.
    expect(paid).toMatchObject({ status: 200, body: { paymentType: 'PA' } });
  });
});
