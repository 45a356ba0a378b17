import type { LookupAddress } from 'node:dns';
import { getEventListeners, once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import pino from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { guardedLookup, type Resolver } from '../../src/webhooks/guarded-lookup.js';
import { countDeliveries } from '../../src/webhooks/count-deliveries.js';
import type { DeliveryContext } from '../../src/webhooks/delivery-context.js';
import { deliverToWebhook } from '../../src/webhooks/deliver-to-webhook.js';
import { createPoster, type PosterSettings } from '../../src/webhooks/post-notification.js';
import { resealSecrets } from '../../src/webhooks/reseal-secrets.js';
import { replayEvents, retryDeadLetters } from '../../src/webhooks/send-again.js';
import { addWebhook, pauseWebhook, removeWebhook, resumeWebhook } from '../../src/webhooks/subscriptions.js';
import { allowedHosts } from '../../src/webhooks/webhook-url.js';
import { removeOldDeliveries, wakeDueWebhooks } from '../../src/webhooks/wake-webhooks.js';
import { selfSignedCertificate } from '../support/self-signed-certificate.js';
import { databaseForAllTests } from '../support/database.js';
import { encryptionKeys } from '../payment-core/support/test-core.js';
import { decrypted, receiver, type Behaviour, type Receiver } from './receiver.js';

const entity = '8a8294174b7ecb28014b9699220015ca';
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const testDatabase = databaseForAllTests();

interface Subscribed {
  readonly shop: Receiver;
  readonly id: string;
  readonly key: string;
  /** Tries to deliver what waits, once. */
  readonly deliver: (more?: Partial<DeliveryContext>) => Promise<number>;
}

const silent = pino({ enabled: false });
const usual: PosterSettings = { allowHosts: ['127.0.0.1'], timeoutMs: 500, authorities: null };

async function subscribed(
  settings: Partial<PosterSettings> = {},
  { url, resolve }: { url?: string; resolve?: Resolver } = {},
): Promise<Subscribed> {
  const { sql } = testDatabase.database;
  const shop = await receiver();
  const poster = createPoster({ ...usual, ...settings }, { resolve });
  const { id, key } = await addWebhook(
    sql,
    {
      environment: 'test',
      entityIds: [entity],
      types: ['PAYMENT'],
      url: url?.replace('PORT', String(shop.port)) ?? shop.url,
      wrapper: 'none',
      author: 'test',
    },
    // What is allowed when it is added need not be allowed when it is delivered to.
    { keys: encryptionKeys, allowed: allowedHosts([...usual.allowHosts, 'shop.example']) },
  );
  onTestFinished(async () => {
    await removeWebhook(sql, id).catch(() => undefined);
    poster.close();
    await shop.close();
  });
  const context: DeliveryContext = {
    sql,
    environment: 'test',
    keys: encryptionKeys,
    poster,
    logger: silent,
    clock: Date.now,
    timeoutMs: usual.timeoutMs,
    isEnding: () => false,
    stop: new AbortController().signal,
  };
  return { shop, id, key, deliver: (more = {}) => deliverToWebhook({ ...context, ...more }, id) };
}

/** Events as the payment core writes them. */
async function occur(...ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await testDatabase.database.sql`
      insert into payment_events (type, action, resource_id, environment, entity_id, payload, occurred_at)
      values ('PAYMENT', 'CREATED', ${id}, 'test', ${entity}, ${JSON.stringify({ id })}::text::jsonb, now())`;
  }
}

/** Makes what the database noted about deliveries older, as if this time had passed. */
async function pass(ms: number): Promise<void> {
  const { sql } = testDatabase.database;
  const time = sql`${ms}::float8 * interval '1 millisecond'`;
  await sql`update webhooks set next_attempt_at = next_attempt_at - ${time}`;
  await sql`update webhook_deliveries set queued_at = queued_at - ${time}`;
}

interface Row {
  readonly status: string;
  readonly attempts: number;
  readonly error: string | null;
}

const deliveries = (id: string): Promise<Row[]> =>
  Promise.resolve(testDatabase.database.sql<Row[]>`
    select status, attempts, last_error as error from webhook_deliveries where webhook_id = ${id} order by sequence`);

const webhookRow = async (id: string) => {
  const [row] = await testDatabase.database.sql<{ status: string; failures: number; error: string | null }[]>`
    select status, failures, last_error as error from webhooks where id = ${id}`;
  return row;
};

describe('a failing receiver', () => {
  test('is retried after growing pauses, then everything that waited is given up', async () => {
    const { shop, id, deliver } = await subscribed();
    shop.answer = 500;
    await occur('first', 'second');
    const waits = [1, 2, 4, 8, 15, 30, 60].map((minutes) => minutes * minuteMs);
    const attempts = [0, ...waits, ...Array<number>(30).fill(dayMs)];
    const almostMs = 20_000;
    for (const [index, wait] of attempts.entries()) {
      if (index > 0) {
        await pass(wait - almostMs);
        await deliver();
        expect(shop.received, `just before attempt ${index + 1}`).toHaveLength(index);
        expect((await deliveries(id)).map(({ status }) => status)).toEqual(['waiting', 'waiting']);
        await pass(almostMs);
      }
      await deliver();
      expect(shop.received, `attempt ${index + 1}`).toHaveLength(index + 1);
    }
    expect(new Set(shop.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const failure = 'the receiver answered 500';
    expect(await deliveries(id)).toEqual([
      { status: 'dead', attempts: attempts.length, error: failure },
      { status: 'dead', attempts: 0, error: `an earlier notification could not be delivered: ${failure}` },
    ]);
    expect(await countDeliveries(testDatabase.database.sql, 'test')).toMatchObject({
      waiting: 0,
      dead: 2,
      failingWebhooks: 1,
      disabledWebhooks: 0,
    });
    shop.answer = 200;
    expect(await retryDeadLetters(testDatabase.database.sql, id)).toMatchObject({ queued: 2 });
    expect(await deliver()).toBe(2);
  });

  test('gets everything in order once it is back, and the pauses are short again', async () => {
    const { shop, id, key, deliver } = await subscribed();
    shop.answer = 503;
    await occur('1', '2', '3');
    await deliver();
    await pass(minuteMs);
    await deliver();
    expect(await webhookRow(id)).toMatchObject({ failures: 2 });
    shop.answer = 200;
    await occur('4');
    await pass(2 * minuteMs);
    expect(await deliver()).toBe(4);
    expect(shop.received.map((one) => decrypted(one, key)?.payload.id)).toEqual([
      '1',
      '1',
      '1',
      '2',
      '3',
      '4',
    ]);
    expect(await webhookRow(id)).toEqual({ status: 'active', failures: 0, error: null });
    shop.answer = 500;
    await occur('5');
    await deliver();
    await pass(minuteMs);
    await deliver();
    expect(shop.received).toHaveLength(8);
  });

  test('has 30 days again after it was resumed', async () => {
    const { shop, id, deliver } = await subscribed();
    shop.answer = 410;
    await occur('1');
    await deliver();
    expect(await webhookRow(id)).toMatchObject({ status: 'disabled' });
    await pass(40 * dayMs);
    await deliver();
    expect(shop.received).toHaveLength(1);
    shop.answer = 500;
    expect(await resumeWebhook(testDatabase.database.sql, id)).toBe(1);
    await deliver();
    expect(await deliveries(id)).toMatchObject([{ status: 'waiting', attempts: 2 }]);
  });
});

describe('a wrong clock', () => {
  test('of the process changes nothing: the times are those of the database', async () => {
    const { shop, id, deliver } = await subscribed();
    shop.answer = 500;
    await occur('1');
    const clock = () => Date.now() + 400 * dayMs;
    expect([await deliver({ clock }), await deliver({ clock }), shop.received.length]).toEqual([0, 0, 1]);
    expect(await deliveries(id)).toMatchObject([{ status: 'waiting', attempts: 1 }]);
    shop.answer = 200;
    await pass(minuteMs);
    expect(await deliver()).toBe(1);
  });

  test('of the database silences no webhook once it is right again', async () => {
    const { shop, id, deliver } = await subscribed();
    const { sql } = testDatabase.database;
    await occur('1');
    await sql`select recon_queue.add_job('deliver-test', '{}', job_key => ${id}, run_at => now() + interval '400 days')`;
    await sql`
      update webhooks set failures = 2, next_attempt_at = now() + interval '400 days', claimed_by = 'killed',
        claimed_until = now() + interval '400 days'
      where id = ${id}`;
    expect([await wakeDueWebhooks(sql, 'test'), await wakeDueWebhooks(sql, 'test')]).toEqual([1, 0]);
    shop.answer = (response) => response.writeHead(503, { 'retry-after': '999999' }).end();
    expect([await deliver(), await deliver(), shop.received.length]).toEqual([0, 0, 1]);
    shop.answer = 200;
    await pass(dayMs);
    expect(await deliver()).toBe(1);
    await sql`select recon_queue.remove_job(${id})`;
  });
});

describe('a replay', () => {
  test('sends again what was received since a moment, also if it happened earlier', async () => {
    const { shop, id, deliver } = await subscribed();
    const { sql } = testDatabase.database;
    const { since } = (await sql<{ since: string }[]>`select now()::text as since`)[0] ?? { since: '' };
    await occur('before', 'chargeback', 'payment');
    // A chargeback of a settlement file happened on the day of its settlement.
    await sql`update payment_events set occurred_at = now() - interval '20 days' where resource_id <> 'payment'`;
    expect(await deliver()).toBe(3);
    await sql`
      update webhook_deliveries d set finished_at = now() - interval '1 day'
      from payment_events e where e.sequence = d.sequence and e.resource_id = 'before'`;
    expect(await replayEvents(sql, id, since)).toMatchObject({ queued: 2 });
    expect(await deliver()).toBe(2);
    const ids = shop.received.map(({ headers }) => headers['webhook-id']);
    expect(ids.slice(3)).toEqual(ids.slice(1, 3));
  });
});

const cases: readonly (readonly [string, Behaviour, string])[] = [
  [
    'a redirect',
    (response) => response.writeHead(302, { location: '/notify' }).end(),
    'answered 302 (redirects',
  ],
  [
    'a permanent redirect',
    (response) => response.writeHead(308, { location: '/notify' }).end(),
    'answered 308',
  ],
  ['no answer', () => undefined, 'no answer within 0.5 s'],
  ['a closed connection', (response) => response.socket?.destroy(), 'closed before an answer'],
  ['an answer that is not HTTP', (response) => response.socket?.end('hello\r\n\r\n'), 'is not HTTP/1.1'],
  [
    'headers without end',
    (response) => response.socket?.write(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}`),
    'too long',
  ],
];

describe('F130 an answer that is no success', () => {
  test.each(cases)('%s counts as a failure', async (_what, answer, reason) => {
    const { shop, id, deliver } = await subscribed();
    shop.answer = answer;
    await occur('1');
    expect(await deliver()).toBe(0);
    expect(shop.received).toHaveLength(1);
    const [row] = await deliveries(id);
    expect(row).toMatchObject({ status: 'waiting', attempts: 1 });
    expect(row?.error).toContain(reason);
  });

  test('a body without end holds nothing up, because the status is known', async () => {
    const { shop, deliver } = await subscribed();
    let written = 0;
    shop.answer = (response) => {
      response.writeHead(200);
      const write = (): void => {
        if (response.destroyed) return;
        written += 1;
        response.write('x'.repeat(8192), () => setImmediate(write));
      };
      write();
    };
    await occur('1', '2');
    expect(await deliver()).toBe(2);
    const before = written;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(written - before).toBeLessThan(1000);
  });

  test('a body that stops before its end does not keep the connection', async () => {
    const { shop, deliver } = await subscribed();
    let closed: Promise<unknown> | undefined;
    shop.answer = (response) => {
      closed = once(response, 'close');
      response.writeHead(200);
      response.write('x');
    };
    await occur('1');
    expect(await deliver()).toBe(1);
    await closed;
  });

  test('a kept connection that the receiver closes at the next request is replaced at once', async () => {
    const { shop, id, deliver } = await subscribed();
    await occur('1');
    expect(await deliver()).toBe(1);
    shop.answer = (response) => {
      shop.answer = 200;
      response.socket?.destroy();
    };
    await occur('2');
    expect(await deliver()).toBe(1);
    const [, closed, again] = shop.received;
    expect(again?.headers['webhook-id']).toBe(closed?.headers['webhook-id']);
    expect(shop.received).toHaveLength(3);
    expect(await deliveries(id)).toMatchObject(Array(2).fill({ status: 'delivered', attempts: 1 }));
  });

  test('a receiver that often says when to come back is not tried more rarely for that', async () => {
    const { shop, id, deliver } = await subscribed();
    shop.answer = (response) => response.writeHead(429, { 'retry-after': '2' }).end();
    await occur('1');
    for (let attempt = 1; attempt <= 9; attempt += 1) {
      await deliver();
      await pass(2000);
    }
    expect(shop.received).toHaveLength(9);
    shop.answer = 500;
    await deliver();
    expect(await webhookRow(id)).toMatchObject({ failures: 2 });
    shop.answer = 200;
    await pass(2 * minuteMs);
    expect(await deliver()).toBe(1);
  });

  test('a receiver that closes every connection gets one request more for the kept one, and counts as failed', async () => {
    const { shop, id, deliver } = await subscribed();
    await occur('1');
    await deliver();
    shop.answer = (response) => response.socket?.destroy();
    await occur('2');
    expect(await deliver()).toBe(0);
    expect(shop.received).toHaveLength(3);
    expect((await webhookRow(id))?.failures).toBe(1);
  });

  test('a certificate that nobody vouches for counts as a failure', async () => {
    const tls = selfSignedCertificate();
    const shop = await receiver({ tls });
    const { id, deliver } = await subscribed({}, { url: shop.url });
    await occur('1');
    await deliver();
    expect((await webhookRow(id))?.error).toBe(
      'TLS failed (DEPTH_ZERO_SELF_SIGNED_CERT): the authority of the certificate is not trusted; webhooks.caFile can name it',
    );
    expect(shop.received).toHaveLength(0);
    await shop.close();
  });

  test('a receiver without TLS at an address with https:// is named as such', async () => {
    const { shop, id, deliver } = await subscribed({}, { url: 'https://127.0.0.1:PORT/' });
    await occur('1');
    await deliver();
    expect((await webhookRow(id))?.error).toBe(
      'TLS failed (the receiver offers no TLS at this port, or none of version 1.2 or later)',
    );
    expect(shop.received).toHaveLength(0);
  });

  test('a refused connection counts as a failure', async () => {
    const { url, close } = await receiver();
    await close();
    const { id, deliver } = await subscribed({}, { url });
    await occur('1');
    await deliver();
    expect((await webhookRow(id))?.error).toBe('the connection was refused');
  });
});

test('a host of webhooks.allowHosts is recognised however it is written', async () => {
  const resolve: Resolver = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
  const { shop, deliver } = await subscribed(
    { allowHosts: ['Shop.Example.'] },
    { url: 'http://SHOP.example.:PORT/', resolve },
  );
  await occur('1');
  expect(await deliver()).toBe(1);
  expect(shop.received).toHaveLength(1);
});

test.each([
  ['as an answer', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
  ['with an upgrade', 'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
])('a receiver that answers 101 %s failed at once', async (_what, answer) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { id, deliver } = await subscribed({ timeoutMs: 20_000 }, { url: `http://127.0.0.1:${port}/` });
  await occur('1');
  await deliver();
  expect((await webhookRow(id))?.error).toBe('the receiver answered 101 (no other protocol was asked for)');
  server.close();
});

describe('F132 a private address', () => {
  const addresses = (...found: readonly string[]): LookupAddress[] =>
    found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

  test('is not connected to without permission', async () => {
    const { shop, id, deliver } = await subscribed({ allowHosts: [] });
    await occur('1');
    await deliver();
    expect((await webhookRow(id))?.error).toContain('the URL must begin with https://');
    expect(shop.received).toHaveLength(0);
  });

  test.each([
    ['one', ['127.0.0.1']],
    ['one among public ones', ['8.8.8.8', '127.0.0.1']],
    ['the metadata service', ['169.254.169.254']],
    ['IPv6', ['::1']],
    ['IPv4 within IPv6', ['::ffff:127.0.0.1']],
  ])('of a name is refused at the moment of the connection: %s', async (_what, found) => {
    const { shop, id, deliver } = await subscribed(
      { allowHosts: [] },
      { url: 'https://shop.example:PORT/', resolve: () => Promise.resolve(addresses(...found)) },
    );
    await occur('1');
    await deliver();
    expect((await webhookRow(id))?.error).toContain('has the private address');
    expect(shop.received).toHaveLength(0);
  });

  test('among the public ones of a name refuses them all', async () => {
    const resolve = () =>
      Promise.resolve(['192.0.32.1', '10.0.0.1'].map((address) => ({ address, family: 4 })));
    const lookup = guardedLookup(allowedHosts([]), resolve);
    const failure = await new Promise((done) => lookup('shop.example', { all: true }, done));
    expect(String(failure)).toContain('shop.example has the private address 10.0.0.1');
  });

  test('that a name gets between two attempts is refused (DNS rebinding)', async () => {
    // A public address that answers nobody (AS112), then this machine's.
    const answers = [addresses('192.175.48.1'), addresses('127.0.0.1')];
    let asked = 0;
    const resolve: Resolver = () => Promise.resolve(answers[asked++] ?? []);
    const { shop, id, deliver } = await subscribed(
      { allowHosts: [] },
      { url: 'https://shop.example:PORT/', resolve },
    );
    await occur('1');
    await deliver();
    expect((await webhookRow(id))?.error).not.toContain('private');
    await pass(minuteMs);
    await deliver();
    expect((await webhookRow(id))?.error).toContain('shop.example has the private address 127.0.0.1');
    // Each connection asks once, so the address that was judged is the one that is connected to.
    expect(asked).toBe(2);
    expect(shop.received).toHaveLength(0);
  });
});

describe('several processes', () => {
  test('deliver each notification once and in order', async () => {
    const { shop, key, deliver } = await subscribed();
    const ids = Array.from({ length: 30 }, (_, index) => String(index));
    await occur(...ids);
    const counts = await Promise.all(Array.from({ length: 8 }, () => deliver()));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(30);
    expect(shop.received.map((one) => decrypted(one, key)?.payload.id)).toEqual(ids);
  });

  test('wait for the claim of one that was killed, and no longer', async () => {
    const { shop, id, deliver } = await subscribed();
    const { sql } = testDatabase.database;
    await occur('1');
    await sql`update webhooks set claimed_by = 'killed', claimed_until = now() + interval '1 second' where id = ${id}`;
    expect(await deliver()).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(await deliver()).toBe(1);
    expect(shop.received).toHaveLength(1);
  });

  test('send nothing under a claim that became old while they were suspended', async () => {
    const { shop, id, deliver } = await subscribed();
    await occur('1', '2', '3');
    await testDatabase.database.sql`
      delete from payment_events where sequence in (
        select sequence from webhook_deliveries where webhook_id = ${id} order by sequence limit 2)`;
    // Half of the margin of a claim is 2.5 seconds. A notification whose event is gone does not extend the claim.
    const cell = new Int32Array(new SharedArrayBuffer(4));
    const isEnding = () => Atomics.wait(cell, 0, 0, 1_300) !== 'timed-out';
    expect([await deliver({ isEnding }), shop.received.length]).toEqual([0, 0]);
    expect([await deliver(), shop.received.length]).toEqual([1, 1]);
  });

  test('send nothing more once the webhook is paused', async () => {
    const { shop, id, deliver } = await subscribed();
    shop.answer = (response) => {
      void pauseWebhook(testDatabase.database.sql, id).then(() => response.writeHead(200).end());
    };
    await occur('1', '2');
    expect([await deliver(), await deliver()]).toEqual([1, 0]);
    expect((await deliveries(id)).map(({ status }) => status)).toEqual(['delivered', 'waiting']);
  });

  test('count no attempt that ends because they stop', async () => {
    const { shop, id, deliver } = await subscribed();
    const stopping = new AbortController();
    shop.answer = () => stopping.abort();
    await occur('1');
    expect(await deliver({ stop: stopping.signal })).toBe(0);
    expect(await webhookRow(id)).toEqual({ status: 'active', failures: 0, error: null });
    expect(await deliveries(id)).toEqual([{ status: 'waiting', attempts: 0, error: null }]);
  });

  test('leave no listener on the signal of the process', async () => {
    const { deliver } = await subscribed();
    await occur('1', '2', '3');
    const stopping = new AbortController();
    expect(await deliver({ stop: stopping.signal })).toBe(3);
    expect(getEventListeners(stopping.signal, 'abort')).toEqual([]);
  });

  test('let other webhooks have their turn after a hundred notifications', async () => {
    const { deliver } = await subscribed();
    await occur(...Array.from({ length: 130 }, (_, index) => String(index)));
    expect([await deliver(), await deliver(), await deliver()]).toEqual([100, 30, 0]);
  });

  test('record nothing under a claim that another one has taken', async () => {
    const { shop, id, deliver } = await subscribed();
    const { sql } = testDatabase.database;
    shop.answer = (response) => {
      void sql`update webhooks set claimed_by = 'another' where id = ${id}`.then(() =>
        response.writeHead(500).end(),
      );
    };
    await occur('1');
    await deliver();
    expect(await webhookRow(id)).toMatchObject({ failures: 0 });
    const [row] = await sql<{ by: string }[]>`select claimed_by as by from webhooks where id = ${id}`;
    expect(row?.by).toBe('another');
  });

  test('are woken by one job for each webhook, also when the one before belongs to a dead process', async () => {
    const { id } = await subscribed();
    const { sql } = testDatabase.database;
    await occur('1');
    const wake = () => wakeDueWebhooks(sql, 'test');
    expect([await wake(), await wake()]).toEqual([1, 0]);
    await sql`update recon_queue._private_jobs set locked_by = 'dead', locked_at = now() - interval '3 hours', attempts = 1`;
    expect([await wake(), await wake()]).toEqual([1, 0]);
    await removeOldDeliveries(sql);
    const jobs = await sql<{ key: string; locked: boolean }[]>`
      select key, locked_at is not null as locked from recon_queue.jobs`;
    expect(jobs).toEqual([{ key: id, locked: false }]);
    await sql`select recon_queue.remove_job(${id})`;
    expect(await wakeDueWebhooks(sql, 'live')).toBe(0);
  });
});

test('what was received a month ago, or was for a webhook that is gone, is removed', async () => {
  const { sql } = testDatabase.database;
  const { id, deliver } = await subscribed();
  await occur('1', '2');
  expect(await deliver()).toBe(2);
  await occur('3');
  await sql`update webhook_deliveries set finished_at = now() - interval '31 days'
    where sequence = (select min(sequence) from webhook_deliveries where webhook_id = ${id})`;
  await removeOldDeliveries(sql);
  expect((await deliveries(id)).map(({ status }) => status)).toEqual(['delivered', 'waiting']);
  await sql`delete from webhooks where id = ${id}`;
  await removeOldDeliveries(sql);
  expect(await deliveries(id)).toEqual([]);
});

test('a notification whose event is gone is given up, and the next one is delivered', async () => {
  const { id, deliver } = await subscribed();
  await occur('1', '2');
  await testDatabase.database.sql`
    delete from payment_events where sequence = (
      select min(sequence) from webhook_deliveries where webhook_id = ${id})`;
  expect(await deliver()).toBe(1);
  expect(await deliveries(id)).toMatchObject([
    { status: 'dead', error: 'its event is no longer in the database' },
    { status: 'delivered' },
  ]);
});

test('F133 keys change without a loss: the old encryption key opens, and two keys of a receiver overlap', async () => {
  const old = await subscribed();
  await occur('1');
  const keys = { ...encryptionKeys, current: 'second' };
  expect(await old.deliver({ keys })).toBe(1);
  expect(await resealSecrets(testDatabase.database.sql, 'test', { keys, logger: silent })).toBe(1);
  expect(await resealSecrets(testDatabase.database.sql, 'test', { keys, logger: silent })).toBe(0);
  const renewed = await subscribed();
  await occur('2');
  const withoutOld = { ...keys, keys: { second: keys.keys.second } };
  expect([await old.deliver({ keys: withoutOld }), await renewed.deliver({ keys })]).toEqual([1, 1]);
  await removeWebhook(testDatabase.database.sql, old.id);
  await occur('3');
  expect([await old.deliver({ keys }), await renewed.deliver({ keys })]).toEqual([0, 1]);
  const read = ({ shop, key }: Subscribed) => shop.received.map((one) => decrypted(one, key)?.payload.id);
  expect([read(old), read(renewed)]).toEqual([
    ['1', '2'],
    ['2', '3'],
  ]);
});

test('F133 a webhook whose encryption key is lost does not keep the others from getting the current one', async () => {
  const webhooks = [await subscribed(), await subscribed(), await subscribed()];
  // They are sealed again in the order of their ids.
  const [lost = '', ...others] = webhooks.map(({ id }) => id).sort();
  const { sql } = testDatabase.database;
  await sql`update webhooks set secret_key_id = 'lost' where id = ${lost}`;
  const keys = { ...encryptionKeys, current: 'second' };
  expect(await resealSecrets(sql, 'test', { keys, logger: silent })).toBe(2);
  const sealedWith = await sql<{ id: string; keyId: string }[]>`
    select id, secret_key_id as "keyId" from webhooks order by id`;
  expect(sealedWith.map(({ id, keyId }) => [id, keyId])).toEqual([
    [lost, 'lost'],
    ...others.map((id) => [id, 'second']),
  ]);
});

test('a webhook whose key cannot be opened fails like a receiver, and keeps what waits', async () => {
  const { shop, id, deliver } = await subscribed();
  await occur('1');
  const keys = { ...encryptionKeys, current: 'second', keys: { second: encryptionKeys.keys.second } };
  await deliver({ keys });
  expect(shop.received).toHaveLength(0);
  expect((await webhookRow(id))?.error).toContain('have no key first');
  expect(await deliveries(id)).toMatchObject([{ status: 'waiting' }]);
});

test('the queue of the database is the one that the job queue would make', async () => {
  const { sql, url } = testDatabase.database;
  const { Pool } = (await import('pg')).default;
  const { runMigrations } = await import('graphile-worker');
  const { poolAddress } = await import('../../src/webhooks/queue-pool.js');
  const { readDatabaseUrl } = await import('../../src/db/connection/connection-address.js');
  const pool = new Pool({ ...poolAddress(readDatabaseUrl(url), false), max: 1 });
  pool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  try {
    await runMigrations({ pgPool: pool, schema: 'fresh' });
  } finally {
    await pool.end();
  }
  const facts = async (schema: string) => {
    const rows = await sql<{ fact: string }[]>`
      select table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' '
        || coalesce(column_default, '') || is_identity || coalesce(generation_expression, '') as fact
      from information_schema.columns where table_schema = ${schema}
      union all select indexdef from pg_indexes where schemaname = ${schema}
      union all select pg_get_functiondef(p.oid) from pg_proc p where p.pronamespace = ${schema}::regnamespace
      union all select conname || pg_get_constraintdef(c.oid) from pg_constraint c
        where c.connamespace = ${schema}::regnamespace and contype in ('c', 'p', 'u', 'f')
      union all select viewname || definition from pg_views where schemaname = ${schema}
      order by 1`;
    return rows.map(({ fact }) => fact.replaceAll(`"${schema}"`, 'q').replaceAll(schema, 'q'));
  };
  const made = await facts('fresh');
  expect(made.length).toBeGreaterThan(60);
  expect(await facts('recon_queue')).toEqual(made);
  const versions = (schema: string) => sql`select id, breaking from ${sql(schema)}.migrations order by id`;
  expect([...(await versions('recon_queue'))]).toEqual([...(await versions('fresh'))]);
});
