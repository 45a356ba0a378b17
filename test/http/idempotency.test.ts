import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  card,
  entity,
  otherEntity,
  payment,
  rawRequest,
  serve,
  type Form,
  type Reply,
  type Served,
} from './served.js';

/** Idempotency-Key: the same request is made once, however often it is sent. */
let gateway: Served;

beforeAll(async () => {
  gateway = await serve('logLevel: trace\n');
});
afterAll(() => gateway.close());

let number = 0;
const newKey = () => `key-${(number += 1)}`;

const post = (target: string, form: Form, key: string, token?: string) =>
  gateway.call('POST', target, form, {
    headers: { 'idempotency-key': key },
    ...(token === undefined ? {} : { token }),
  });

async function countOf(table: 'payments' | 'registrations' | 'checkouts' | 'jobs'): Promise<number> {
  const { sql } = gateway.database.database;
  const [row] = await sql<{ count: string }[]>`select count(*)::text from ${sql(table)}`;
  return Number(row?.count);
}

describe('the same request again gets the same answer and stores nothing', () => {
  test.each([
    ['a payment', '/v1/payments', payment('DB'), 'payments'],
    ['a declined payment', '/v1/payments', payment('DB', { amount: '9000.51' }), 'payments'],
    ['a registration', '/v1/registrations', card, 'registrations'],
    ['a checkout', '/v1/checkouts', { paymentType: 'DB', amount: '1.00', currency: 'EUR' }, 'checkouts'],
  ] as const)('%s', async (_what, target, form, table) => {
    const key = newKey();
    const first = await post(target, form, key);
    const before = await countOf(table);
    const second = await post(target, Object.fromEntries(Object.entries(form).reverse()), key);
    expect(second.status).toBe(first.status);
    expect(second.body).toEqual(first.body);
    expect(await countOf(table)).toBe(before);
  });

  test('a capture, and a schedule', async () => {
    const id = (await gateway.call('POST', '/v1/payments', payment('PA'))).body.id ?? '';
    const key = newKey();
    const capture = { paymentType: 'CP', amount: '40.00', currency: 'EUR' };
    const first = await post(`/v1/payments/${id}`, capture, key);
    expect(first.status).toBe(200);
    expect((await post(`/v1/payments/${id}`, capture, key)).body).toEqual(first.body);
    const registrationId = (await gateway.call('POST', '/v1/registrations', card)).body.id ?? '';
    const plan = { registrationId, amount: '5.00', currency: 'EUR', 'job.expression': '0 0 5 1 * ? *' };
    const jobKey = newKey();
    const [one, two] = [
      await post('/scheduling/v1/schedules', plan, jobKey),
      await post('/scheduling/v1/schedules', plan, jobKey),
    ];
    expect(one.body.id).toBe(two.body.id);
    const path = `/scheduling/v1/schedules/${one.body.id ?? ''}/deschedule`;
    const endKey = newKey();
    const ended = await post(path, {}, endKey);
    expect(ended).toMatchObject({ status: 200, body: { status: 'deleted' } });
    expect((await post(path, {}, endKey)).body).toEqual(ended.body);
    expect((await post(path, {}, newKey())).body.result?.code).toBe('100.360.303');
    expect((await post(path, {}, jobKey)).status).toBe(422);
  });
});

test.each([
  ['another amount', { amount: '93.00' }],
  ['another card', { 'card.number': '4111111111111111' }],
  ['another parameter', { descriptor: 'Shop' }],
])('a request with %s is refused under the same key', async (_what, more) => {
  const key = newKey();
  await post('/v1/payments', payment('DB'), key);
  const other = await post('/v1/payments', payment('DB', more), key);
  expect(other).toMatchObject({ status: 422, body: { result: { code: '200.300.404' } } });
  expect(other.body.result?.parameterErrors?.map(({ name }) => name)).toEqual(['Idempotency-Key']);
});

test('a request to another path is refused under the same key', async () => {
  const key = newKey();
  await post('/v1/payments', payment('DB'), key);
  expect((await post('/v1/registrations', card, key)).status).toBe(422);
});

test('F122 of many at once one pays; the others get its answer, or 409 while it is in progress', async () => {
  const key = newKey();
  const before = await countOf('payments');
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => post('/v1/payments', payment('DB'), key)),
  );
  expect(await countOf('payments')).toBe(before + 1);
  const paid = answers.filter(({ status }) => status === 200);
  expect(new Set(paid.map(({ body }) => body.id)).size).toBe(1);
  const others = answers.filter(({ status }) => status !== 200);
  for (const other of others)
    expect(other).toMatchObject({ status: 409, body: { result: { code: '800.700.100' } } });
  expect((await post('/v1/payments', payment('DB'), key)).body.id).toBe(paid[0]?.body.id);
});

test('F122 the key is locked before its use is looked up', async () => {
  const before = gateway.stderr().length;
  expect((await post('/v1/payments', payment('DB'), newKey())).status).toBe(200);
  const statements = gateway.stderr().slice(before);
  const lock = statements.indexOf('pg_try_advisory_xact_lock');
  expect(lock).toBeGreaterThan(0);
  expect(statements.lastIndexOf('select fingerprint')).toBeGreaterThan(lock);
});

test('F122 a key that another request is storing is not replaced, even by a request that does not see it', async () => {
  const key = newKey();
  const before = await countOf('payments');
  const { sql } = gateway.database.database;
  let sent: Promise<Reply> | undefined;
  await sql.begin(async (tx) => {
    await tx`
      insert into idempotency_keys (environment, entity_id, key, fingerprint, resource, resource_id, created_at)
      values ('test', ${entity}, ${key}, 'another request', 'payment', 'its payment', now())`;
    sent = post('/v1/payments', payment('DB'), key);
    await untilWaiting(sql);
  });
  expect(await sent).toMatchObject({ status: 422, body: { result: { code: '200.300.404' } } });
  expect(await countOf('payments')).toBe(before);
});

/** Until a request waits for the lock of a row. */
async function untilWaiting(sql: Served['database']['database']['sql']): Promise<void> {
  for (;;) {
    // The lock of a row belongs to no database, so the sessions are looked at: other tests use this server too.
    const [row] = await sql<{ n: number }[]>`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    if ((row?.n ?? 0) > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test('a refusal that stored nothing does not use the key up', async () => {
  const key = newKey();
  expect((await post('/v1/payments', payment('DB', { amount: '1.5' }), key)).status).toBe(400);
  expect((await post('/v1/payments', payment('DB'), key)).status).toBe(200);
});

test('a key belongs to one entity', async () => {
  const key = newKey();
  const token = await gateway.token('--entity', otherEntity);
  const mine = await post('/v1/payments', payment('DB'), key);
  const theirs = await post('/v1/payments', payment('DB'), key, token);
  expect(theirs.status).toBe(200);
  expect(theirs.body.id).not.toBe(mine.body.id);
});

test('F123 after a crash between payment and answer the key leads to the payment', async () => {
  const key = newKey();
  const first = await post('/v1/payments', payment('DB'), key);
  await gateway.database.database.sql`update idempotency_keys set answer = null where key = ${key}`;
  const again = await post('/v1/payments', payment('DB'), key);
  expect(again).toMatchObject({ status: 200, body: { id: first.body.id, result: first.body.result } });
});

test('F123 after the same crash a checkout is answered as before, with the hash of its script', async () => {
  const { sql } = gateway.database.database;
  const keys = [newKey(), newKey()] as const;
  const form = { paymentType: 'DB', amount: '1.00', currency: 'EUR', integrity: 'true' };
  const created = await post('/v1/checkouts', form, keys[0]);
  expect(created.body).toMatchObject({ integrity: expect.stringMatching(/^sha384-/) as string });
  const change = [`/v1/checkouts/${created.body.id ?? ''}`, { amount: '2.00' }] as const;
  const changed = await post(...change, keys[1]);
  await sql`update idempotency_keys set answer = null where key = any (${[...keys]})`;
  const again = [await post('/v1/checkouts', form, keys[0]), await post(...change, keys[1])];
  const withoutTime = ({ status, body }: Reply) => ({ status, body: { ...body, timestamp: '' } });
  expect(again.map(withoutTime)).toEqual([created, changed].map(withoutTime));
});

test('a key is forgotten after a day, and its row is removed', async () => {
  const { sql } = gateway.database.database;
  const key = newKey();
  const first = await post('/v1/payments', payment('DB'), key);
  await sql`update idempotency_keys set created_at = created_at - interval '25 hours'`;
  const again = await post('/v1/payments', payment('DB'), key);
  expect(again.body.id).not.toBe(first.body.id);
  expect(
    await sql`select key from idempotency_keys where created_at < now() - interval '1 day'`,
  ).toHaveLength(0);
});

test.each([['a'.repeat(256)], ['two words']])('a key that is no key is refused: %s', async (key) => {
  const answer = await post('/v1/payments', payment('DB'), key);
  expect(answer).toMatchObject({ status: 400, body: { result: { code: '200.300.404' } } });
});

test('two headers with a key are refused, with the header and the reason, even if the keys are equal', async () => {
  const [before, token] = [await countOf('payments'), await gateway.token()];
  for (const keys of [
    ['one', 'two'],
    ['one', 'one'],
  ]) {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/x-www-form-urlencoded',
      'idempotency-key': keys,
    };
    const body = new URLSearchParams(payment('DB')).toString();
    const answer = await rawRequest(gateway.url, { method: 'POST', path: '/v1/payments', headers, body });
    expect(answer.status).toBe(400);
    const { result } = JSON.parse(answer.body) as Reply['body'];
    expect(result?.parameterErrors).toEqual([
      { name: 'Idempotency-Key', value: null, message: 'Idempotency-Key is sent more than once' },
    ]);
  }
  expect(await countOf('payments')).toBe(before);
});

test('neither a card number nor a security code is stored with a key', async () => {
  await post('/v1/payments', payment('DB', { 'card.cvv': '987' }), newKey());
  const rows = await gateway.database.database.sql`select fingerprint, answer from idempotency_keys`;
  expect(JSON.stringify(rows)).not.toContain(card['card.number']);
  expect(JSON.stringify(rows)).not.toContain('card.cvv');
});
