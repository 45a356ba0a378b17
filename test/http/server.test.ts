import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { recon } from '../cli/recon.js';
import { administer, createTestDatabase } from '../support/database.js';
import { deferred } from '../support/deferred.js';
import { folderForThisTest } from '../support/test-folder.js';
import { untilSomebodyWaits } from '../support/until-somebody-waits.js';
import { card, payment, serve, type Served } from './served.js';

/** Starting and stopping the gateway, and clients that send slowly or too much. */

const keys = JSON.stringify({ current: 'a', keys: { a: '11'.repeat(32) }, lookup: '22'.repeat(32) });

test.each([
  ['plain HTTP beyond this machine', 'http: { host: 0.0.0.0 }', {}, 'can be reached from other machines'],
  ['live without keys', 'http: { environment: live }', {}, 'needs encryption keys'],
  [
    'keys that are not JSON, with the setting',
    '',
    { RECON_ENCRYPTION_KEYS: 'abc' },
    'The encryption keys of paymentCore.keysFile or RECON_ENCRYPTION_KEYS are not valid',
  ],
  ['keys that are not keys', '', { RECON_ENCRYPTION_KEYS: '{"current":"a"}' }, 'are not valid'],
  ['a key that is too short', 'paymentCore: { keysFile: short.json }', {}, 'are not valid (keys.a)'],
  [
    'a limit for an unknown operation',
    'http: { limits: { pay: { requests: 1, windowSeconds: 1 } } }',
    {},
    'no operation pay',
  ],
  ['an unknown setting', 'http: { prot: 8080 }', {}, 'did you mean port?'],
])('does not start: %s', async (_what, config, environment, message) => {
  const { run } = await installation(config);
  const ended = await run(['serve', '--port', '0'], environment);
  expect(ended).toMatchObject({ code: 2 });
  expect(ended.stderr).toContain(message);
  expect(ended.stderr).not.toContain('1111');
});

test('does not start when the port is taken', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as { port: number };
  const { run } = await installation('');
  const ended = await run(['serve', '--port', String(port)]);
  expect(ended).toMatchObject({ code: 2 });
  expect(ended.stderr).toContain('PORT_UNAVAILABLE');
  expect(ended.stderr).toContain('another program listens there');
});

async function installation(config: string) {
  const database = await createTestDatabase();
  const cwd = folderForThisTest();
  onTestFinished(() => database.drop());
  writeFileSync(path.join(cwd, 'short.json'), keys.replace('11'.repeat(32), '1111'), { mode: 0o600 });
  writeFileSync(path.join(cwd, 'recon.config.yaml'), config, { mode: 0o600 });
  const run = (args: string[], environment = {}) =>
    recon(args, { cwd, environment: { RECON_DATABASE_URL: database.url, ...environment } });
  return { run };
}

test('makes the keys of the test environment once, for their owner only, and shows them nowhere', async () => {
  const gateway = await serve();
  onTestFinished(() => gateway.close());
  const file = path.join(gateway.directory, 'data', 'payment-core-keys.json');
  expect(existsSync(file)).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { lookup } = JSON.parse(readFileSync(file, 'utf8')) as { lookup: string };
  expect(gateway.stderr()).not.toContain(lookup);
});

test('finishes the requests in progress when it is stopped, refuses new ones, and exits with 143', async () => {
  const gateway = await serve();
  const { sql } = gateway.database.database;
  const isLocked = deferred();
  const mayGoOn = deferred();
  const lock = sql.begin(async (tx) => {
    await tx`lock table payments in share mode`;
    isLocked.resolve();
    await mayGoOn.promise;
  });
  await isLocked.promise;
  const inProgress = gateway.call('POST', '/v1/payments', payment('DB'));
  await untilSomebodyWaits(gateway.database.url);
  const exit = gateway.stop();
  const isRefused = () =>
    gateway.call('GET', '/livez').then(
      () => false,
      () => true,
    );
  await vi.waitUntil(isRefused, { interval: 5, timeout: 10_000 });
  mayGoOn.resolve();
  const answered = await inProgress;
  expect(answered).toMatchObject({ status: 200, body: { paymentType: 'DB' } });
  await lock;
  expect(await exit).toBe(143);
  const [row] = await sql<
    { count: string }[]
  >`select count(*)::text from payments where id = ${answered.body.id ?? ''}`;
  expect(row?.count).toBe('1');
  await gateway.close();
});

test('what arrives on open connections when a stop begins is answered as usual, and what is late with 503', async () => {
  const gateway = await serve();
  onTestFinished(() => gateway.close());
  const token = await gateway.token();
  const { hostname, port } = new URL(gateway.url);
  const open = () => {
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    const connection = { socket, received: '' };
    socket.setEncoding('utf8').on('data', (text: string) => (connection.received += text));
    const ended = new Promise((resolve, reject) => socket.once('close', resolve).once('error', reject));
    return { connection, ended };
  };
  const [busy, idle, late] = [open(), open(), open()];
  for (const { connection } of [busy, idle]) {
    connection.socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
    await vi.waitUntil(() => connection.received.endsWith('{"status":"ok"}'));
  }
  late.connection.socket.write('GET /v1/query HTTP/1.1\r\n');
  const exit = gateway.stop();
  await vi.waitUntil(() => gateway.stderr().includes('The gateway stops'), { interval: 5 });
  const body = new URLSearchParams(payment('DB')).toString();
  const head = `Host: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${body.length}`;
  const type = 'Content-Type: application/x-www-form-urlencoded';
  busy.connection.socket.write(`POST /v1/payments HTTP/1.1\r\n${head}\r\n${type}\r\n\r\n${body}`);
  await busy.ended;
  expect(busy.connection.received).toContain('000.100.110');
  // This one is closed when the moment is over.
  await idle.ended;
  late.connection.socket.write('Host: x\r\n\r\n');
  await late.ended;
  expect(late.connection.received).toMatch(/HTTP\/1\.1 503 [^]*800\.800\.801/);
  expect(await exit).toBe(143);
});

test('a connection that was made before the stop, but not yet accepted, gets its answer', async () => {
  const gateway = await serve();
  onTestFinished(() => gateway.close());
  const { hostname, port } = new URL(gateway.url);
  const isSent = new Int32Array(new SharedArrayBuffer(4));
  const client = new Worker(
    `const { workerData: { isSent, port, hostname }, parentPort } = require('node:worker_threads');
    let answer = '';
    require('node:net').connect(port, hostname, function () {
      this.write('GET /livez HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n', () => {
        Atomics.store(isSent, 0, 1);
        Atomics.notify(isSent, 0);
      });
    }).on('data', (bytes) => (answer += bytes))
      .on('error', ({ code }) => (answer += code))
      .on('close', () => parentPort.postMessage(answer));`,
    { eval: true, workerData: { isSent, port: Number(port), hostname } },
  );
  const answered = once(client, 'message');
  await once(client, 'online');
  // The gateway, which is in this thread, accepts nothing while the thread waits.
  Atomics.wait(isSent, 0, 0);
  const exit = gateway.stop();
  const [answer] = (await answered) as [string];
  expect(answer).toContain('HTTP/1.1 200 OK');
  expect(await exit).toBe(143);
});

test.each([
  ['slow headers', 'POST /v1/payments HTTP/1.1\r\nHost: x\r\n'],
  [
    'a slow body',
    'POST /v1/payments HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\namount=1',
  ],
])('ends %s after http.requestTimeoutMs', async (_what, text) => {
  const gateway = await serve('http: { requestTimeoutMs: 300 }');
  onTestFinished(() => gateway.close());
  const token = await gateway.token();
  const answer = await exchange(
    gateway.url,
    text.replace('Host: x', `Host: x\r\nAuthorization: Bearer ${token}`),
  );
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(answer).toContain('request did not arrive in time');
});

test('ends a connection that its client keeps open after a slow body was refused', async () => {
  const gateway = await serve('http: { requestTimeoutMs: 300 }');
  onTestFinished(() => gateway.close());
  const { hostname, port } = new URL(gateway.url);
  const client = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  onTestFinished(() => void client.destroy());
  let received = '';
  client.on('data', (bytes: Buffer) => (received += bytes.toString('latin1')));
  // Only a connection that the server has closed both ways is reset by what comes later.
  const reset = new Promise((resolve) => client.once('error', resolve));
  const head = 'Host: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100000\r\n';
  const token = await gateway.token();
  client.write(`POST /v1/payments HTTP/1.1\r\nAuthorization: Bearer ${token}\r\n${head}\r\n`);
  const timer = setInterval(() => client.write('a'), 50);
  onTestFinished(() => clearInterval(timer));
  await reset;
  expect(received).toMatch(/^HTTP\/1\.1 408 /);
  expect(gateway.stderr()).toContain('did not close its connection');
  expect(gateway.stderr()).toContain('"status":408,"reason":"ERR_HTTP_REQUEST_TIMEOUT"');
});

test('ends a connection whose client does not read its answers, and a stop does not wait for it', async () => {
  const gateway = await serve('http: { requestTimeoutMs: 500 }');
  onTestFinished(() => gateway.close());
  const { hostname, port } = new URL(gateway.url);
  // The server may reset them.
  const open = () => connect(Number(port), hostname).on('error', () => undefined);
  const never = open().pause();
  const closed = new Promise((resolve) => never.once('close', resolve));
  // More than the buffers of the operating system take.
  never.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200));
  await vi.waitUntil(() => gateway.stderr().includes('did not read its answer'), { timeout: 45_000 });
  never.resume();
  await closed;
  expect((await gateway.call('GET', '/livez', undefined, { token: null })).status).toBe(200);
  const other = open();
  other.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200));
  await once(other, 'data');
  other.pause();
  const began = performance.now();
  expect(await gateway.stop()).toBe(143);
  expect(performance.now() - began).toBeLessThan(20_000);
  other.destroy();
});

test('answers a client that has closed its sending side, also if its request is cut off', async () => {
  const gateway = await serve();
  onTestFinished(() => gateway.close());
  const token = await gateway.token();
  const { hostname, port } = new URL(gateway.url);
  const body = new URLSearchParams(payment('DB')).toString();
  const exchanged = (sent: string) =>
    new Promise<string>((resolve, reject) => {
      let answer = '';
      const head = `Host: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/x-www-form-urlencoded`;
      const text = `POST /v1/payments HTTP/1.1\r\n${head}\r\nContent-Length: ${body.length}\r\n\r\n${sent}`;
      const client = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
      client.setEncoding('utf8').on('data', (data: string) => (answer += data));
      // The server closes the connection after its answer.
      client.on('end', () => resolve(answer)).on('error', reject);
      client.end(text);
    });
  const whole = await exchanged(body);
  expect(whole).toMatch(/^HTTP\/1\.1 200 /);
  expect(whole).toContain('000.100.110');
  expect(await exchanged(body.slice(0, 20))).toMatch(/^HTTP\/1\.1 400 /);
  expect((await gateway.call('GET', '/v3/query')).body).toMatchObject({ records: [{ amount: '92.00' }] });
});

test('refuses headers that are too large and requests that are not HTTP', async () => {
  const gateway = await serve();
  onTestFinished(() => gateway.close());
  const large = await exchange(gateway.url, `GET /livez HTTP/1.1\r\nX-Filler: ${'x'.repeat(20_000)}\r\n\r\n`);
  expect(large).toMatch(/^HTTP\/1\.1 431 /);
  expect(large).toContain('headers are larger than 16 KB');
  const nonsense = await exchange(gateway.url, 'not http\r\n\r\n');
  expect(nonsense).toMatch(/^HTTP\/1\.1 400 /);
  expect(nonsense).toContain('200.300.404');
  expect(nonsense).toContain('request is not valid HTTP/1.1');
});

test('F136 /readyz is 503 while the database is unreachable, and /livez stays 200', async () => {
  const gateway = await serve();
  onTestFinished(() => gateway.close());
  const probe = async (target: string) =>
    (await gateway.call('GET', target, undefined, { token: null })).status;
  expect(await probe('/readyz')).toBe(200);
  await administer(`drop database ${gateway.database.name} with (force)`);
  expect(await probe('/readyz')).toBe(503);
  expect(await probe('/livez')).toBe(200);
  const paid = await gateway.call('POST', '/v1/payments', payment('DB'));
  expect(paid).toMatchObject({ status: 503, body: { result: { code: '800.800.202' } } });
});

test('F136 /readyz is 503 while the database only lets itself be read, and 200 again once it can be written', async () => {
  const gateway = await serve();
  onTestFinished(() => gateway.close());
  const { name } = gateway.database;
  const probe = () => gateway.call('GET', '/readyz', undefined, { token: null });
  // As after a fail-over: the sessions of before are gone, and the new ones may only read.
  const makeReadOnly = async (value: 'on' | 'off') => {
    await administer(`alter database ${name} set default_transaction_read_only = ${value}`);
    await administer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  };
  expect((await probe()).status).toBe(200);
  await makeReadOnly('on');
  await vi.waitFor(async () => {
    expect((await probe()).status).toBe(503);
    expect(gateway.stderr()).toContain('The database is read-only (a standby server');
  }, 10_000);
  await makeReadOnly('off');
  await vi.waitFor(async () => expect((await probe()).status).toBe(200), 10_000);
});

test('a changed encryption key: stored registrations can be charged with the new one alone', async () => {
  const [first, second, lookup] = ['11'.repeat(32), '33'.repeat(32), '22'.repeat(32)];
  const withKeys = (current: string, all: Record<string, string>) => ({
    RECON_ENCRYPTION_KEYS: JSON.stringify({ current, keys: all, lookup }),
  });
  const made = await serve('', withKeys('first', { first }));
  onTestFinished(() => made.close());
  const { 'card.cvv': _, ...instrument } = card;
  const registration = await made.call('POST', '/v1/registrations', instrument);
  const pay = { paymentType: 'DB', amount: '1.00', currency: 'EUR' };
  const charge = async (gateway: Served) =>
    (await gateway.call('POST', `/v1/registrations/${registration.body.id ?? ''}/payments`, pay)).body.result
      ?.code;
  expect(await charge(made)).toBe('000.100.110');
  await made.stop();
  // The other environment has other keys.
  const { sql } = made.database.database;
  await sql`
    insert into registrations select (jsonb_populate_record(r, jsonb_build_object('id', repeat('f', 32),
      'environment', 'live', 'account_key_id', 'live'))).* from registrations r`;

  const renewed = await serve('', withKeys('second', { first, second }), made);
  await vi.waitFor(() => expect(renewed.stderr()).toContain('encrypted again with the current key'), 10_000);
  await renewed.stop();
  const alone = await serve('', withKeys('second', { second }), made);
  expect(await charge(alone)).toBe('000.100.110');
  await alone.stop();
  expect(alone.stderr()).not.toContain('"level":50');
  const [{ live } = { live: 0n }] = await sql<{ live: bigint }[]>`
    select count(*) as live from registrations where account_key_id = 'live'`;
  expect(live).toBe(1n);
});

/** Sends bytes and returns everything until the server closes the connection. */
function exchange(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.setEncoding('utf8').on('data', (data: string) => (answer += data));
    socket.on('close', () => resolve(answer)).on('error', reject);
  });
}

test('F136 a search that fails in the middle of its result changes no later answer', async () => {
  const gateway = await serve();
  onTestFinished(() => gateway.close());
  const { sql } = gateway.database.database;
  const merchantTransactionId = 'order-0001';
  const ids: string[] = [];
  for (let made = 0; made < 4; made += 1) {
    ids.push(
      (await gateway.call('POST', '/v1/payments', payment('DB', { merchantTransactionId }))).body.id ?? '',
    );
  }
  // As when the server cannot read a value of the third payment.
  await sql.unsafe(`
    create function readable(id text) returns text stable cost 1000 language plpgsql as $$
      begin if id = '${ids[2] ?? ''}' then raise 'unreadable'; end if; return 'test'; end $$;
    alter table payments rename to stored;
    create view payments as select key, id, short_id, payment_type, readable(id) as payment_brand, amount_minor, currency,
      result_code, outcome, merchant_transaction_id, merchant_invoice_id, entity_id, connector_tx_id1, connector_tx_id2,
      connector_tx_id3, account_number_last4, requested_at, referenced_payment_id from stored`);
  const failed = await Promise.all(
    ids.map(() => gateway.call('GET', `/v1/query?merchantTransactionId=${merchantTransactionId}`)),
  );
  expect(failed.map(({ status }) => status)).not.toContain(200);
  await sql.unsafe('drop view payments; alter table stored rename to payments');
  for (const id of [...ids, ...ids]) {
    const read = await gateway.call('GET', `/v1/payments/${id}`);
    expect(read).toMatchObject({ status: 200, body: { id } });
  }
});
