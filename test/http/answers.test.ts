import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeParameters, requestKinds } from '../../src/payment-core/index.js';
import { nestParameters } from '../../src/payment-core/responses/nest-parameters.js';
import { decrypted, receiver } from '../webhooks/receiver.js';
import { answerCheck, card, entity, payment, serve, type Body, type Form, type Served } from './served.js';

/**
 * Real answers of every operation, with what they may hold. `gateway.call` compares each of them with the document, as
 * in every other test of the gateway; here, each operation gives all the answers that depend on it.
 */
let gateway: Served;
/** A token with every role. */
let token: string;

const fixture = path.resolve(import.meta.dirname, '../../fixtures/chargebacks');
const unknownId = '0'.repeat(32);
const money = { amount: '5.00', currency: 'EUR' };

beforeAll(async () => {
  gateway = await serve('webhooks:\n  allowHosts: [127.0.0.1]\n');
  token = await gateway.token(...['payments', 'reports', 'backoffice'].flatMap((role) => ['--role', role]));
});
afterAll(() => gateway.close());

async function call(method: string, target: string, form?: Form): Promise<{ status: number; body: Body }> {
  return gateway.call(method, target, form, { token });
}

async function idOf(target: string, form: Form): Promise<string> {
  const { status, body } = await call('POST', target, form);
  expect({ status, errors: body.result?.parameterErrors }).toEqual({ status: 200 });
  return body.id ?? '';
}

const schedulePath = '/scheduling/v1/schedules';
const aggregations = '/reconciliations/aggregations';
const range = 'date.from=2026-11-01&date.to=2026-11-30';

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly form?: Readonly<Record<string, string>>;
}

const get = (path: string, query = ''): Operation => ({ method: 'GET', path, query });
const remove = (path: string): Operation => ({ method: 'DELETE', path });
const post = (path: string, form: Operation['form'] = {}): Operation => ({ method: 'POST', path, form });

/** Every operation with a valid request; `{id}` stands for what the path is about. */
const operations: readonly Operation[] = [
  post('/v1/payments', { paymentType: 'DB', ...money, registrationId: unknownId }),
  get('/v1/payments/{id}'),
  post('/v1/payments/{id}', { paymentType: 'CP', ...money }),
  post('/v1/registrations', card),
  get('/v1/registrations/{id}'),
  remove('/v1/registrations/{id}'),
  post('/v1/registrations/{id}/payments', { paymentType: 'DB', ...money }),
  post('/v1/checkouts', { paymentType: 'DB', ...money }),
  post('/v1/checkouts/{id}', { amount: '6.00' }),
  get('/v1/checkouts/{id}/payment'),
  post('/v1/checkouts/{id}/payment', card),
  get('/v1/checkouts/{id}/registration'),
  get('/v1/query', 'merchantTransactionId=unknown-order'),
  get('/v1/query/{id}'),
  get('/v3/query', 'merchantTransactionId=unknown-order'),
  get('/v3/query/{id}'),
  get(`/reports/v1${aggregations}`, range),
  get(`/reports/v1${aggregations}/{id}`),
  get(`/reports/v2${aggregations}/{id}`),
  post(schedulePath, { registrationId: unknownId, ...money, 'job.expression': '0 0 6 1 * ? *' }),
  get(`${schedulePath}/{id}`),
  remove(`${schedulePath}/{id}`),
  post(`${schedulePath}/{id}/reschedule`, { amount: '6.00' }),
  post(`${schedulePath}/{id}/deschedule`, {}),
  post('/v1/chargebacks/{id}', {}),
  post('/v1/chargebacks/{id}/reversal', {}),
  get('/v1/paymentWidgets.js', 'checkoutId=%20'),
  get('/v1/resultcodes'),
];

describe('an answer is described', () => {
  test.each(operations)(
    '$method $path, if it is refused',
    async ({ method, path: asked, query = '', form }) => {
      const target = `${asked.replace('{id}', unknownId)}?${query}`;
      const described = (status: number) => answerCheck.described.includes(`${method} ${asked} ${status}`);
      const statusOf = async (given: string | null, wrong = '') => {
        const answer = await gateway.call(method, `${target}${wrong}`, form, { token: given });
        return answer.status;
      };
      // Whether the resource exists may be looked at first.
      expect([400, 404]).toContain(await statusOf(token, '&unknown=1'));
      if (described(404)) expect(await statusOf(token)).toBe(404);
      if (!described(401)) return;
      expect(await statusOf('')).toBe(401);
      expect(await statusOf('unknown')).toBe(403);
    },
  );

  test('of a payment with everything that it repeats', async () => {
    const everything = {
      ...payment('DB', { 'card.holder': 'SIMULATE 000.100.110 AVS=F CVV=M SCORE=-20 ADVICE=03 ACQUIRER=00' }),
      ...{ taxAmount: '1.00', merchantTransactionId: 'order-000001', merchantInvoiceId: 'invoice-0001' },
      ...{
        descriptor: 'Example',
        createRegistration: 'true',
        'forex.amount': '9.00',
        'forex.currency': 'USD',
      },
      ...{ 'customer.givenName': 'Jane', 'customer.surname': 'Jones', 'customer.browser.language': 'en' },
      ...{ 'customer.browser.acceptHeader': '*/*', 'customer.browser.userAgent': 'Browser' },
      ...{ 'customer.browser.screenHeight': '900', 'customer.browser.screenWidth': '1400' },
      ...{ 'customer.browser.timezone': '60', 'customer.browser.javaEnabled': 'false' },
      ...{
        'billing.city': 'Munich',
        'billing.street1': 'Main Street 1',
        'billing.postcode': '80331',
        'billing.country': 'DE',
      },
      ...{
        'shipping.customer.givenName': 'Joe',
        'shipping.customer.surname': 'Jones',
        'shipping.cost': '1.00',
      },
      ...{ 'cart.items[0].name': 'Book', 'cart.items[1].name': 'Pen', 'cart.items[1].price': '2.00' },
      ...{ 'customParameters[SHOPPER_note]': 'gift', 'merchant.data[note]': 'x', 'risk.amount': '92.00' },
      ...{ 'airline.passengers[0].name': 'Jane', 'airline.passengers[0].legs[0].airlineCode': 'XY' },
      ...{ 'threeDSecure.v2.schemeA.requestorId': '1', 'threeDSecure.schemeData[SCHEMEF-ITEMSNB]': '02' },
    };
    const made = await call('POST', '/v1/payments', everything);
    expect(made).toMatchObject({
      status: 200,
      body: {
        amount: '92.00',
        card: { bin: '420000', last4Digits: '0000' },
        result: { avsResponse: 'F', cvvResponse: 'M' },
        risk: { score: '-20' },
        cart: { items: [{ name: 'Book' }, { name: 'Pen', price: '2.00' }] },
        threeDSecure: { v2: { schemeA: { requestorId: '1' } }, schemeData: { 'SCHEMEF-ITEMSNB': '02' } },
      },
    });
    const { id = '', registrationId } = made.body;
    expect((await call('GET', `/v1/payments/${id}`)).status).toBe(200);
    expect((await call('GET', `/v1/registrations/${String(registrationId)}`)).status).toBe(200);
    const account = {
      'bankAccount.iban': 'DE89370400440532013000',
      'bankAccount.bic': 'COBADEFFXXX',
      'bankAccount.holder': 'Jane Jones',
    };
    const registration = await idOf('/v1/registrations', { paymentBrand: 'DIRECTDEBIT_SEPA', ...account });
    const read = await call('GET', `/v1/registrations/${registration}`);
    expect(read.body).toMatchObject({
      account: { last4Digits: '3000' },
      bankAccount: { holder: 'Jane Jones' },
    });
  });

  test('of a capture, a reversal and a refund, also if it is declined', async () => {
    const id = await idOf('/v1/payments', payment('PA'));
    const follow = (paymentType: string, form: Form = {}, of = id) =>
      call('POST', `/v1/payments/${of}`, { paymentType, ...(form as object) });
    const capture = await follow('CP', money);
    expect(capture.body).toMatchObject({ paymentType: 'CP', referencedId: id });
    expect((await follow('RF', money, capture.body.id)).status).toBe(200);
    expect((await follow('RV')).status).toBe(200);
    const large = await idOf('/v1/payments', payment('PA', { amount: '9100.00' }));
    const declined = await follow('CP', { amount: '9000.51', currency: 'EUR' }, large);
    expect(declined).toMatchObject({ status: 400, body: { paymentType: 'CP', amount: '9000.51' } });
    const refused = await call('POST', '/v1/payments', payment('DB', { amount: '9000.51' }));
    expect(refused).toMatchObject({
      status: 400,
      body: { paymentType: 'DB', card: { last4Digits: '0000' } },
    });
  });

  test('of a registration, payments with it, and its end', async () => {
    const id = await idOf('/v1/registrations', card);
    const form = { paymentType: 'DB', ...money };
    expect((await call('POST', `/v1/registrations/${id}/payments`, form)).status).toBe(200);
    expect((await call('POST', '/v1/payments', { ...form, registrationId: id })).status).toBe(200);
    const declined = await call('POST', `/v1/registrations/${id}/payments`, { ...form, amount: '9000.51' });
    expect(declined.status).toBe(400);
    expect((await call('DELETE', `/v1/registrations/${id}`)).status).toBe(200);
    expect((await call('GET', `/v1/registrations/${id}`)).status).toBe(400);
  });

  test('of a checkout, for its merchant and for the form of its shopper', async () => {
    const form = { paymentType: 'DB', amount: '9000.51', currency: 'EUR', integrity: 'true' };
    const make = () => idOf('/v1/checkouts', { ...form, createRegistration: 'true' });
    const [id, other] = [await make(), await make()];
    const status = `/v1/checkouts/${id}/payment`;
    expect((await call('GET', status)).body.result?.code).toBe('000.200.000');
    expect((await call('GET', `/v1/checkouts/${id}/registration`)).status).toBe(200);
    expect((await call('GET', `/v1/paymentWidgets.js?checkoutId=${id}`)).status).toBe(200);
    const byShopper = (of: string, more: object = {}) =>
      gateway.call('POST', `/v1/checkouts/${of}/payment`, { ...card, ...more }, { token: null });
    expect(await byShopper(id)).toMatchObject({ status: 400, body: { id, resourcePath: status } });
    expect((await call('POST', status, card)).status).toBe(400);
    expect((await call('POST', `/v1/checkouts/${id}`, { amount: '6.00' })).status).toBe(200);
    const redirected = { ...form, 'customParameters[SIMULATOR]': 'SIMULATE REDIRECT' };
    const asynchronous = await idOf('/v1/checkouts', {
      ...redirected,
      shopperResultUrl: 'https://shop.example',
    });
    expect((await byShopper(asynchronous)).body).toHaveProperty('redirect.parameters');
    expect((await call('POST', status, card)).body).toMatchObject({ amount: '6.00', ndc: id });
    expect((await call('GET', status)).body).toMatchObject({ amount: '6.00' });
    expect((await call('GET', `/v1/checkouts/${id}/registration`)).body).toHaveProperty('card');
    expect((await call('POST', `/v1/checkouts/${id}`, { amount: '7.00' })).status).toBe(400);
    expect((await call('POST', `/v1/checkouts/${other}`, { amount: '6.00' })).status).toBe(200);
    expect((await byShopper(other)).status).toBe(200);
  });

  test('that does not find the registration which a parameter names, and says so', async () => {
    const form = { ...money, registrationId: unknownId };
    for (const [target, more] of [
      ['/v1/payments', { paymentType: 'DB' }],
      [schedulePath, { 'job.expression': '0 0 6 1 * ? *' }],
    ] as const) {
      expect(await call('POST', target, { ...form, ...more })).toMatchObject({
        status: 404,
        body: { result: { code: '700.400.580', parameterErrors: [{ name: 'registrationId' }] } },
      });
    }
  });

  test('of a schedule', async () => {
    const registrationId = await idOf('/v1/registrations', card);
    const plan = {
      'job.name': 'rent',
      'job.expression': '0 0 6 1 * ? *',
      'job.endDate': '2099-01-01 00:00:00',
    };
    const make = () => idOf(schedulePath, { registrationId, ...money, ...plan });
    const [one, two] = [await make(), await make()];
    expect((await call('GET', `${schedulePath}/${one}`)).body).toMatchObject({ job: { name: 'rent' } });
    const { sql } = gateway.database.database;
    await sql`update jobs set skipped_fires = 2, skipped_from = now(), skipped_to = now() where id = ${one}`;
    expect((await call('POST', `${schedulePath}/${one}/reschedule`, { amount: '6' })).body).toMatchObject({
      amount: '6.00',
      skipped: { fires: 2 },
      plan: { active: true },
    });
    expect((await call('DELETE', `${schedulePath}/${one}`)).body).toMatchObject({ plan: { active: false } });
    expect((await call('POST', `${schedulePath}/${two}/deschedule`, {})).status).toBe(200);
  });

  test('of a chargeback and its reversal', async () => {
    const id = await idOf('/v1/payments', payment('DB'));
    const booked = await call('POST', `/v1/chargebacks/${id}`, { chargebackResultCode: '000.100.220' });
    expect(booked.body).toMatchObject({ paymentType: 'CB', result: { code: '000.100.220' } });
    const reversed = await call('POST', `/v1/chargebacks/${booked.body.id ?? ''}/reversal`, {});
    expect(reversed).toMatchObject({ status: 200, body: { paymentType: 'CR' } });
  });

  test('of queries and reports, over what was imported and settled', async () => {
    const [header = '', ...payments] = readFileSync(path.join(fixture, 'payments.csv'), 'utf8').split('\n');
    const more = Array.from({ length: 101 }, (_, index) =>
      (payments[0] ?? '').replace(/^[^;]*/, String(index).padStart(32, '0')).replace('100.00', '7.00'),
    );
    const file = path.join(gateway.directory, 'payments.csv');
    writeFileSync(file, [header, ...more, ...payments].join('\n'));
    expect((await gateway.recon('payments', 'import', file)).code).toBe(0);
    const inbound = path.join(fixture, 'inbound/settlement-2026-11-19.csv');
    const [columns = '', first = '', ...rows] = readFileSync(inbound, 'utf8').trimEnd().split('\n');
    const settled = Array.from({ length: 101 }, (_, index) =>
      first.replace('CHARGEBACK;DEBIT;NEG', 'SETTLED;DEBIT;POS').replace('CB-1', `TX-${index}`),
    );
    const delivered = path.join(gateway.directory, 'settlement.csv');
    writeFileSync(delivered, `${[columns, first, ...rows, ...settled].join('\n')}\n`);
    await gateway.recon('run', '--as-of', '2026-11-20', '--file', delivered);

    expect((await call('GET', '/v1/query')).body).toHaveProperty('next');
    const linked = '/v1/query/8ac7a4a1000000000000000000000001?includeLinkedTransactions=true';
    expect((await call('GET', linked)).body['payments']).toHaveLength(3);
    expect((await call('GET', '/v1/query/8ac7a4a1000000000000000000000002')).body).toHaveProperty('amount');
    const page = await call('GET', '/v3/query?pageNo=1');
    expect(page.body).toMatchObject({ pages: 2, next: expect.any(String) as string });
    expect((await call('GET', `/v3/query?after=${String(page.body['next'])}`)).status).toBe(200);
    expect((await call('GET', linked.replace('v1', 'v3'))).body['records']).toHaveLength(3);
    await gateway.database.database.sql`
      insert into payments (id, payment_type, amount_minor, currency, result_code, requested_at, entity_id,
        referenced_payment_id)
      select md5('linked-' || n), 'RF', 1, 'EUR', '000.000.000', '2026-11-18T00:00:00Z', ${entity},
        '8ac7a4a1000000000000000000000001'
      from generate_series(1, 5000) n`;
    for (const [target, list] of [
      [linked, 'payments'],
      [linked.replace('v1', 'v3'), 'records'],
    ] as const) {
      const { body } = await call('GET', target);
      expect(body).toMatchObject({ moreLinked: true });
      expect(body[list]).toHaveLength(1 + 5000);
      const rest = (await call('GET', `${target}&after=${String(body['next'])}`)).body;
      expect(rest[list]).toHaveLength(2);
      expect(rest).not.toHaveProperty('next');
    }
    expect((await call('GET', `/reports/v1${aggregations}?${range}`)).body).toMatchObject({
      aggregations: [{ id: '2026-11-19-EUR' }],
    });
    expect((await call('GET', `/reports/v1${aggregations}/2026-11-19-EUR`)).status).toBe(200);
    for (const version of ['v1', 'v2']) {
      const wrong = `/reports/${version}${aggregations}/2026-11-19-EUR?sortOrder=up`;
      expect((await call('GET', wrong)).status).toBe(400);
    }
    const numbered = await call('GET', `/reports/v2${aggregations}/2026-11-19-EUR`);
    expect(numbered.body).toMatchObject({ pages: 2, pageNo: 1 });
    expect((await call('GET', '/v1/resultcodes')).status).toBe(200);
  });

  test('every operation gave every answer that depends on it', () => {
    const dependent = answerCheck.described.filter((one) => / (?:200|400|401|403|404)$/.test(one));
    expect(dependent.filter((one) => !answerCheck.met.has(one))).toEqual([]);
  });
});

test('everything that an answer may repeat of a request is described', () => {
  const names = requestKinds
    .filter((kind) => kind !== 'query' && kind !== 'reporting')
    .flatMap((kind) => describeParameters(kind))
    .filter(({ isSecret, name }) => !isSecret && /[.[]/.test(name))
    .map(({ name }) =>
      name.replaceAll('[n]', '[0]').replace('[key]', '[some_key]').replace('<scheme>', 'schemeF'),
    );
  expect(names.length).toBeGreaterThan(300);
  const [, ofAnswer] = answerCheck.components.find(([name]) => name === 'Payment') ?? [];
  const groups = new Set(Object.keys(ofAnswer?.properties ?? {}));
  const repeated = names.filter(
    (name) => groups.has(name.split(/[.[]/)[0] ?? '') && !/^(?:card|risk)[.]/.test(name),
  );
  const values = Object.fromEntries(repeated.map((name) => [name, 'x']));
  const violations = answerCheck.violations({ $ref: '#/components/schemas/Payment' }, nestParameters(values));
  // A value may be a code of a list; here only the names matter.
  expect(violations.filter((one) => one.includes('unevaluated'))).toEqual([]);
});

test('the examples of types are what their types say', () => {
  const withExamples = answerCheck.components.filter(([, { examples = [] }]) => examples.length > 0);
  expect(withExamples.map(([name]) => name)).toEqual(['Error', 'Payment']);
  for (const [name, { examples }] of withExamples) {
    const schema = { $ref: `#/components/schemas/${name}` };
    for (const one of examples ?? []) expect(answerCheck.violations(schema, one)).toEqual([]);
  }
});

test('a notification is what the document says of it', async () => {
  const shop = await receiver();
  const added = await gateway.recon(
    ...['webhooks', 'add', '--url', shop.url, '--by', 'test', '--entity', entity, '--json'],
    ...['--types', 'PAYMENT,REGISTRATION'],
  );
  const { id, key } = JSON.parse(added.stdout) as { id: string; key: string };
  try {
    await gateway.recon('webhooks', 'test', id);
    const forex = { 'forex.amount': '9.00', 'forex.currency': 'USD', createRegistration: 'true' };
    const paid = await idOf('/v1/payments', payment('DB', forex));
    await idOf(`/v1/payments/${paid}`, { paymentType: 'RF', ...money });
    const since = Date.now();
    while (shop.received.length < 4 && Date.now() - since < 60_000) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const sent = shop.received.map((one) => decrypted(one, key));
    expect(sent.map((one) => one?.type)).toEqual(['test', 'REGISTRATION', 'PAYMENT', 'PAYMENT']);
    for (const one of sent) {
      expect(answerCheck.violations({ $ref: '#/components/schemas/Notification' }, one)).toEqual([]);
    }
    const [received] = shop.received;
    const { parameters, requestBody } = answerCheck.webhook;
    for (const { name, schema } of parameters) {
      expect(answerCheck.violations(schema, received?.headers[name.toLowerCase()])).toEqual([]);
    }
    expect(answerCheck.violations(requestBody.content['text/plain'].schema, received?.body)).toEqual([]);
  } finally {
    await gateway.recon('webhooks', 'remove', id);
    await shop.close();
  }
});

test('an answer with a member that is not described differs from the document, at any depth', async () => {
  const form = payment('PA', { 'cart.items[0].name': 'Book' });
  const { text, status, headers } = await gateway.call('POST', '/v1/payments', form, { token });
  const differencesOf = (changed: string) =>
    answerCheck.differences({ method: 'POST', target: '/v1/payments', status, headers, text: changed });
  expect(differencesOf(text)).toEqual([]);
  for (const member of ['"result":{', '"card":{', '"items":[{', '{']) {
    expect(text).toContain(member);
    expect(differencesOf(text.replace(member, `${member}"surprise":"1",`))).not.toEqual([]);
  }
  expect(differencesOf(text.replace('"amount"', '"amout"'))).not.toEqual([]);
  expect(differencesOf(text.replace('"last4Digits":"0000"', '"last4Digits":0'))).not.toEqual([]);
});
