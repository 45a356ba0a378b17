import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { entity, otherEntity, payment, serve, type Served } from './served.js';

/** A payment is stored by a statement that also checks the token of its sender. */
let gateway: Served;
let token: string;
let id: string;

beforeAll(async () => {
  gateway = await serve('logLevel: trace\n');
});
afterAll(() => gateway.close());

beforeEach(async () => {
  const made = await gateway.recon('tokens', 'create', '--json', '--by', 'test', '--entity', entity);
  ({ id, token } = JSON.parse(made.stdout) as { id: string; token: string });
  // From then on, the gateway remembers the token.
  expect((await pay()).status).toBe(200);
});

const pay = (form: Readonly<Record<string, string>> = {}, headers: Readonly<Record<string, string>> = {}) =>
  gateway.call('POST', '/v1/payments', payment('DB', form), { token, headers });

const sql = () => gateway.database.database.sql;
const revoke = () => sql()`update api_tokens set revoked_at = now() where id = ${id}`;

async function stored(): Promise<readonly [payments: number, notifications: number]> {
  const [row] = await sql()<{ payments: number; events: number }[]>`
    select (select count(*)::int from payments) as payments, (select count(*)::int from payment_events) as events`;
  return [row?.payments ?? 0, row?.events ?? 0];
}

/** The statements that the log has so far. */
const statements = () =>
  gateway
    .stderr()
    .split('\n')
    .filter((line) => line.includes('"msg":"statement"'));

test('F109 a payment with a token that was used before needs one statement', async () => {
  const before = statements().length;
  expect((await pay()).status).toBe(200);
  // Due jobs and status updates are looked up in between.
  const made = statements()
    .slice(before)
    .filter((line) => /api_tokens|payment/.test(line) && !line.includes('from status_updates'));
  expect(made).toHaveLength(1);
});

test.each([
  ['a payment', {}, {}],
  ['a payment that is not valid', { amount: 'much' }, {}],
  ['a payment that makes a registration', { createRegistration: 'true' }, {}],
  ['a payment with an idempotency key', {}, { 'idempotency-key': 'once' }],
  ['a follow-up of a payment', { referenceUuid: 'x' }, {}],
  ['a payment with a registration', { registrationId: 'x' }, {}],
])('F109 after a revocation, %s is refused at once, and stores nothing', async (_what, form, headers) => {
  const before = await stored();
  await revoke();
  const refused = await pay(form, headers);
  expect(refused).toMatchObject({ status: 403, body: { result: { code: '800.900.300' } } });
  expect(await stored()).toEqual(before);
});

test('F109 of payments that are stored together, only those with a valid token are stored', async () => {
  const [before] = await stored();
  await revoke();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? pay() : gateway.call('POST', '/v1/payments', payment('DB')),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(
    answers.map((_, index) => (index % 2 === 0 ? 403 : 200)),
  );
  expect((await stored())[0]).toBe(before + 10);
});

test.each([
  ['expired', sqlOf`expires_at = now()`, 403, '800.900.300'],
  ['lost its role', sqlOf`roles = '{reports}'`, 403, '800.900.301'],
  ['belongs to another entity', sqlOf`entity_ids = array[${otherEntity}]`, 403, '800.900.201'],
  ['belongs to another environment', sqlOf`environment = 'live'`, 403, '800.900.300'],
] as const)('F109 a token that %s is judged as it is stored now', async (_what, change, status, code) => {
  const before = await stored();
  await change(id);
  expect(await pay({ entityId: entity })).toMatchObject({ status, body: { result: { code } } });
  expect(await stored()).toEqual(before);
});

test('F109 the use of a token is noted to the minute', async () => {
  const used = async () => {
    const [row] = await sql()<{ at: string }[]>`select last_used_at as at from api_tokens where id = ${id}`;
    return row?.at;
  };
  const first = await used();
  await pay();
  expect(await used()).toBe(first);
});

/** A change of the token of a test. */
function sqlOf(text: TemplateStringsArray, ...values: readonly string[]) {
  const change = text.reduce(
    (all, part, index) => `${all}${part}${index < values.length ? `'${values[index] ?? ''}'` : ''}`,
    '',
  );
  return (tokenId: string) => sql().unsafe(`update api_tokens set ${change} where id = '${tokenId}'`);
}
