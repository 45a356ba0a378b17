import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { selfSignedCertificate } from '../support/self-signed-certificate.js';
import { folderForThisTest } from '../support/test-folder.js';
import { decrypted, receiver, type Received, type Receiver } from '../webhooks/receiver.js';
import { card, entity, otherEntity, payment, serve, type Reply, type Served } from './served.js';

interface Added {
  readonly id: string;
  readonly key: string;
  readonly signingSecret: string;
}

interface Listed {
  readonly id: string;
  readonly status: string;
  readonly waiting: number;
  readonly dead: number;
  readonly lastError: string | null;
}

interface DeadLetter {
  readonly messageId: string;
  readonly resourceId: string;
  readonly attempts: number;
}

let gateway: Served;

beforeAll(async () => {
  gateway = await serve('webhooks:\n  allowHosts: [127.0.0.1]\n');
});
afterAll(async () => {
  await gateway.close();
});

async function json<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await gateway.recon('webhooks', ...args, '--json');
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return JSON.parse(stdout) as T;
}

/** A receiver with a webhook, both removed after the test. */
async function subscribed(...options: string[]): Promise<{ shop: Receiver; webhook: Added }> {
  const shop = await receiver();
  const entities = options.includes('--entity') ? [] : ['--entity', entity];
  const webhook = await json<Added>('add', '--url', shop.url, '--by', 'test', ...entities, ...options);
  onTestFinished(async () => {
    await gateway.recon('webhooks', 'remove', webhook.id);
    await shop.close();
  });
  return { shop, webhook };
}

const listed = async ({ id }: Added): Promise<Listed | undefined> =>
  (await json<Listed[]>('list')).find((one) => one.id === id);

const pay = async (more: Readonly<Record<string, string>> = {}): Promise<string> => {
  const { body } = await gateway.call('POST', '/v1/payments', payment('PA', more));
  return body.id ?? '';
};

async function until<T>(read: () => Promise<T>, is: (value: T) => boolean): Promise<T> {
  const since = Date.now();
  for (;;) {
    const value = await read();
    if (is(value)) return value;
    if (Date.now() - since > 15_000) throw new Error(`still ${JSON.stringify(value)} after 15 s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function isSigned({ headers, body }: Received, signingSecret: string): boolean {
  const secret = Buffer.from(signingSecret.replace(/^whsec_/, ''), 'base64');
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  return (
    headers['webhook-signature'] === `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`
  );
}

describe('a webhook of the gateway', () => {
  test('receives what happens to payments and registrations, in order, encrypted and signed', async () => {
    const { shop, webhook } = await subscribed();
    expect(webhook.key).toMatch(/^[0-9a-f]{64}$/);
    expect(Buffer.from(webhook.signingSecret.slice('whsec_'.length), 'base64').toString('hex')).toBe(
      webhook.key,
    );
    const paid = await pay({ createRegistration: 'true' });
    const captured = await gateway.call('POST', `/v1/payments/${paid}`, {
      paymentType: 'CP',
      amount: '92.00',
      currency: 'EUR',
    });
    const received = await shop.waitFor(3);
    const notifications = received.map((one) => decrypted(one, webhook.key));
    expect(notifications.map((one) => one?.type).sort()).toEqual(['PAYMENT', 'PAYMENT', 'REGISTRATION']);
    const [first, second] = notifications.filter((one) => one?.type === 'PAYMENT');
    expect(first).toMatchObject({
      action: 'CREATED',
      payload: { id: paid, paymentType: 'PA', amount: '92.00', result: { code: '000.100.110' } },
    });
    expect(second).toMatchObject({
      payload: { id: captured.body.id, paymentType: 'CP', referencedId: paid },
    });
    for (const one of received) {
      expect(one.headers['content-type']).toBe('text/plain');
      expect(one.headers['x-initialization-vector']).toMatch(/^[0-9a-f]{24}$/i);
      expect(one.headers['x-authentication-tag']).toMatch(/^[0-9a-f]{32}$/i);
      expect(one.headers['webhook-id']).toMatch(/^msg_[0-9a-f]{32}$/);
      expect(isSigned(one, webhook.signingSecret)).toBe(true);
      expect(one.body).toMatch(/^[0-9a-f]+$/i);
    }
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
    expect(
      await until(
        () => listed(webhook),
        (one) => one?.waiting === 0,
      ),
    ).toMatchObject({ status: 'active' });
  });

  test('receives only its types and entities, wrapped in JSON if it wants', async () => {
    const { shop, webhook } = await subscribed('--types', 'REGISTRATION', '--wrapper', 'json');
    const { shop: other } = await subscribed('--entity', otherEntity);
    await pay();
    await pay({ createRegistration: 'true' });
    const [one] = await shop.waitFor(1);
    expect(one?.headers['content-type']).toBe('application/json');
    expect(one === undefined ? one : decrypted(one, webhook.key)).toMatchObject({ type: 'REGISTRATION' });
    expect(one === undefined ? one : isSigned(one, webhook.signingSecret)).toBe(true);
    expect(shop.received).toHaveLength(1);
    expect(other.received).toHaveLength(0);
  });

  test('holds back what comes after a failed notification, until it is resumed', async () => {
    const { shop, webhook } = await subscribed('--types', 'PAYMENT');
    shop.answer = 500;
    const [first, second] = [await pay(), await pay()];
    await shop.waitFor(1);
    const failing = await until(
      () => listed(webhook),
      (one) => one?.status === 'failing',
    );
    expect(failing).toMatchObject({ waiting: 2, lastError: 'the receiver answered 500' });
    expect(shop.received).toHaveLength(1);
    shop.answer = 200;
    expect(await json('resume', webhook.id)).toMatchObject({ waiting: 2 });
    const received = await shop.waitFor(3);
    expect(received.map((one) => decrypted(one, webhook.key)?.payload.id)).toEqual([first, first, second]);
    expect(received[1]?.headers['webhook-id']).toBe(received[0]?.headers['webhook-id']);
  });

  test('is tried again when the receiver asks for it with Retry-After', async () => {
    const { shop } = await subscribed('--types', 'PAYMENT');
    shop.answer = (response) => {
      shop.answer = 200;
      response.writeHead(503, { 'retry-after': '2' }).end();
    };
    const since = Date.now();
    await pay();
    await shop.waitFor(2);
    expect(Date.now() - since).toBeGreaterThanOrEqual(2000);
  });

  test('is disabled by 410, and gets what it missed when it is resumed', async () => {
    const { shop, webhook } = await subscribed('--types', 'PAYMENT');
    shop.answer = 410;
    await pay();
    const disabled = await until(
      () => listed(webhook),
      (one) => one?.status === 'disabled',
    );
    expect(disabled).toMatchObject({ nextAttemptAt: null, waiting: 1 });
    shop.answer = 200;
    await pay();
    expect(await json('resume', webhook.id)).toMatchObject({ waiting: 2 });
    await shop.waitFor(3);
  });

  test('gets nothing while it is paused, and a test at any time', async () => {
    const { shop, webhook } = await subscribed('--types', 'PAYMENT');
    await json('pause', webhook.id);
    await pay();
    expect(await json('test', webhook.id)).toMatchObject({ delivered: true, status: 200, reason: null });
    const [one] = await shop.waitFor(1);
    expect(one === undefined ? one : decrypted(one, webhook.key)).toMatchObject({
      type: 'test',
      payload: { webhook: webhook.id },
    });
    await json('resume', webhook.id);
    await shop.waitFor(2);
    shop.answer = 404;
    const refused = await gateway.recon('webhooks', 'test', webhook.id);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain('the receiver answered 404');
  });

  test('gets events again on request, with the same ids', async () => {
    const { shop, webhook } = await subscribed('--types', 'PAYMENT');
    const since = new Date().toISOString();
    await pay();
    await pay();
    await shop.waitFor(2);
    await until(
      () => listed(webhook),
      (one) => one?.waiting === 0,
    );
    expect(await json('replay', webhook.id, '--since', since)).toMatchObject({ queued: 2 });
    const ids = (await shop.waitFor(4)).map(({ headers }) => headers['webhook-id']);
    expect(ids.slice(2)).toEqual(ids.slice(0, 2));
  });

  test('gets what is replayed while it is paused only when it is resumed, before what is newer', async () => {
    const { shop, webhook } = await subscribed('--types', 'PAYMENT');
    const since = new Date().toISOString();
    const paid = [await pay(), await pay()];
    await shop.waitFor(2);
    await until(
      () => listed(webhook),
      (one) => one?.waiting === 0,
    );
    await json('pause', webhook.id);
    const replayed = await gateway.recon('webhooks', 'replay', webhook.id, '--since', since);
    expect(replayed.stdout).toContain(
      `${webhook.id} is paused: recon serve sends 2 notifications again once`,
    );
    // What waits already is not queued twice.
    expect(await json('replay', webhook.id, '--since', since)).toMatchObject({ queued: 0, status: 'paused' });
    const newer = await pay();
    // A test is sent at any time; when it is there, nothing else was sent before it.
    await json('test', webhook.id);
    await shop.waitFor(3);
    expect(await listed(webhook)).toMatchObject({ status: 'paused', waiting: 3, nextAttemptAt: null });
    await json('resume', webhook.id);
    const received = (await shop.waitFor(6)).map((one) => decrypted(one, webhook.key)?.payload.id);
    expect(received.slice(3)).toEqual([...paid, newer]);
  });

  test('has what was given up after 30 days listed, and sends it again with its content', async () => {
    const { shop, webhook } = await subscribed('--types', 'PAYMENT');
    const { sql } = gateway.database.database;
    shop.answer = 500;
    const paid = [await pay(), await pay()];
    await shop.waitFor(1);
    await until(
      () => listed(webhook),
      (one) => one?.status === 'failing',
    );
    // As if 31 days had passed.
    await sql`update webhook_deliveries set queued_at = queued_at - interval '31 days' where webhook_id = ${webhook.id}`;
    await sql`update webhooks set next_attempt_at = now() where id = ${webhook.id}`;
    const failing = await until(
      () => listed(webhook),
      (one) => one?.dead === 2,
    );
    expect(failing).toMatchObject({ status: 'failing', waiting: 0, nextAttemptAt: null });
    const letters = await json<readonly DeadLetter[]>('dead-letters', '--webhook', webhook.id);
    expect(letters.map(({ resourceId, attempts }) => [resourceId, attempts])).toEqual([
      [paid[0], 2],
      [paid[1], 0],
    ]);
    const [id = '', waitedBehind = ''] = letters.map(({ messageId }) => messageId);
    const lines = gateway.stderr().split('\n');
    const logged = lines.filter((line) => line.includes(id) && line.includes('"failures"'));
    expect(logged.at(-1)).toContain(
      '"next":null,"msg":"A notification could not be delivered; it is given up."',
    );

    await json('pause', webhook.id);
    const again = await gateway.recon('webhooks', 'retry', waitedBehind);
    expect(again.stdout).toContain(`${webhook.id} is paused: recon serve sends 1 notification again once`);
    shop.answer = 200;
    await json('resume', webhook.id);
    await shop.waitFor(3);
    expect(await json('retry', webhook.id)).toMatchObject({ queued: 1, status: 'active' });
    const received = await shop.waitFor(4);
    expect(received.slice(2).map(({ headers }) => headers['webhook-id'])).toEqual([waitedBehind, id]);
    expect(received.slice(2).map((one) => decrypted(one, webhook.key)?.payload)).toEqual([
      expect.objectContaining({ id: paid[1], paymentType: 'PA' }),
      expect.objectContaining({ id: paid[0], paymentType: 'PA' }),
    ]);
    const none = await gateway.recon('webhooks', 'retry', webhook.id);
    expect(none.stdout).toContain(`No notification of webhook ${webhook.id} was given up`);
  });

  test('is delivered to over TLS with an authority that the configuration trusts', async () => {
    const tls = selfSignedCertificate();
    const shop = await receiver({ tls });
    const added = await json<Added>('add', '--url', shop.url, '--entity', entity, '--by', 'test');
    const untrusted = await gateway.recon('webhooks', 'test', added.id);
    expect(untrusted.stdout).toContain('TLS failed (DEPTH_ZERO_SELF_SIGNED_CERT)');
    const file = path.join(gateway.directory, 'trusting.yaml');
    writeFileSync(path.join(gateway.directory, 'ca.pem'), tls.cert);
    writeFileSync(file, 'webhooks: { allowHosts: [127.0.0.1], caFile: ca.pem }\n', { mode: 0o600 });
    const trusted = await gateway.recon('webhooks', 'test', added.id, '--config', file);
    expect(trusted).toMatchObject({ code: 0 });
    await gateway.recon('webhooks', 'remove', added.id);
    await shop.close();
  });
});

test('recon serve trusts what is added to webhooks.caFile, and keeps the old authorities of a broken one', async () => {
  // Of two authorities with one name, OpenSSL tries only one.
  const [first, second] = [selfSignedCertificate(), selfSignedCertificate('second')];
  const folder = folderForThisTest();
  const caFile = path.join(folder, 'ca.pem');
  writeFileSync(caFile, first.cert);
  const own = await serve(`webhooks: { allowHosts: [127.0.0.1], caFile: ${caFile} }\n`);
  const shops = [await receiver({ tls: first }), await receiver({ tls: second })] as const;
  onTestFinished(async () => {
    await own.close();
    await Promise.all(shops.map((shop) => shop.close()));
  });
  const ids: string[] = [];
  for (const { url } of shops) {
    const added = await own.recon(
      'webhooks',
      'add',
      '--url',
      url,
      '--entity',
      entity,
      '--by',
      'test',
      '--json',
    );
    ids.push((JSON.parse(added.stdout) as Added).id);
  }
  const authorise = () => own.call('POST', '/v1/payments', payment('PA'));
  const logged = (text: string) => until(() => Promise.resolve(own.stderr().includes(text)), Boolean);
  await authorise();
  await shops[0].waitFor(1);
  await logged('the authority of the certificate is not trusted');
  writeFileSync(caFile, 'broken');
  await logged('The changed webhooks.caFile cannot be used; the old one stays in use.');
  await authorise();
  await shops[0].waitFor(2);
  writeFileSync(caFile, `${first.cert}${second.cert}`);
  await logged('The authorities of webhooks.caFile were replaced.');
  await own.recon('webhooks', 'resume', ids[1] ?? '');
  await shops[1].waitFor(2);
});

describe('recon webhooks', () => {
  test.each([
    ['http://shop.example/n', 'must begin with https://'],
    ['https://10.1.2.3/n', 'has the private address 10.1.2.3'],
    ['https://[::1]/n', 'has the private address ::1'],
    ['https://2130706433/n', null],
    ['https://me:secret@shop.example/n', 'must not contain a user name or password'],
    ['ftp://shop.example/n', 'must begin with https://'],
    ['shop.example', 'is not a URL'],
  ])('F132 refuses %s', async (url, why) => {
    const { code, stderr } = await gateway.recon('webhooks', 'add', '--url', url, '--entity', entity);
    // 2130706433 is 127.0.0.1, which this configuration allows.
    expect(code).toBe(why === null ? 0 : 2);
    if (why !== null) expect(stderr).toContain(why);
    expect(stderr).not.toContain('secret');
  });

  test.each([
    [['add', '--entity', entity], '--url is missing'],
    [['add', '--url', 'https://shop.example/n'], '--entity is missing'],
    [['add', '--url', 'https://shop.example/n', '--entity', 'x'], '--entity'],
    [['add', '--url', 'https://shop.example/n', '--entity', entity, '--types', 'PAYMENTS'], 'PAYMENT'],
    [['replay', 'x', '--since', 'yesterday'], '--since must be a day or a moment'],
    [['replay', 'x', '--since', '2026-02-30'], '"2026-02-30" is not.'],
    [['replay', 'x', '--since', '2026-02-30T06:30:00Z'], '"2026-02-30T06:30:00Z" is not.'],
    [['remove', 'ffff'], 'There is no webhook ffff.'],
    [['pause', 'ffff'], 'There is no webhook ffff.'],
    [['resume', 'ffff'], 'There is no webhook ffff.'],
    [['test', 'ffff'], 'There is no webhook ffff.'],
    [['retry', 'msg_ffff'], 'There is no notification msg_ffff that was given up.'],
  ])('%j ends with exit code 2', async (args, why) => {
    const { code, stderr } = await gateway.recon('webhooks', ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(why);
  });

  test('never shows a key again, and stores it sealed', async () => {
    const { webhook } = await subscribed();
    const { stdout } = await gateway.recon('webhooks', 'list', '--json');
    const table = await gateway.recon('webhooks', 'list');
    const rows = await gateway.database.database.sql<
      { row: string }[]
    >`select w::text as row from webhooks w`;
    for (const text of [stdout, table.stdout, gateway.stderr(), ...rows.map(({ row }) => row)]) {
      expect(text).not.toContain(webhook.key);
      expect(text).not.toContain(webhook.signingSecret);
    }
  });
});

describe('the notificationUrl of a request', () => {
  const redirecting = (shop: Receiver) => ({
    shopperResultUrl: 'https://shop.example/done',
    notificationUrl: shop.url,
    'customParameters[SIMULATOR]': 'SIMULATE REDIRECT',
  });

  async function shopOf(): Promise<Receiver> {
    const shop = await receiver();
    onTestFinished(() => shop.close());
    return shop;
  }

  /** The shopper decides at the simulated bank. */
  async function decideAtBank({ body }: Reply, outcome: string): Promise<void> {
    const { url, parameters } = body['redirect'] as {
      url: string;
      parameters: readonly { name: string; value: string }[];
    };
    const sent = new URLSearchParams(parameters.map(({ name, value }): [string, string] => [name, value]));
    sent.set('outcome', outcome);
    const decided = await fetch(`${url}/decision`, { method: 'POST', body: sent, redirect: 'manual' });
    expect(decided.status).toBe(303);
  }

  test.each([
    ['approve', '000.100.110'],
    ['decline', '800.100.152'],
  ])('receives that a payment was decided (%s), and the payment says how', async (outcome, code) => {
    const shop = await shopOf();
    const pending = await gateway.call('POST', '/v1/payments', payment('DB', redirecting(shop)));
    await decideAtBank(pending, outcome);
    const [update] = await shop.waitFor(1);
    const sent = new URLSearchParams(update?.body);
    expect([...sent.keys()]).toEqual(['id', 'resourcePath']);
    expect(sent.get('id')).toBe(pending.body.id);
    const read = await gateway.call('GET', sent.get('resourcePath') ?? '');
    expect(read.body).toMatchObject({ id: pending.body.id, result: { code } });
  });

  test('receives the path of a checkout that was paid, which may have set it', async () => {
    const shop = await shopOf();
    const { notificationUrl, ...ofShopper } = redirecting(shop);
    const { body } = await gateway.call('POST', '/v1/checkouts', {
      paymentType: 'DB',
      amount: '92.00',
      currency: 'EUR',
      notificationUrl,
      ...ofShopper,
    });
    const paid = await gateway.call('POST', `/v1/checkouts/${body.id ?? ''}/payment`, card, { token: null });
    await decideAtBank(paid, 'approve');
    const [update] = await shop.waitFor(1);
    const sent = new URLSearchParams(update?.body);
    expect(Object.fromEntries(sent)).toEqual({
      id: body.id,
      resourcePath: `/v1/checkouts/${body.id ?? ''}/payment`,
    });
  });

  test('receives nothing about a payment that was decided at once', async () => {
    const shop = await shopOf();
    const { notificationUrl } = redirecting(shop);
    await gateway.call('POST', '/v1/payments', payment('DB', { notificationUrl }));
    const pending = await gateway.call('POST', '/v1/payments', payment('DB', redirecting(shop)));
    await decideAtBank(pending, 'approve');
    const updates = await shop.waitFor(1);
    expect(updates.map(({ body }) => new URLSearchParams(body).get('id'))).toEqual([pending.body.id]);
  });
});
