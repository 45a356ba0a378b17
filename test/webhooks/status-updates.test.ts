import pino from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { deliverStatusUpdates, type UpdateContext } from '../../src/webhooks/deliver-status-updates.js';
import { keepDelivering } from '../../src/webhooks/keep-delivering.js';
import { createPoster, type PosterSettings } from '../../src/webhooks/post-notification.js';
import { removeOldDeliveries } from '../../src/webhooks/wake-webhooks.js';
import { databaseForAllTests } from '../support/database.js';
import { encryptionKeys } from '../payment-core/support/test-core.js';
import { receiver, type Receiver } from './receiver.js';

/** The outcome of a pending payment is sent to its `notificationUrl` (operations 6). */

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const testDatabase = databaseForAllTests();

const usual: PosterSettings = { allowHosts: ['127.0.0.1'], timeoutMs: 500, authorities: null };

async function world(settings: Partial<PosterSettings> = {}) {
  const { sql } = testDatabase.database;
  const shop = await receiver();
  const poster = createPoster({ ...usual, ...settings });
  onTestFinished(async () => {
    poster.close();
    await shop.close();
    await sql`delete from status_updates`;
  });
  const context: UpdateContext = {
    sql,
    environment: 'test',
    poster,
    logger: pino({ enabled: false }),
    clock: Date.now,
    timeoutMs: usual.timeoutMs,
    isEnding: () => false,
    stop: new AbortController().signal,
  };
  return {
    shop,
    deliver: (more: Partial<UpdateContext> = {}) => deliverStatusUpdates({ ...context, ...more }),
  };
}

/** As the payment core writes it. */
async function queue(id: string, { url }: Pick<Receiver, 'url'>, environment = 'test'): Promise<void> {
  await testDatabase.database.sql`
    insert into status_updates (payment_id, environment, url, resource_id, resource_path)
    values (${id}, ${environment}, ${url}, ${id}, ${`/v1/payments/${id}`})`;
}

/** Makes what the database noted about deliveries older, as if this time had passed. */
async function pass(ms: number): Promise<void> {
  const { sql } = testDatabase.database;
  const time = sql`${ms}::float8 * interval '1 millisecond'`;
  await sql`update status_updates set next_attempt_at = next_attempt_at - ${time}, queued_at = queued_at - ${time},
    claimed_until = claimed_until - ${time}, finished_at = finished_at - ${time}`;
}

const stored = async (): Promise<object[]> => [
  ...(await testDatabase.database.sql`
    select payment_id as id, status, attempts, last_error as error from status_updates order by payment_id`),
];

describe('a status update', () => {
  test('may be one of many that are in progress, without a warning on standard error', async () => {
    const { shop } = await world();
    const others = [shop, await receiver(), await receiver()];
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    const stop = keepDelivering({
      ...usual,
      sql: testDatabase.database.sql,
      databaseUrl: testDatabase.url,
      environment: 'test',
      keys: encryptionKeys,
      logger: pino({ enabled: false }),
    });
    onTestFinished(async () => {
      process.off('warning', note);
      await stop();
      for (const other of others.slice(1)) await other.close();
    });
    for (const [index, other] of others.entries()) {
      other.answer = () => undefined;
      for (let number = 0; number < 4; number += 1) await queue(`a${index}${number}`, other);
    }
    for (const other of others) await other.waitFor(4);
    expect(warnings).toEqual([]);
  });

  test('is one form with the id and the path of the resource, and is sent once', async () => {
    const { shop, deliver } = await world();
    await queue('a1', shop);
    await queue('b2', shop, 'live');
    expect([await deliver(), await deliver()]).toEqual([1, 0]);
    expect(shop.received.map(({ path, headers, body }) => [path, headers['content-type'], body])).toEqual([
      ['/notify', 'application/x-www-form-urlencoded', 'id=a1&resourcePath=%2Fv1%2Fpayments%2Fa1'],
    ]);
    expect(await stored()).toEqual([
      { id: 'a1', status: 'delivered', attempts: 1, error: null },
      { id: 'b2', status: 'waiting', attempts: 0, error: null },
    ]);
  });

  test('is sent again after growing pauses while its receiver fails, and holds no other back', async () => {
    const { shop, deliver } = await world();
    const other = await receiver();
    onTestFinished(() => other.close());
    shop.answer = 503;
    await queue('a1', shop);
    await queue('b2', other);
    expect(await deliver()).toBe(2);
    expect(other.received).toHaveLength(1);
    for (const [index, minutes] of [1, 2, 4, 8, 15, 30, 60, 24 * 60].entries()) {
      await pass(minutes * minuteMs - 20_000);
      expect(await deliver()).toBe(0);
      await pass(20_000);
      expect(await deliver(), `attempt ${index + 2}`).toBe(1);
    }
    shop.answer = 200;
    await pass(dayMs);
    expect(await deliver()).toBe(1);
    expect(await stored()).toMatchObject([{ id: 'a1', status: 'delivered', attempts: 10 }, { id: 'b2' }]);
  });

  test.each<[where: string, urlOf: (url: string, index: number) => string]>([
    ['one URL', (url) => url],
    ['a URL with a query for each payment', (url, index) => `${new URL(url).origin}?order=${index}`],
    ['a URL with a fragment for each payment', (url, index) => `${new URL(url).origin}#${index}`],
  ])('does not wait for those of a receiver that never answers, with %s', async (_, urlOf) => {
    const { shop: silent, deliver } = await world({ timeoutMs: 60_000 });
    const other = await receiver();
    onTestFinished(() => other.close());
    silent.answer = () => undefined;
    for (let index = 0; index < 60; index += 1) {
      await queue(`silent${index}`, { url: urlOf(silent.url, index) });
    }
    await queue('other', other);
    const stop = new AbortController();
    const delivering = deliver({ stop: stop.signal });
    await other.waitFor(1);
    // One that comes while the silent receiver has all that it may have in progress.
    await queue('later', other);
    await other.waitFor(2);
    expect(silent.received).toHaveLength(4);
    stop.abort();
    expect(await delivering).toBe(6);
    expect((await stored()).filter((one) => 'attempts' in one && one.attempts === 1)).toHaveLength(2);
  });

  test('is given up after thirty days, or at once if the receiver answers 410', async () => {
    const { shop, deliver } = await world();
    shop.answer = 500;
    await queue('a1', shop);
    await deliver();
    await pass(31 * dayMs);
    await deliver();
    shop.answer = 410;
    await queue('b2', shop);
    await deliver();
    expect(await stored()).toEqual([
      { id: 'a1', status: 'dead', attempts: 2, error: 'the receiver answered 500' },
      { id: 'b2', status: 'dead', attempts: 1, error: 'the receiver answered 410' },
    ]);
    await pass(29 * dayMs);
    await removeOldDeliveries(testDatabase.database.sql);
    expect(await stored()).toHaveLength(2);
    await pass(2 * dayMs);
    await removeOldDeliveries(testDatabase.database.sql);
    expect(await stored()).toEqual([]);
  });

  test.each([
    ['a private address', 'https://127.0.0.1/notify', 'the URL has the private address 127.0.0.1;'],
    ['a host without TLS', 'http://shop.example/notify', 'the URL must begin with https://;'],
  ])('is not sent to %s unless webhooks.allowHosts names it', async (_, url, error) => {
    const { deliver } = await world({ allowHosts: [] });
    await queue('a1', { url });
    await deliver();
    expect(await stored()).toMatchObject([
      { status: 'waiting', error: expect.stringContaining(error) as string },
    ]);
  });

  test('of a process that was killed while it was sent is sent by another one, but not before', async () => {
    const { shop, deliver } = await world();
    await queue('a1', shop);
    const stop = new AbortController();
    shop.answer = () => {
      // Never: the process is killed here, and what it had claimed stays claimed.
    };
    const killed = deliver();
    await shop.waitFor(1);
    expect(await deliver()).toBe(0);
    shop.answer = 200;
    await pass(minuteMs);
    expect(await deliver({ stop: stop.signal })).toBe(1);
    await killed;
    expect(shop.received).toHaveLength(2);
    expect(await stored()).toMatchObject([{ status: 'delivered' }]);
  });

  test('in progress is released by a process that stops', async () => {
    const { shop, deliver } = await world();
    await queue('a1', shop);
    const stop = new AbortController();
    shop.answer = () => stop.abort();
    await deliver({ stop: stop.signal });
    shop.answer = 200;
    expect(await deliver()).toBe(1);
    expect(await stored()).toMatchObject([{ status: 'delivered', attempts: 1 }]);
  });
});
