import { afterAll, beforeAll, expect, test } from 'vitest';
import { otherEntity, payment, serve, type Reply, type Served } from '../served.js';

/** Limits per operation and entity, and of status reads per checkout. */
let gateway: Served;

beforeAll(async () => {
  gateway = await serve(`http:
  limits: { payments.create: { requests: 2, windowSeconds: 86400 } }
  checkoutStatusPerMinute: 2
`);
});
afterAll(() => gateway.close());

function expectThrottled(answer: Reply, mostSeconds: number): void {
  expect(answer).toMatchObject({ status: 429, body: { result: { code: '800.120.100' } } });
  const seconds = Number(answer.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(mostSeconds);
  expect(answer.body).not.toHaveProperty('retryAfterSeconds');
}

test('an operation is limited for each entity, and others are not', async () => {
  const pay = (token?: string) =>
    gateway.call('POST', '/v1/payments', payment('DB'), token === undefined ? {} : { token });
  const first = await pay();
  expect([first.status, (await pay()).status]).toEqual([200, 200]);
  expectThrottled(await pay(), 86_400);
  expect((await gateway.call('GET', `/v1/payments/${first.body.id ?? ''}`)).status).toBe(200);
  expect((await pay(await gateway.token('--entity', otherEntity))).status).toBe(200);
});

test('the status of a checkout is read twice a minute', async () => {
  const make = async () => {
    const form = { paymentType: 'DB', amount: '1.00', currency: 'EUR' };
    return (await gateway.call('POST', '/v1/checkouts', form)).body.id ?? '';
  };
  const [one, two] = [await make(), await make()];
  const read = (id: string) => gateway.call('GET', `/v1/checkouts/${id}/payment`);
  const answers = [await read(one), await read(one), await read(one)];
  // The minute may have changed in between.
  const throttled = answers.filter(({ status }) => status === 429);
  if (throttled[0] === undefined) expectThrottled(await read(one), 60);
  else expectThrottled(throttled[0], 60);
  expect((await read(two)).status).toBe(200);
  expect((await read('0'.repeat(32))).status).toBe(404);
});

test('the status of a checkout of another entity is 404, and its reads do not count', async () => {
  const form = { paymentType: 'DB', amount: '1.00', currency: 'EUR' };
  const { body } = await gateway.call('POST', '/v1/checkouts', form);
  const read = (token?: string) =>
    gateway.call(
      'GET',
      `/v1/checkouts/${body.id ?? ''}/payment`,
      undefined,
      token === undefined ? {} : { token },
    );
  const stranger = await gateway.token('--entity', otherEntity);
  for (let times = 0; times < 3; times += 1) expect((await read(stranger)).status).toBe(404);
  expect((await read()).status).toBe(200);
});
