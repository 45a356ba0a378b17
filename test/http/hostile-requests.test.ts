import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { card, entity, payment, serve, type Served } from './served.js';

/** Requests that are meant to break a server, or that two readers would understand differently. */
let gateway: Served;
let token = '';

beforeAll(async () => {
  gateway = await serve();
  token = await gateway.token();
});
afterAll(() => gateway.close());

const valid = new URLSearchParams(payment('DB')).toString();

test('F111 a packed body is not unpacked', async () => {
  const answer = await fetch(`${gateway.url}/v1/payments`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/x-www-form-urlencoded',
      'content-encoding': 'gzip',
    },
    body: gzipSync(valid),
  });
  expect(answer.status).toBe(415);
  // Not Content-Type, which is right.
  expect(await answer.json()).toMatchObject({
    result: { code: '200.300.404', parameterErrors: [{ name: 'Content-Encoding' }] },
  });
});

test.each([
  ['F113', '__proto__[isAdmin]=1'],
  ['F113', '__proto__.isAdmin=1'],
  ['F113', 'constructor.prototype.isAdmin=1'],
  ['F113', 'customer.__proto__.email=x'],
  ['F113', 'customParameters[__proto__]=x'],
  ['F114', `${'a.'.repeat(50)}b=1`],
  ['F114', `${'a'.repeat(10_000)}=1`],
  ['F114', `descriptor=${'x'.repeat(200_000)}`],
  ['F115', 'cart.items[-1].name=Shoe'],
  ['F115', 'cart.items[01].name=Shoe'],
  ['F115', 'cart.items[1e3].name=Shoe'],
  ['F115', 'cart.items[999999999].name=Shoe'],
  ['F115', 'cart.items[].name=Shoe'],
  ['F116', 'amount=1.00'],
  ['F116', '%61mount=1.00'],
])('%s %s is refused, and nothing is stored', async (_number, more) => {
  const answer = await gateway.call('POST', '/v1/payments', `${valid}&${more}`);
  expect(answer).toMatchObject({ status: 400, body: { result: { code: '200.300.404' } } });
  expect(answer.text.length).toBeLessThan(3000);
  expect(Object.prototype).not.toHaveProperty('isAdmin');
});

test.each([
  '1,00',
  '1.0',
  '1.000',
  '-1.00',
  '+1.00',
  '1e3',
  '0x10',
  ' 1.00',
  '１.00',
  '12345678901.00',
  'NaN',
  '1.00.00',
])('F117 the amount %j is refused', async (amount) => {
  const answer = await gateway.call('POST', '/v1/payments', payment('DB', { amount }));
  expect(answer.status).toBe(400);
  expect(answer.body.result?.parameterErrors?.map(({ name }) => name)).toEqual(['amount']);
});

/** Sends bytes; returns the status lines of all answers until the connection is closed. */
function statusLines(text: string): Promise<readonly string[]> {
  const { hostname, port } = new URL(gateway.url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.setEncoding('utf8').on('data', (data: string) => (answer += data));
    socket.on('close', () => resolve(answer.match(/HTTP\/1\.1 \d{3}/g) ?? [])).on('error', reject);
    setTimeout(() => socket.end(), 1000).unref();
  });
}

const head = (more: string) =>
  `POST /v1/payments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/x-www-form-urlencoded\r\n${more}\r\n\r\n`;
const smuggled = `GET /v1/payments/smuggled HTTP/1.1\r\nHost: x\r\n\r\n`;

test.each([
  ['two lengths', () => `${head(`Content-Length: 5\r\nContent-Length: 60`)}a=1&b${smuggled}`],
  [
    'a length and chunks',
    () => `${head('Content-Length: 5\r\nTransfer-Encoding: chunked')}0\r\n\r\n${smuggled}`,
  ],
  ['an unknown coding', () => `${head('Transfer-Encoding: x, chunked, identity')}0\r\n\r\n${smuggled}`],
  ['a broken chunk', () => `${head('Transfer-Encoding: chunked')}zz\r\n${smuggled}`],
  ['a folded header', () => `${head('X-A: 1\r\n Content-Length: 0')}${smuggled}`],
])('F127 %s: one refusal, and nothing after it is read as a request', async (_what, text) => {
  const answers = await statusLines(text());
  expect(answers).toHaveLength(1);
  expect(answers[0]).toMatch(/ 4\d\d$/);
});

/** Sends bytes; returns everything until the connection is closed. */
function exchanged(text: string): Promise<string> {
  const { hostname, port } = new URL(gateway.url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.setEncoding('utf8').on('data', (data: string) => (answer += data));
    socket.on('close', () => resolve(answer)).on('error', reject);
    setTimeout(() => socket.end(), 1000).unref();
  });
}

const withLength = `Content-Length: ${valid.length}\r\nConnection: close`;
const ending = 'Connection: close\r\n\r\n';

test.each([
  ['without Host', `GET /livez HTTP/1.1\r\n${ending}`, 400, '200.300.404'],
  ['without Host, which HTTP/1.0 has not', 'GET /livez HTTP/1.0\r\n\r\n', 200, '"ok"'],
  ['with an unknown expectation', () => head(`Expect: wonder\r\n${withLength}`), 417, '200.300.404'],
  [
    'with an id that is empty',
    () => `${head(withLength).replace('payments', 'payments/')}${valid}`,
    404,
    '700.400.580',
  ],
  ['with a method of WebDAV', `PROPFIND /v1/payments HTTP/1.1\r\nHost: x\r\n${ending}`, 405, '200.300.403'],
  ['with a method of CalDAV', `REPORT /livez HTTP/1.1\r\nHost: x\r\n${ending}`, 405, '200.300.403'],
  ['about the server', `OPTIONS * HTTP/1.1\r\nHost: x\r\n${ending}`, 204, 'allow: GET, HEAD'],
  [
    'with an escape that cannot be decoded',
    `GET /v1/payments/%zz HTTP/1.1\r\nHost: x\r\n${ending}`,
    404,
    '700.400.580',
  ],
  [
    'with its headers in capitals',
    () => `${head(withLength).replace(/^(?!POST)[\w-]+(?=:)/gm, (name) => name.toUpperCase())}${valid}`,
    200,
    '000.100.110',
  ],
  [
    'in one chunk',
    () =>
      `${head('Transfer-Encoding: chunked\r\nConnection: close')}${valid.length.toString(16)}\r\n${valid}\r\n0\r\n\r\n`,
    200,
    '000.100.110',
  ],
  [
    'that waits for 100 Continue',
    () => `${head(`Expect: 100-continue\r\n${withLength}`)}${valid}`,
    200,
    '000.100.110',
  ],
] as const)('F127 a request %s has one answer', async (_what, text, status, part) => {
  const answer = await exchanged(typeof text === 'string' ? text : text());
  const statuses = [...answer.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, one]) => Number(one));
  expect(statuses.filter((one) => one !== 100)).toEqual([status]);
  expect(answer).toContain(part);
  if (status === 405) expect(answer).toMatch(/^allow: .*OPTIONS/im);
});

test.each([
  ['that is accepted', () => head(`Expect: 100-continue\r\n${withLength}`), [100, 200]],
  [
    'without a valid token',
    () =>
      head(`Expect: 100-continue\r\n${withLength}`).replace(/^Authorization: .*/m, 'Authorization: Bearer x'),
    [403],
  ],
  ['that is too large', () => head('Expect: 100-continue\r\nContent-Length: 3000000'), [413]],
  [
    'of another type',
    () =>
      head(`Expect: 100-continue\r\n${withLength}`).replace(
        /^Content-Type: .*/im,
        'Content-Type: text/plain',
      ),
    [415],
  ],
] as const)(
  'the body of a request %s is asked for only if it will be read',
  async (_what, text, statuses) => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname, () => socket.write(text()));
    onTestFinished(() => void socket.destroy());
    const seen: number[] = [];
    await new Promise<void>((resolve) => {
      socket.setEncoding('utf8').on('data', (data: string) => {
        for (const [, status] of data.matchAll(/^HTTP\/1\.1 (\d+)/gm)) seen.push(Number(status));
        if (seen.at(-1) === 100) socket.write(valid);
        else resolve();
      });
    });
    expect(seen).toEqual(statuses);
  },
);

test.each(['Content-Length: 3000000', 'Transfer-Encoding: chunked'])(
  'a sender that goes on with a body that is too large (%s) can read the answer, and nothing after it is a request',
  async (length) => {
    const part = 'a'.repeat(100_000);
    const isChunked = length.startsWith('Transfer');
    const sent = isChunked ? `${part.length.toString(16)}\r\n${part}\r\n` : part;
    const { hostname, port } = new URL(gateway.url);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    let answers = '';
    const ended = new Promise((resolve) => socket.once('end', resolve));
    const closed = new Promise((resolve, reject) => socket.once('close', resolve).once('error', reject));
    socket.setEncoding('utf8').on('data', (data: string) => (answers += data));
    socket.write(head(length));
    // Like a proxy, which passes the body on whatever it receives meanwhile.
    for (let written = 0; written < 30; written += 1) {
      socket.write(sent);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await ended;
    socket.end(`${isChunked ? '0\r\n\r\n' : ''}GET /livez HTTP/1.1\r\nHost: x\r\n\r\n`);
    await closed;
    expect(answers.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 413']);
  },
);

const withoutToken = (text: string) => text.replace(/^Authorization: .*\r\n/m, '');

test.each([
  ['without a token', 401, withoutToken],
  [
    'with an unknown token',
    403,
    (text: string) => text.replace(/^(Authorization: Bearer ).*/m, `$1${'0'.repeat(64)}`),
  ],
  [
    'for a path that cannot be decoded',
    404,
    (text: string) => text.replace('/v1/payments', '/v1/payments/%zz'),
  ],
  ['of another type', 415, (text: string) => text.replace('x-www-form-urlencoded', 'json')],
  ['with an unknown expectation', 417, (text: string) => text.replace('Host:', 'Expect: wonder\r\nHost:')],
] as const)(
  'a request %s is answered (%i) before its body has come, so the connection ends: what comes next is not a payment',
  async (what, status, changed) => {
    const order = `order-${what.replaceAll(' ', '-')}`;
    const pay = new URLSearchParams(payment('DB', { merchantTransactionId: order })).toString();
    const { hostname, port } = new URL(gateway.url);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    let answers = '';
    const ended = new Promise((resolve) => socket.once('end', resolve));
    const closed = new Promise((resolve, reject) => socket.once('close', resolve).once('error', reject));
    socket.setEncoding('utf8').on('data', (data: string) => (answers += data));
    socket.write(`${changed(head('Content-Length: 2000'))}${'a'.repeat(500)}`);
    await ended;
    expect(answers).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*\\r\\nconnection: close\\r\\n`, 'i'));
    // A proxy that takes the connection for a free one sends the next request over it.
    socket.end(`${'a'.repeat(1500)}${head(`Content-Length: ${pay.length}`)}${pay}`);
    await closed;
    expect(answers.match(/HTTP\/1\.1 \d{3}/g)).toHaveLength(1);
    const found = await gateway.call('GET', `/v3/query?merchantTransactionId=${order}`);
    expect(found.status).toBe(404);
  },
);

test.each([
  ['without Host', `GET /livez HTTP/1.1\r\n${ending}`, 400],
  ['for an unknown path', `GET /v1/wonder HTTP/1.1\r\nHost: x\r\n${ending}`, 404],
  ['with a method of WebDAV', `PROPFIND /v1/payments HTTP/1.1\r\nHost: x\r\n${ending}`, 405],
  ['with an unknown expectation', `GET /livez HTTP/1.1\r\nHost: x\r\nExpect: wonder\r\n${ending}`, 417],
])(
  'the answer to a request %s has the headers of every answer, and its id is in the access log',
  async (_what, text, status) => {
    const answer = await exchanged(text);
    expect(answer).toContain(`HTTP/1.1 ${status} `);
    expect(answer).toContain('\r\nx-content-type-options: nosniff\r\n');
    expect(answer).toContain('\r\ncache-control: no-store\r\n');
    const id = /\r\nx-request-id: ([\w-]{36})\r\n/.exec(answer)?.[1] ?? 'none';
    await vi.waitFor(() => expect(gateway.stderr()).toContain(`"requestId":"${id}"`));
    const line =
      gateway
        .stderr()
        .split('\n')
        .find((one) => one.includes(id)) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({ status, address: '127.0.0.1' });
  },
);

test('a request whose body has come keeps its connection, whatever its answer is', async () => {
  const unknown = head(`Content-Length: ${valid.length}`).replace(token, '0'.repeat(64));
  const answers = await statusLines(
    `${unknown}${valid}GET /v1/payments/x HTTP/1.1\r\nHost: x\r\n\r\n${head(withLength)}${valid}`,
  );
  expect(answers).toEqual(['HTTP/1.1 403', 'HTTP/1.1 401', 'HTTP/1.1 200']);
});

test('F127 two Authorization headers are malformed', async () => {
  const answers = await statusLines(
    `GET /v1/query HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
  );
  expect(answers).toEqual(['HTTP/1.1 401']);
});

test('F116 a parameter in the query and in the body is sent twice', async () => {
  const answer = await gateway.call('POST', `/v1/payments?amount=1.00&entityId=${entity}`, {
    ...payment('DB'),
    ...card,
  });
  expect(answer.body.result?.parameterErrors?.map(({ name }) => name)).toEqual(['amount']);
});
