import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { card, cardNumber, entity, otherEntity, payment, rawRequest, serve, type Served } from './served.js';

/** The gateway as an integrator sees it: real HTTP, a real PostgreSQL, the commands of the operator. */
let gateway: Served;

beforeAll(async () => {
  gateway = await serve();
});
afterAll(() => gateway.close());

const idPattern = /^[a-z0-9]{32}$/;

/** Makes a payment and returns its id. */
async function pay(paymentType: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const { body } = await gateway.call('POST', '/v1/payments', payment(paymentType, more));
  expect(body.result?.code).toBe('000.100.110');
  return body.id ?? '';
}

describe('payments', () => {
  test('a preauthorisation is captured in part, and the capture is refunded', async () => {
    const id = await pay('PA', { merchantTransactionId: 'order-4711' });
    const part = { paymentType: 'CP', amount: '90.00', currency: 'EUR' };
    const captured = await gateway.call('POST', `/v1/payments/${id}`, part);
    expect(captured.status).toBe(200);
    expect(captured.body).toMatchObject({ paymentType: 'CP', amount: '90.00', referencedId: id });

    const refund = { paymentType: 'RF', amount: '10.00', currency: 'EUR' };
    const refunded = await gateway.call('POST', `/v1/payments/${captured.body.id ?? ''}`, refund);
    expect(refunded).toMatchObject({
      status: 200,
      body: { paymentType: 'RF', referencedId: captured.body.id },
    });

    const read = await gateway.call('GET', `/v1/payments/${id}?entityId=${entity}`);
    expect(read).toMatchObject({
      status: 200,
      body: {
        id,
        merchantTransactionId: 'order-4711',
        card: { bin: '420000', last4Digits: '0000', holder: 'Jane Jones' },
      },
    });
    expect(read.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(read.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
    expect(read.headers.get('cache-control')).toBe('no-store');
    expect(read.text).not.toContain(cardNumber);
  });

  test('a declined payment is 400 with the payment, and 200 when it is read', async () => {
    const declined = await gateway.call('POST', '/v1/payments', payment('DB', { amount: '9000.51' }));
    expect(declined).toMatchObject({
      status: 400,
      body: { paymentType: 'DB', result: { code: '800.100.155' }, card: { last4Digits: '0000' } },
    });
    const read = await gateway.call('GET', `/v1/payments/${declined.body.id ?? ''}`);
    expect(read).toMatchObject({ status: 200, body: { result: { code: '800.100.155' } } });
  });

  test('an invalid request names every violation and stores nothing', async () => {
    const { status, body } = await gateway.call('POST', '/v1/payments', {
      ...card,
      amount: '1.5',
      currency: 'eur',
    });
    expect(status).toBe(400);
    expect(body.result?.code).toBe('200.300.404');
    expect(body.result?.parameterErrors?.map(({ name }) => name)).toEqual([
      'amount',
      'currency',
      'paymentType',
    ]);
    expect(body).toMatchObject({
      id: expect.any(String) as string,
      ndc: expect.any(String) as string,
      buildNumber: expect.any(String) as string,
      timestamp: expect.any(String) as string,
    });
  });
});

describe('registrations, one-click payments and schedules', () => {
  const schedule = { paymentType: 'SD', amount: '5.00', currency: 'EUR', 'job.expression': '0 0 5 1 * ? *' };
  let id = '';

  beforeAll(async () => {
    const made = await gateway.call('POST', '/v1/registrations', card);
    expect(made).toMatchObject({ status: 200, body: { card: { last4Digits: '0000' } } });
    id = made.body.id ?? '';
  });

  test('a registration is read, pays, and is deleted', async () => {
    expect(await gateway.call('GET', `/v1/registrations/${id}`)).toMatchObject({ status: 200, body: { id } });
    const { 'card.number': _, ...amount } = {
      paymentType: 'DB',
      amount: '7.00',
      currency: 'EUR',
      'card.number': '',
    };
    const paid = await gateway.call('POST', `/v1/registrations/${id}/payments`, {
      ...amount,
      'card.cvv': '123',
    });
    expect(paid).toMatchObject({ status: 200, body: { registrationId: id, amount: '7.00' } });
    const other = (await gateway.call('POST', '/v1/registrations', card)).body.id ?? '';
    expect(await gateway.call('DELETE', `/v1/registrations/${other}?entityId=${entity}`)).toMatchObject({
      status: 200,
    });
    expect(await gateway.call('GET', `/v1/registrations/${other}`)).toMatchObject({
      status: 400,
      body: { result: { code: '100.150.202' } },
    });
  });

  test('a schedule without anything names everything that is missing or wrong', async () => {
    const named = async (form: Readonly<Record<string, string>>) =>
      (await gateway.call('POST', '/scheduling/v1/schedules', form)).body.result?.parameterErrors?.map(
        ({ name }) => name,
      );
    expect(await named({})).toEqual(['registrationId', 'amount', 'currency']);
    expect(await named({ 'job.hour': '25' })).toEqual(['registrationId', 'job.hour', 'amount', 'currency']);
    expect(await named({ amount: '1.00', currency: 'EUR' })).toEqual(['registrationId']);
    expect(await named({ registrationId: '0'.repeat(32), 'job.hour': '25' })).toEqual([
      'job.hour',
      'amount',
      'currency',
    ]);
  });

  test('a schedule is made, read, changed and ended', async () => {
    const made = await gateway.call('POST', '/scheduling/v1/schedules', { ...schedule, registrationId: id });
    expect(made).toMatchObject({ status: 200, body: { registrationId: id, plan: { active: true } } });
    const target = `/scheduling/v1/schedules/${made.body.id ?? ''}`;
    expect(await gateway.call('GET', target)).toMatchObject({ status: 200, body: { status: 'active' } });
    const later = { paymentType: 'RS', 'job.expression': '0 0 6 1 * ? *' };
    expect(await gateway.call('POST', `${target}/reschedule`, later)).toMatchObject({
      status: 200,
      body: { expression: '0 0 6 1 * ? *' },
    });
    expect(await gateway.call('POST', `${target}/deschedule`, { paymentType: 'DS' })).toMatchObject({
      status: 200,
      body: { plan: { active: false } },
    });
    const second = await gateway.call('POST', '/scheduling/v1/schedules', {
      ...schedule,
      registrationId: id,
    });
    const ended = await gateway.call('DELETE', `/scheduling/v1/schedules/${second.body.id ?? ''}`);
    expect(ended).toMatchObject({ status: 200, body: { plan: { active: false } } });
  });
});

describe('checkouts', () => {
  test('a checkout is changed, paid by the form without a token, and its status read', async () => {
    const made = await gateway.call('POST', '/v1/checkouts', {
      ...{ paymentType: 'DB', amount: '92.00', currency: 'EUR' },
      createRegistration: 'true',
    });
    expect(made).toMatchObject({ status: 200, body: { result: { code: '000.200.100' } } });
    const id = made.body.id ?? '';
    expect(id).toMatch(/^[A-Za-z0-9-]{32,48}$/);
    expect(made.body.ndc).toBe(id);
    expect(await gateway.call('POST', `/v1/checkouts/${id}`, { amount: '93.00' })).toMatchObject({
      status: 200,
    });

    const resource = `/v1/checkouts/${id}/payment`;
    expect(await gateway.call('GET', resource)).toMatchObject({
      status: 200,
      body: { result: { code: '000.200.000' } },
    });
    const paid = await gateway.call('POST', resource, card, { token: null });
    expect(paid.status).toBe(200);
    expect(Object.keys(paid.body).sort()).toEqual(
      ['buildNumber', 'id', 'ndc', 'resourcePath', 'result', 'timestamp'].sort(),
    );
    expect(paid.body).toMatchObject({ id, resourcePath: resource });

    const read = await gateway.call('GET', `${resource}?entityId=${entity}`);
    expect(read).toMatchObject({ status: 200, body: { amount: '93.00', ndc: id, paymentType: 'DB' } });
    const registration = await gateway.call('GET', `/v1/checkouts/${id}/registration`);
    expect(registration).toMatchObject({ status: 200, body: { id: read.body['registrationId'] } });
  });

  test('an unknown checkout is 404 with the sentence that clients know', async () => {
    const unknown = '0'.repeat(32);
    for (const answer of [
      await gateway.call('GET', `/v1/checkouts/${unknown}/payment`),
      await gateway.call('POST', `/v1/checkouts/${unknown}/payment`, card, { token: null }),
      await gateway.call('POST', `/v1/checkouts/${unknown}`, { amount: '1.00' }),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { result: { code: '200.300.404' } } });
      expect(answer.body.result?.description).toContain('No payment session found for the requested id');
    }
  });
});

describe('query and reports', () => {
  test('a payment is found by its reference in both versions, with pages in version 3', async () => {
    const reference = 'order-of-two';
    const first = await pay('PA', { merchantTransactionId: reference });
    const second = await pay('DB', { merchantTransactionId: reference });
    const ids = (list: unknown) => (list as { id: string }[]).map(({ id }) => id);
    const v1 = await gateway.call('GET', `/v1/query?merchantTransactionId=${reference}`);
    expect(v1).toMatchObject({ status: 200, body: { result: { code: '000.000.100' } } });
    expect(ids(v1.body['payments'])).toEqual([second, first]);
    const v3 = await gateway.call('GET', `/v3/query?merchantTransactionId=${reference}&pageNo=1`);
    expect(ids(v3.body['records'])).toEqual([second, first]);
    expect(v3.body['pages']).toBe(1);
    expect(await gateway.call('GET', `/v1/query/${first}`)).toMatchObject({
      status: 200,
      body: { id: first },
    });
    expect(await gateway.call('GET', `/v3/query/${first}`)).toMatchObject({
      status: 200,
      body: { records: [{ id: first }], pages: 1 },
    });
    await gateway.call('POST', `/v1/payments/${first}`, {
      paymentType: 'CP',
      amount: '92.00',
      currency: 'EUR',
    });
    const linked = await gateway.call('GET', `/v3/query/${first}?includeLinkedTransactions=true`);
    expect(linked.body['records']).toHaveLength(2);
  });

  test.each([
    ['/v1/query?merchantTransactionId=nothing-like-it', 404, '700.400.580'],
    ['/v3/query/00000000000000000000000000000000', 404, '700.400.580'],
    ['/v3/query?pageNo=0', 400, '200.300.404'],
    ['/v3/query?limit=7', 400, '200.300.404'],
    ['/v1/query?after=x', 400, '200.300.404'],
    ['/v1/query?unheard=of', 400, '200.300.404'],
  ])('%s is %i with %s', async (target, status, code) => {
    expect(await gateway.call('GET', target)).toMatchObject({ status, body: { result: { code } } });
  });

  test.each([
    ['/v3/query?limit=7&pageNo=zero&after=x', { limit: '7', after: 'x', pageNo: 'zero' }],
    ['/v3/query?pageNo=2&after=17&paymentTypes=XX', { paymentTypes: 'XX', pageNo: '2' }],
    ['/v1/query?date.from=yesterday&after=x', { 'date.from': 'yesterday', 'date.to': null, after: 'x' }],
    ['/v1/query?after=4200000000000000x', { after: '420000******0000x' }],
  ])('%s reports everything that is wrong with it, with its value', async (target, wrong) => {
    const { status, body } = await gateway.call('GET', target);
    expect(status).toBe(400);
    const errors = body.result?.parameterErrors ?? [];
    expect(Object.fromEntries(errors.map(({ name, value }) => [name, value]))).toEqual(wrong);
    for (const { name, message } of errors) expect(message.startsWith(`${name} `)).toBe(true);
  });

  test.each([
    ['v1', 'after=x', { after: 'x' }],
    ['v2', 'pageNo=1.5', { pageNo: '1.5' }],
  ])('a report of version %s with %s reports it with the other violations', async (version, page, wrong) => {
    const token = await gateway.token('--role', 'reports');
    const target = `/reports/${version}/reconciliations/aggregations/2026-11-19-EUR?sortOrder=up&${page}`;
    const { status, body } = await gateway.call('GET', target, undefined, { token });
    expect(status).toBe(400);
    const errors = body.result?.parameterErrors ?? [];
    expect(Object.fromEntries(errors.map(({ name, value }) => [name, value]))).toEqual({
      sortOrder: 'up',
      ...wrong,
    });
  });

  test.each(['eu', 'usd', 'EUX', 'EUR,USD'])(
    'a summary of the currency %s reports it with the other violations',
    async (currency) => {
      const token = await gateway.token('--role', 'reports');
      const target = `/reports/v1/reconciliations/aggregations?date.from=2026-11-01&currency=${currency}`;
      const { status, body } = await gateway.call('GET', target, undefined, { token });
      expect(status).toBe(400);
      expect(body.result).toMatchObject({
        code: '200.300.404',
        parameterErrors: [
          { name: 'date.to' },
          {
            name: 'currency',
            value: currency,
            message: 'currency must be a currency code of ISO 4217 in capitals',
          },
        ],
      });
    },
  );

  test('reports need their role, and answer dates without settlement with an empty list', async () => {
    const target = '/reports/v1/reconciliations/aggregations?date.from=2026-11-01&date.to=2026-11-30';
    expect((await gateway.call('GET', target)).status).toBe(403);
    const token = await gateway.token('--role', 'reports');
    expect(await gateway.call('GET', target, undefined, { token })).toMatchObject({
      status: 200,
      body: { result: { code: '000.000.100' }, aggregations: [] },
    });
    for (const detail of ['v1', 'v2']
      .map((version) => `/reports/${version}/reconciliations/aggregations/2026-11-19-EUR`)
      .concat('/reports/v1/reconciliations/aggregations/2026-13-45-EUR')) {
      expect(await gateway.call('GET', detail, undefined, { token })).toMatchObject({ status: 404 });
    }
  });
});

test('the back office books a chargeback and reverses it', async () => {
  const token = await gateway.token('--role', 'backoffice');
  const id = await pay('DB');
  expect((await gateway.call('POST', `/v1/chargebacks/${id}`, {})).status).toBe(403);
  const booked = await gateway.call(
    'POST',
    `/v1/chargebacks/${id}`,
    { chargebackResultCode: '000.100.220' },
    { token },
  );
  expect(booked).toMatchObject({ status: 200, body: { paymentType: 'CB', result: { code: '000.100.220' } } });
  const reversed = await gateway.call(
    'POST',
    `/v1/chargebacks/${booked.body.id ?? ''}/reversal`,
    {},
    { token },
  );
  expect(reversed).toMatchObject({ status: 200, body: { paymentType: 'CR' } });
  // The list of the operator has the tokens that booked it.
  const { stdout } = await gateway.recon('chargebacks', 'list', '--json');
  const by = expect.stringMatching(/^token [0-9a-f]{16}$/) as string;
  expect(JSON.parse(stdout)).toMatchObject([
    { id: booked.body.id, paymentId: id, status: 'reversed', bookedBy: by, reversedBy: by },
  ]);
  expect((await gateway.call('GET', `/v1/query/${booked.body.id ?? ''}`, undefined, { token })).status).toBe(
    200,
  );
  const again = await gateway.call('POST', `/v1/chargebacks/${booked.body.id ?? ''}/reversal`, {}, { token });
  expect(again).toMatchObject({ status: 400, body: { result: { code: '700.400.410' } } });
  const other = await gateway.token('--role', 'backoffice', '--entity', otherEntity);
  const foreign = await gateway.call('POST', `/v1/chargebacks/${id}`, {}, { token: other });
  expect(foreign).toMatchObject({ status: 404, body: { result: { code: '700.400.580' } } });
  expect((await gateway.call('POST', '/v1/payments', payment('DB'), { token })).status).toBe(403);
});

describe('tokens', () => {
  test.each([
    ['no header', {}, 401, 'is required: Bearer and a token'],
    ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }, 401, 'must be Bearer and a token'],
    ['no token', { authorization: 'Bearer ' }, 401, 'must be Bearer and a token'],
    ['two words', { authorization: 'Bearer one two' }, 401, 'must be Bearer and a token'],
    [
      'an unknown token',
      { authorization: `Bearer ${'0'.repeat(64)}` },
      403,
      'names a token that does not exist, has ended or is of the other environment (test, live)',
    ],
  ])('F109 %s', async (_what, headers, status, reason) => {
    const answer = await gateway.call('GET', `/v1/payments/${'0'.repeat(32)}`, undefined, {
      token: null,
      headers,
    });
    const parameterErrors = [{ name: 'Authorization', value: null, message: `Authorization ${reason}` }];
    expect(answer).toMatchObject({ status, body: { result: { code: '800.900.300', parameterErrors } } });
    expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
  });

  test('are written without a space after the colon, and with the scheme in any case', async () => {
    const token = await gateway.token();
    const target = `/v1/query?merchantTransactionId=none-of-these`;
    const answer = await rawRequest(gateway.url, {
      method: 'GET',
      path: target,
      headers: { Authorization: `bearer ${token}` },
    });
    expect(answer.status).toBe(404);
  });

  test('F109 are bound to an environment, rotated with an overlap, and revoked at once', async () => {
    const target = `/v1/query?merchantTransactionId=none-of-these`;
    const statusOf = async (token: string) =>
      (await gateway.call('GET', target, undefined, { token })).status;
    expect(await statusOf(await gateway.token('--environment', 'live'))).toBe(403);

    const made = JSON.parse(
      (await gateway.recon('tokens', 'create', '--entity', entity, '--by', 'anna', '--json')).stdout,
    ) as { id: string; token: string };
    expect(Object.keys(made)).toEqual(['id', 'token']);
    expect(await statusOf(made.token)).toBe(404);
    const rotated = JSON.parse((await gateway.recon('tokens', 'rotate', made.id, '--json')).stdout) as {
      id: string;
      token: string;
    };
    expect([await statusOf(made.token), await statusOf(rotated.token)]).toEqual([404, 404]);
    expect((await gateway.recon('tokens', 'revoke', made.id)).code).toBe(0);
    expect([await statusOf(made.token), await statusOf(rotated.token)]).toEqual([403, 404]);
    // Rights that an administrator changes in the database count at once too.
    await gateway.database.database
      .sql`update api_tokens set roles = '{backoffice}' where id = ${rotated.id}`;
    const report = `/reports/v1/reconciliations/aggregations`;
    expect(await statusOf(rotated.token)).toBe(404);
    expect((await gateway.call('GET', report, undefined, { token: rotated.token })).status).toBe(403);

    const listed = await gateway.recon('tokens', 'list', '--json');
    const rows = JSON.parse(listed.stdout) as { id: string; status: string; lastUsedAt: string | null }[];
    expect(rows.find(({ id }) => id === made.id)).toMatchObject({
      status: 'revoked',
      replacedBy: rotated.id,
    });
    expect(rows.find(({ id }) => id === rotated.id)).toMatchObject({
      status: 'valid',
      createdBy: expect.any(String) as string,
    });
    expect(rows.find(({ id }) => id === rotated.id)?.lastUsedAt).not.toBeNull();
    const stored = await gateway.database.database.sql`select t::text as row from api_tokens t`;
    expect(JSON.stringify([listed.stdout, stored])).not.toContain(made.token);
    expect((await gateway.recon('tokens', 'revoke', 'unknown')).code).toBe(2);
    expect((await gateway.recon('tokens', 'create', '--entity', 'XYZ')).code).toBe(2);
  });

  test('F110 act for their own entities only', async () => {
    const id = await pay('DB');
    const foreign = await gateway.token('--entity', otherEntity);
    // As design 10 writes the command, and with the option repeated.
    const both = await gateway.token('--entity', entity, otherEntity);
    const repeated = await gateway.token('--entity', entity, '--entity', otherEntity);
    const read = (token: string, query = '') =>
      gateway.call('GET', `/v1/payments/${id}${query}`, undefined, { token });
    expect(await read(foreign)).toMatchObject({ status: 404, body: { result: { code: '700.400.580' } } });
    expect(await read(foreign, `?entityId=${entity}`)).toMatchObject({ status: 403 });
    for (const token of [both, repeated]) {
      expect(await read(token)).toMatchObject({ status: 400, body: { result: { code: '200.300.404' } } });
      expect(await read(token, `?entityId=${entity}`)).toMatchObject({ status: 200 });
    }
    expect(await read(both, `?entityId=${otherEntity}`)).toMatchObject({ status: 404 });
    expect(await read(both, `?entityId=nobody`)).toMatchObject({ status: 400 });
    const paid = await gateway.call('POST', '/v1/payments', payment('DB', { entityId: otherEntity }));
    const message = 'entityId is not an entity of the token';
    const parameterErrors = [{ name: 'entityId', value: otherEntity, message }];
    expect(paid).toMatchObject({ status: 403, body: { result: { code: '800.900.201', parameterErrors } } });
  });

  test('without the role of a path is refused with the role that is missing', async () => {
    const tokens = { reports: await gateway.token('--role', 'reports'), payments: await gateway.token() };
    const refusal = async (method: string, target: string, token: string) => {
      const { status, body } = await gateway.call(method, target, undefined, { token });
      return [status, body.result?.code, body.result?.parameterErrors?.[0]?.message];
    };
    const without = (role: string) => [
      403,
      '800.900.301',
      `Authorization names a token without the role ${role}, which this request needs`,
    ];
    expect(await refusal('POST', '/v1/payments', tokens.reports)).toEqual(without('payments'));
    const aggregations = '/reports/v1/reconciliations/aggregations';
    expect(await refusal('GET', aggregations, tokens.payments)).toEqual(without('reports'));
    const chargeback = `/v1/chargebacks/${'0'.repeat(32)}`;
    expect(await refusal('POST', chargeback, tokens.payments)).toEqual(without('backoffice'));
  });
});

describe('HTTP', () => {
  test.each([
    ['GET', '/v1/payment', 404, null],
    ['GET', '/', 404, null],
    ['GET', `/v1/payments/${'x'.repeat(200)}`, 404, null],
    ['GET', '/v1/payments', 405, 'POST, OPTIONS'],
    ['PUT', `/v1/payments/${'0'.repeat(32)}`, 405, 'POST, GET, HEAD, OPTIONS'],
    ['DELETE', '/v1/checkouts', 405, 'POST, OPTIONS'],
    ['PATCH', '/v3/query', 405, 'GET, HEAD, OPTIONS'],
    ['POST', '/livez', 405, 'GET, HEAD, OPTIONS'],
    ['DELETE', '/metrics', 405, 'GET, HEAD, OPTIONS'],
    ['OPTIONS', '/v1/payments', 204, 'POST, OPTIONS'],
    ['OPTIONS', '/v1/nothing', 404, null],
  ])('%s %s is %i', async (method, target, status, allow) => {
    const answer = await gateway.call(method, target);
    expect(answer.status).toBe(status);
    const methods = (text: string | null) => text?.split(', ').sort();
    expect(methods(answer.headers.get('allow'))).toEqual(methods(allow));
    if (status !== 204) {
      expect(answer.body.result?.code).toBe(status === 405 ? '200.300.403' : '700.400.580');
    }
  });

  test('a path that does not exist is not taken for an unknown payment', async () => {
    const about = async (path: string) => (await gateway.call('GET', path)).body.result?.parameterErrors;
    expect(await about('/v1/payment')).toEqual([
      { name: 'path', value: null, message: 'path does not exist; /docs lists all paths' },
    ]);
    expect(await about('/v1/payments/')).toEqual([
      { name: 'path', value: null, message: 'path has nothing where the id belongs' },
    ]);
    expect(await about(`/v1/payments/${'0'.repeat(32)}`)).toBeUndefined();
  });

  test.each([
    ['GET', `/v1/payments/${'0'.repeat(32)}?4200000000000000=1&card.number=4200000000000000`],
    ['GET', '/v1/paymentWidgets.js?checkoutId=x&4200000000000000=1&card.number=4200000000000000'],
    [
      'POST',
      `/scheduling/v1/schedules/${'0'.repeat(32)}/deschedule?4200000000000000=1&card.number=4200000000000000`,
    ],
  ])('%s %s names what it does not accept, without a card number', async (method, target) => {
    const { status, body, text } = await gateway.call(method, target);
    expect(status).toBe(400);
    expect(body.result?.parameterErrors).toEqual([
      {
        name: '420000******0000',
        value: '***',
        message: '420000******0000 is not accepted here',
      },
      { name: 'card.number', value: '***', message: 'card.number is not accepted here' },
    ]);
    expect(text).not.toContain('4200000000000000');
  });

  test('HEAD has the headers of GET and no body', async () => {
    const id = await pay('DB');
    const answer = await gateway.call('HEAD', `/v1/payments/${id}`);
    expect(answer).toMatchObject({ status: 200, text: '' });
    expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(100);
    expect((await gateway.call('HEAD', `/v1/payments/${'0'.repeat(32)}`)).status).toBe(404);
  });

  test.each([
    ['JSON', 'application/json', '{"amount":"1.00"}', 415],
    ['another charset', 'application/x-www-form-urlencoded; charset=ISO-8859-1', 'amount=1.00', 415],
    ['multipart', 'multipart/form-data; boundary=x', '--x--', 415],
    ['bytes that are not UTF-8', 'application/x-www-form-urlencoded', 'card.holder=%E4%F6', 400],
    ['a percent sign without digits', 'application/x-www-form-urlencoded', 'descriptor=100%', 400],
    ['a parameter that is sent twice', 'application/x-www-form-urlencoded', 'amount=1.00&amount=2.00', 400],
    [
      'a body above the limit',
      'application/x-www-form-urlencoded',
      `descriptor=${'x'.repeat(1024 * 1024)}`,
      413,
    ],
    ['too many parameters', 'application/x-www-form-urlencoded', 'a=1&'.repeat(50_001), 400],
  ])('F111 F112 F116 %s', async (_what, type, body, status) => {
    const answer = await gateway.call('POST', '/v1/payments', body, { headers: { 'content-type': type } });
    expect(answer).toMatchObject({ status, body: { result: { code: '200.300.404' } } });
    expect(answer.body.result?.parameterErrors?.length).toBe(1);
  });

  test('a body is not read before the token', async () => {
    const answer = await gateway.call('POST', '/v1/payments', 'x'.repeat(900_000), { token: null });
    expect(answer.status).toBe(401);
  });

  test('the open paths need no token', async () => {
    const open = (target: string) => gateway.call('GET', target, undefined, { token: null });
    expect(await open('/livez')).toMatchObject({ status: 200 });
    expect(await open('/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } });
    const codes = await open('/v1/resultcodes');
    expect(codes.status).toBe(200);
    expect(codes.body['resultCodes']).toContainEqual(expect.objectContaining({ code: '000.100.110' }));
    const script = await open(`/v1/paymentWidgets.js?checkoutId=${'A'.repeat(32)}`);
    expect(script.status).toBe(200);
    expect(script.headers.get('content-type')).toContain('text/javascript');
  });
});

test('ids have the documented form', async () => {
  expect(await pay('DB')).toMatch(idPattern);
});

test('neither card numbers, security codes nor tokens are in the log', async () => {
  const token = await gateway.token();
  await gateway.call('POST', '/v1/payments', payment('DB', { 'card.holder': 'Nobody Else' }), { token });
  const log = gateway.stderr();
  expect(log).toContain('"path":"/v1/payments"');
  expect(log).not.toContain(cardNumber);
  expect(log).not.toContain('Nobody Else');
  expect(log).not.toContain(token);
});
