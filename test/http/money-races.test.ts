import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { card, payment, serve, type Reply, type Served } from './served.js';

/** The money rules of the core hold over HTTP too: fifty requests at once on real connections and a real PostgreSQL. */
let gateway: Served;

beforeAll(async () => {
  gateway = await serve('logLevel: trace\n');
});
afterAll(() => gateway.close());

type Parameters = Readonly<Record<string, string>>;

const post = (target: string, form: Parameters) => gateway.call('POST', target, form);

async function pay(paymentType: string, more: Parameters = {}): Promise<string> {
  const { status, body } = await post('/v1/payments', payment(paymentType, { amount: '100.00', ...more }));
  expect(status).toBe(200);
  return body.id ?? '';
}

const part = (paymentType: string, amount: string) => ({ paymentType, amount, currency: 'EUR' });

/** How many answers have each result code. */
function codes(answers: readonly Reply[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { body } of answers) {
    const code = body.result?.code ?? 'none';
    counts[code] = (counts[code] ?? 0) + 1;
  }
  return counts;
}

const fifty = (request: (index: number) => Promise<Reply>) =>
  Promise.all(Array.from({ length: 50 }, (_, index) => request(index)));

const approved = '000.100.110';

/** What is stored of a payment and everything that references it, in hundredths by type: successes only. */
async function stored(id: string): Promise<Record<string, bigint>> {
  const { sql } = gateway.database.database;
  const rows = await sql<{ paymentType: string; sum: bigint }[]>`
    with recursive family as (
      select id, payment_type, amount_minor, outcome from payments where id = ${id}
      union all
      select p.id, p.payment_type, p.amount_minor, p.outcome from payments p
      join family f on p.referenced_payment_id = f.id
    )
    select payment_type as "paymentType", sum(amount_minor)::bigint as sum from family
    where outcome = 'SUCCESS' group by 1`;
  return Object.fromEntries(rows.map(({ paymentType, sum }) => [paymentType, sum]));
}

/**
 * What is sent together must keep its order: a reader that came first would not see what was stored before the lock.
 */
test.each([
  ['a payment', () => pay('PA').then((id) => [`/v1/payments/${id}`, part('CP', '1.00')] as const)],
  ['a checkout', () => checkout().then((id) => [`/v1/checkouts/${id}/payment`, card] as const)],
])('F118 %s is locked before what was done with it is read', async (_what, prepare) => {
  const [target, form] = await prepare();
  const before = gateway.stderr().length;
  expect((await post(target, form)).status).toBe(200);
  const statements = gateway
    .stderr()
    .slice(before)
    .split('\n')
    .filter((line) => line.includes('"msg":"statement"'));
  const isRead = (line: string) => line.includes('family as (') || line.includes('where d.checkout_id =');
  const isLock = (line: string) =>
    /from ancestors join payments parent|from checkouts where id/.test(line) && !isRead(line);
  const order = statements.filter((line) => isLock(line) || isRead(line)).map(isLock);
  expect(order.slice(-2)).toEqual([true, false]);
});

async function checkout(): Promise<string> {
  const form = {
    paymentType: 'DB',
    amount: '1.00',
    currency: 'EUR',
    shopperResultUrl: 'https://shop.example/r',
  };
  return (await post('/v1/checkouts', form)).body.id ?? '';
}

test('F118 fifty captures of 30 on 100: exactly three, and never more than was authorised', async () => {
  const id = await pay('PA');
  const answers = await fifty(() => post(`/v1/payments/${id}`, part('CP', '30.00')));
  expect(codes(answers)).toMatchObject({ [approved]: 3 });
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(47);
  expect(await stored(id)).toEqual({ PA: 10_000n, CP: 9000n });
});

test('F118 F119 captures and refunds of them at once keep both bounds', async () => {
  const id = await pay('PA');
  const first = await post(`/v1/payments/${id}`, part('CP', '40.00'));
  const captured = first.body.id ?? '';
  await fifty((index) =>
    index % 2 === 0
      ? post(`/v1/payments/${id}`, part('CP', '35.00'))
      : post(`/v1/payments/${captured}`, part('RF', '15.00')),
  );
  expect(await stored(id)).toEqual({ PA: 10_000n, CP: 7500n, RF: 3000n });
});

test('F119 fifty refunds of 30 on a debit of 100: exactly three', async () => {
  const id = await pay('DB');
  const answers = await fifty(() => post(`/v1/payments/${id}`, part('RF', '30.00')));
  expect(codes(answers)).toMatchObject({ [approved]: 3 });
  expect(await stored(id)).toEqual({ DB: 10_000n, RF: 9000n });
});

describe('F120 reversals', () => {
  test('of fifty, with and without an amount, one wins', async () => {
    const id = await pay('PA');
    const answers = await fifty((index) =>
      post(`/v1/payments/${id}`, index % 2 === 0 ? part('RV', '100.00') : { paymentType: 'RV' }),
    );
    const { [approved]: won, ...lost } = codes(answers);
    expect(won).toBe(1);
    expect(Object.keys(lost)).toEqual(['700.300.300']);
    expect(await stored(id)).toEqual({ PA: 10_000n, RV: 10_000n });
  });

  test('against captures of everything: one of all wins', async () => {
    const id = await pay('PA');
    const answers = await fifty((index) =>
      post(`/v1/payments/${id}`, part(index % 2 === 0 ? 'RV' : 'CP', '100.00')),
    );
    expect(codes(answers)[approved]).toBe(1);
    const { PA: authorised, ...rest } = await stored(id);
    expect([authorised, Object.values(rest)]).toEqual([10_000n, [10_000n]]);
  });
});

test('F125 a registration is used or deleted, and never used after it was deleted', async () => {
  const { body } = await post('/v1/registrations', { ...card });
  const id = body.id ?? '';
  const one = () => post(`/v1/registrations/${id}/payments`, part('DB', '1.00'));
  const answers = await fifty((index) =>
    index === 25 ? gateway.call('DELETE', `/v1/registrations/${id}`) : one(),
  );
  expect(answers[25]?.status).toBe(200);
  const others = codes(answers.filter((_, index) => index !== 25));
  expect(Object.keys(others).filter((code) => code !== approved && code !== '100.150.202')).toEqual([]);
  expect(codes([await one()])).toEqual({ '100.150.202': 1 });
  const { sql } = gateway.database.database;
  const events = await sql<{ kind: string }[]>`
    select type || ' ' || action as kind from payment_events
    where payload ->> 'registrationId' = ${id} or resource_id = ${id} order by sequence`;
  expect(events).toHaveLength(2 + (others[approved] ?? 0));
  expect(events.at(-1)?.kind).toBe('REGISTRATION DELETED');
});

test('F124 the security code is stored nowhere, and the card number nowhere unencrypted', async () => {
  const number = '4929420573595709';
  const secret = { 'card.number': number, 'card.cvv': '9376' };
  const { body } = await post('/v1/registrations', { ...card, ...secret });
  await post('/v1/payments', payment('DB', { ...secret, createRegistration: 'true' }));
  await post('/v1/payments', payment('DB', { ...secret, amount: '9000.51' }));
  await post('/v1/payments', payment('DB', { ...secret, descriptor: `card ${number}` }));
  await post('/v1/payments', payment('XX', secret));
  const checkout = await post('/v1/checkouts', { paymentType: 'DB', amount: '1.00', currency: 'EUR' });
  const { paymentBrand, ...instrument } = { ...card, ...secret };
  const paid = await gateway.call(
    'POST',
    `/v1/checkouts/${checkout.body.id ?? ''}/payment`,
    { paymentBrand, ...instrument },
    { token: null },
  );
  expect(paid.status).toBe(200);
  const read = await gateway.call('GET', `/v1/registrations/${body.id ?? ''}`);
  expect(read.body).toMatchObject({ card: { bin: '492942', last4Digits: '5709' } });

  const { sql } = gateway.database.database;
  const tables = await sql<{ name: string }[]>`
    select quote_ident(table_name) as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema = 'public'`;
  const texts = [gateway.stderr(), read.text];
  for (const { name } of tables) {
    const rows = await sql.unsafe<{ row: string }[]>(`select to_jsonb(t)::text as row from ${name} t`);
    texts.push(rows.map(({ row }) => row).join('\n'));
  }
  // The four digits of a code occur in any identifier, and stand alone in one of 13,000 request ids.
  const requestIds = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
  const all = texts.join('\n').replaceAll(requestIds, 'request id');
  expect(all).toContain('5709');
  const leaks = /4929420573595709|4929 4205 7359 5709|(?<![0-9A-Za-z.])9376(?![0-9A-Za-z.])/g;
  const found = [...all.matchAll(leaks)].map(({ index }) => all.slice(Math.max(0, index - 60), index + 30));
  expect(found).toEqual([]);
});

describe('F126 a query', () => {
  test('has a bound, and its pages neither shift nor repeat while payments are made', async () => {
    const { sql } = gateway.database.database;
    const insert = (from: number, to: number) => sql`
      insert into payments (id, payment_type, amount_minor, currency, result_code, requested_at, entity_id)
      select lpad(n::text, 32, '0'), 'CD', 100, 'EUR', '000.000.000', '2026-11-01T00:00:00Z',
        ${'8a8294174b7ecb28014b9699220015ca'}::text
      from generate_series(${from}::int, ${to}::int) n`;
    await insert(1, 250);
    const seen: string[] = [];
    let after = '';
    for (let page = 0; page < 10; page += 1) {
      const cursor = after === '' ? '' : `&after=${encodeURIComponent(after)}`;
      const { body } = await gateway.call('GET', `/v1/query?paymentTypes=CD${cursor}`);
      const listed = body['payments'] as { id: string }[];
      expect(listed.length).toBeLessThanOrEqual(100);
      seen.push(...listed.map(({ id }) => id));
      if (typeof body['next'] !== 'string') break;
      after = body['next'];
      await insert(1000 + page * 50, 1049 + page * 50);
    }
    expect(seen).toEqual(
      Array.from({ length: 250 }, (_, index) => (250 - index).toString().padStart(32, '0')),
    );
  });

  test.each([
    ['limit=501', 'limit'],
    ['limit=1e2', 'limit'],
    ["paymentTypes=PA'%20or%201=1%20--", 'paymentTypes'],
    ['date.from=2026-11-20%2000:00:00', 'date.to'],
    ['after=1%20or%201=1', 'after'],
    ['pageNo=1%20or%201=1', 'pageNo'],
  ])('with %s is refused and names the parameter', async (query, name) => {
    const { status, body } = await gateway.call('GET', `/v3/query?${query}`);
    expect(status).toBe(400);
    expect(body.result?.parameterErrors?.map((error) => error.name)).toContain(name);
  });

  test('with an injection finds nothing', async () => {
    const query = new URLSearchParams({ merchantTransactionId: "' or 1=1 --" });
    expect((await gateway.call('GET', `/v1/query?${query.toString()}`)).status).toBe(404);
  });
});
