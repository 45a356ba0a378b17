import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { ListedItem } from '../../src/items/listed-item.js';
import { paymentRow, paymentsFileOf } from '../support/payment-rows.js';
import { administer } from '../support/database.js';
import { Browser, send, startReview, type ReviewPage } from '../support/review-page.js';
import { createInstallation, paymentId, settlementFile, type Installation } from './installation.js';

/** `recon review` from outside, over HTTP, as a browser and as somebody who should not get in. */

const asOf = '2026-11-20';

/** 25 records that are short by different amounts, and one of an unknown payment. */
async function shop(): Promise<Installation> {
  const installation = await createInstallation();
  const numbers = Array.from({ length: 25 }, (_, index) => index + 1);
  installation.write('payments.csv', paymentsFileOf(numbers.map((number) => paymentRow(number))));
  installation.write(
    'settlement.csv',
    settlementFile(
      ...numbers.map((number) => ({
        UniqueID: paymentId(number),
        SettlementTxId: `STL-${number}`,
        Amount: `${90 - Math.floor(number / 24)}.00`,
      })),
      { UniqueID: paymentId(99), SettlementTxId: 'STL-99' },
    ),
  );
  expect((await installation.recon('payments', 'import', 'payments.csv')).code).toBe(0);
  expect((await installation.recon('run', '--file', 'settlement.csv', '--as-of', asOf)).code).toBe(0);
  return installation;
}

async function review(
  { directory, environment }: Installation,
  ...args: string[]
): Promise<{ page: ReviewPage; browser: Browser }> {
  const page = await startReview(['--as-of', asOf, ...args], { cwd: directory, environment });
  onTestFinished(async () => {
    await page.stop();
  });
  const browser = new Browser(page.origin);
  expect((await browser.open(page.link)).status).toBe(303);
  return { page, browser };
}

const seen = (...items: readonly (ListedItem | undefined)[]) => ({
  seen: items.map((item) => ({ id: item?.discrepancyId, basis: item?.basis })),
});

test('only the browser that opened the link once gets in, under the name of this machine', async () => {
  const installation = await createInstallation();
  const { page, browser } = await review(installation);
  expect(JSON.parse(page.lines()[0] ?? '')).toEqual({ event: 'listening', url: page.link });
  expect(page.link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/open\?token=[\w-]{43}$/);
  const { headers, status, text } = await browser.get('/');
  expect({ status, title: /<title>(.*)<\/title>/.exec(text)?.[1] }).toEqual({
    status: 200,
    title: 'Open items · recon',
  });
  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|style=|https?:/);

  const stranger = new Browser(page.origin);
  const again = await stranger.open(page.link);
  expect({ status: again.status, cookie: stranger.cookie }).toEqual({ status: 403, cookie: '' });
  expect((await stranger.get('/api/items')).status).toBe(403);
  expect((await stranger.get('/review.js')).status).toBe(403);
  // The refused browser made the command print another link, which only the person at the terminal sees.
  const second = JSON.parse(page.lines()[1] ?? '') as { event: string; url: string };
  expect(second.event).toBe('link');
  expect((await stranger.open(second.url)).headers['set-cookie']).toEqual([
    expect.stringMatching(/^recon-review-\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/),
  ]);
  expect((await stranger.get('/api/items')).status).toBe(200);

  const { cookie } = browser;
  for (const host of [
    'evil.example:80',
    '127.0.0.1.evil.example',
    'evil-localhost',
    'localhost:80.evil.example',
  ]) {
    const rebound = await send(`${page.origin}/api/items`, { headers: { cookie, host } });
    expect([host, rebound.status, codeOf(rebound.text)]).toEqual([host, 403, 'REVIEW_REFUSED']);
  }
  for (const wrong of [
    { origin: 'http://127.0.0.1:1', 'content-type': 'application/json' },
    { 'content-type': 'application/json' },
    { origin: page.origin, 'content-type': 'text/plain' },
  ]) {
    const sent = { method: 'POST', headers: { cookie, ...wrong }, body: '{}' };
    expect((await send(`${page.origin}/api/decide`, sent)).status).toBe(403);
  }
  expect((await browser.get('/../package.json')).status).toBe(404);
  expect((await browser.get('/api/items?sort=nonsense')).status).toBe(400);
  expect(await page.stop()).toBe(130);
});

const codeOf = (text: string) => (JSON.parse(text) as { error: { code: string } }).error.code;

test('shows the items of recon items in its order, page by page, filtered and explained as recon explain does', async () => {
  const installation = await shop();
  const { browser } = await review(installation, '--by', 'anna');
  const { document: all } = await installation.json<ListedItem[]>('items', '--as-of', asOf);
  expect(all).toHaveLength(26);
  const pages = [];
  let after = '';
  do {
    const page = await browser.items(`?limit=10${after}`);
    pages.push(...page.items);
    after = page.next === null ? '' : `&after=${page.next}`;
  } while (after !== '');
  expect(pages).toEqual(all);
  for (const sort of ['age', 'amount', 'date', 'code', 'account', 'status']) {
    for (const direction of ['asc', 'desc']) {
      const first = await browser.items(`?limit=20&sort=${sort}&direction=${direction}`);
      const rest = await browser.items(
        `?limit=20&sort=${sort}&direction=${direction}&after=${first.next ?? ''}`,
      );
      const ids = [...first.items, ...rest.items].map(({ discrepancyId }) => discrepancyId);
      expect(new Set(ids).size).toBe(26);
    }
  }
  for (const filter of [
    { code: 'NOT_MATCHED' },
    { severity: 'error', currency: 'EUR' },
    { currency: 'USD' },
    { text: 'stl-1' },
    { text: '89.00' },
    { text: '89,00' },
    { pattern: all.find(({ pattern }) => pattern !== null)?.pattern ?? 'none' },
  ]) {
    const options = Object.entries(filter).flatMap(([name, value]) => [`--${name}`, value]);
    const { document } = await installation.json<ListedItem[]>('items', '--as-of', asOf, ...options);
    const query = new URLSearchParams(filter).toString();
    expect((await browser.items(`?${query}`)).items).toEqual(document);
    expect(await browser.json(`/api/totals?${query}`)).toMatchObject({ count: document.length });
  }
  const id = all[0]?.discrepancyId ?? '';
  const { explanation, item } = await browser.detail(id);
  expect(item).toEqual({ ...all[0], suggestedLink: null, pattern: null });
  expect(`${explanation}\n`).toBe((await installation.recon('explain', id)).stdout);
  expect(await browser.json('/api/patterns')).toMatchObject({
    patterns: (await installation.json('items', '--patterns', '--as-of', asOf)).document,
  });
  expect(await browser.overview()).toMatchObject({
    author: 'anna',
    asOf,
    facets: {
      code: [
        { value: 'AMOUNT_MISMATCH', count: 25 },
        { value: 'NOT_MATCHED', count: 1 },
      ],
    },
  });
});

test('the second of two people who decide one item learns who decided what, and nothing is overwritten', async () => {
  const installation = await shop();
  const { browser: anna } = await review(installation, '--by', 'anna');
  const { browser: bo } = await review(installation, '--by', 'bo');
  const [first, second, third] = (await anna.items()).items;
  await bo.items();
  const accept = { kind: 'accept', reason: 'agreed' };
  expect(await anna.decide({ ...accept, target: seen(first) })).toMatchObject({
    status: 200,
    items: 1,
    author: 'anna',
  });
  const late = await bo.decide({ kind: 'wait', until: '2026-12-24', target: seen(second, first) });
  expect(late).toMatchObject({
    status: 409,
    error: {
      code: 'DECISION_CONFLICT',
      message: `Nothing was decided: ${first?.discrepancyId ?? ''} was decided in the meantime: accept by anna on ${asOf}.`,
    },
  });
  // Bo sees at once what Anna decided, and can then take it back.
  const { item, history } = await bo.detail(first?.discrepancyId ?? '');
  expect(item).toMatchObject({ status: 'ACCEPTED', decidedBy: 'anna', reason: 'agreed' });
  expect(history).toMatchObject([{ kind: 'accept', author: 'anna', undoneBy: null }]);
  const { decidedAt = '', decidedAtInZone = '' } = history[0] ?? {};
  expect(decidedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  expect(decidedAtInZone).toBe(`${decidedAt.slice(0, 16).replace('T', ' ')} UTC`);
  expect((await bo.items()).items).toHaveLength(25);
  expect((await bo.items('?status=ACCEPTED')).items).toMatchObject([{ discrepancyId: first?.discrepancyId }]);
  expect(await bo.decide({ kind: 'undo', target: seen(item) })).toMatchObject({ status: 200 });
  expect((await anna.detail(item.discrepancyId)).history).toMatchObject([
    { kind: 'undo', author: 'bo' },
    { kind: 'accept', author: 'anna', undoneBy: 'bo' },
  ]);
  // A decision by command is seen as well.
  await installation.recon(
    'decide',
    third?.discrepancyId ?? '',
    '--assign',
    'carl',
    '--by',
    'bo',
    '--as-of',
    asOf,
  );
  expect((await anna.items('?assignee=carl')).items).toHaveLength(1);
  expect(await anna.decide({ kind: 'accept', target: seen(second) })).toMatchObject({
    status: 422,
    error: { message: 'Nothing was decided: accept needs a reason: the field Reason.' },
  });
});

test('decides all items of a filter as the preview showed them, or none', async () => {
  const installation = await shop();
  const { browser: anna } = await review(installation, '--by', 'anna');
  const { browser: bo } = await review(installation, '--by', 'bo');
  const { patterns } = await anna.json<{ patterns: { patternId: string; count: number }[] }>('/api/patterns');
  const [pattern] = patterns;
  const bulk = { kind: 'accept', reason: 'new price list' };
  const filter = { pattern: pattern?.patternId };
  const preview = await anna.decide({ ...bulk, dryRun: true, target: { filter } });
  expect(preview).toMatchObject({ status: 200, dryRun: true, items: pattern?.count });
  expect((await anna.items('?status=ACCEPTED')).items).toEqual([]);
  const [one] = (await bo.items(`?pattern=${pattern?.patternId ?? ''}`)).items;
  await bo.decide({ kind: 'note', note: 'asked the acquirer', target: seen(one) });
  const target = { filter, basis: preview.basis };
  expect(await anna.decide({ ...bulk, target })).toMatchObject({
    status: 409,
    error: {
      message: `Nothing was decided: the items of the filter changed after the preview. The latest decision is note by bo on ${asOf}.`,
    },
  });
  const { basis } = await anna.decide({ ...bulk, dryRun: true, target: { filter } });
  expect(await anna.decide({ ...bulk, target: { filter, basis } })).toMatchObject({
    status: 200,
    items: pattern?.count,
  });
  expect((await anna.items('?status=ACCEPTED')).items).toHaveLength(pattern?.count ?? 0);
  expect(await anna.json('/api/patterns')).toMatchObject({ patterns: [] });
  const { history } = await anna.detail(one?.discrepancyId ?? '');
  expect(history[0]).toMatchObject({ kind: 'accept', originName: `--pattern ${pattern?.patternId ?? ''}` });
  expect(await anna.decide({ ...bulk, dryRun: true, target: { filter: {} } })).toMatchObject({ status: 422 });
  expect(await anna.decide({ ...bulk, target: { filter } })).toMatchObject({ status: 422 });
});

test('a decision by filter leaves out what another person decided while the page reads its list again', async () => {
  const installation = await shop();
  const { browser } = await review(installation, '--by', 'anna');
  const { items } = await browser.items('?code=AMOUNT_MISMATCH');
  const taken = items[0]?.discrepancyId ?? '';
  const accept = ['--accept', '--reason', 'agreed', '--by', 'bo', '--as-of', asOf];
  expect((await installation.recon('decide', taken, ...accept)).code).toBe(0);
  const { sql } = installation.database.database;
  // After so many decisions the page reads its whole list again, and has the former one until then.
  await sql`insert into decisions (item, kind, note, basis, author, decided_on, decided_at, origin)
    select md5(n::text), 'note', 'seen', '', 'bo', ${asOf}, now(), 'command' from generate_series(1, 20001) n`;
  const locking = installation.database.database.openSession(() => undefined);
  onTestFinished(() => locking.end());
  const wait = { kind: 'wait', until: '2026-12-24', target: { filter: { code: 'AMOUNT_MISMATCH' } } };
  const preview = await locking.begin(async (tx) => {
    // Neither the list nor the decision can be read.
    await tx`lock table settlement_records in access exclusive mode`;
    const asked = browser.decide({ ...wait, dryRun: true });
    await expect.poll(() => waitingFor(installation, 'items_to_decide'), { timeout: 20_000 }).toBe(1);
    // Not awaited before the lock is released.
    return { asked };
  });
  expect(await preview.asked).toMatchObject({ status: 200, items: items.length - 1 });
});

/** How many statements with this text wait for a lock. */
async function waitingFor({ database }: Installation, text: string): Promise<number> {
  const rows = await database.database.sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and strpos(query, ${text}) > 0`;
  return rows.length;
}

test('of many accepts, the preview and the answer count all that wait for a second person', async () => {
  const installation = await shop();
  installation.write('recon.config.yaml', 'decisions: { fourEyesAbove: { EUR: 5.00 } }\nlogLevel: silent\n');
  const { browser } = await review(installation, '--by', 'anna');
  const accept = { kind: 'accept', reason: 'new price list' };
  const filter = { code: 'AMOUNT_MISMATCH' };
  const preview = await browser.decide({ ...accept, dryRun: true, target: { filter } });
  expect(preview).toMatchObject({ status: 200, items: 25, pending: 25 });
  // Only the first decisions are named.
  expect(preview.decisions).toHaveLength(20);
  const target = { filter, basis: preview.basis };
  expect(await browser.decide({ ...accept, target })).toMatchObject({ status: 200, items: 25, pending: 25 });
});

test('a run is seen without starting the page again; a page with --read-only decides nothing', async () => {
  const installation = await shop();
  const { browser } = await review(installation, '--read-only');
  const { items } = await browser.items('?limit=1');
  expect(await browser.decide({ kind: 'note', note: 'x', target: seen(items[0]) })).toMatchObject({
    status: 422,
    error: { message: 'This page was started with --read-only.' },
  });
  expect(await browser.overview()).toMatchObject({ author: null });
  installation.write('more.csv', settlementFile({ UniqueID: paymentId(98), SettlementTxId: 'STL-98' }));
  await installation.recon('run', '--file', 'more.csv', '--as-of', asOf);
  expect(await browser.json('/api/totals')).toMatchObject({ count: 27 });
  installation.write('unknown.csv', paymentsFileOf([paymentRow(98)]));
  await installation.recon('payments', 'import', 'unknown.csv');
  await installation.recon('rerun', '--from', '2026-11-19', '--to', '2026-11-19', '--as-of', asOf);
  expect((await browser.items('?status=RESOLVED')).items).toMatchObject([{ settlementTxId: 'STL-98' }]);
  expect(await browser.json('/api/totals')).toMatchObject({ count: 26 });
});

test('what no page sends is refused as a wrong request, and is no failure of recon or of its database', async () => {
  const installation = await shop();
  const { page, browser } = await review(installation);
  // The client of Node would make a path of these.
  const rawStatus = (target: string) => statusOfRaw(page.origin, browser.cookie, `GET ${target} HTTP/1.1`);
  for (const target of ['//', '//evil.example/', '/\\', 'http://[', '*']) {
    expect([target, await rawStatus(target)]).toEqual([target, 404]);
  }
  const [item] = (await browser.items()).items;
  const place = (key: string) =>
    Buffer.from(JSON.stringify({ key, weight: '0', ageDays: 0, id: item?.discrepancyId })).toString(
      'base64url',
    );
  for (const query of [
    'text=%00',
    'account=a%00b',
    `sort=code&after=${place('\0')}`,
    `sort=date&after=${place('0000-01-01')}`,
  ]) {
    const { status, text } = await browser.get(`/api/items?${query}`);
    expect([query, status, codeOf(text)]).toEqual([query, 400, 'USAGE_INVALID']);
  }
  for (const decision of [
    { kind: 'note', note: 'a\0b', target: seen(item) },
    { kind: 'link', linkTo: '\0', target: seen(item) },
    { kind: 'note', note: '\ud800', target: seen(item) },
    { kind: 'note', note: 'x', dryRun: true, target: { filter: { assignee: '\0' } } },
  ]) {
    expect(await browser.decide(decision)).toMatchObject({ status: 400, error: { code: 'USAGE_INVALID' } });
  }
  const cutOff = connect(Number(new URL(page.origin).port), '127.0.0.1');
  cutOff.write(
    `${headOf(page.origin, browser.cookie, 'POST /api/decide HTTP/1.1')}content-length: 9\r\n\r\n{`,
  );
  await new Promise((resolve) => setTimeout(resolve, 100));
  cutOff.destroy();
  expect((await browser.get('/api/overview')).status).toBe(200);
  expect(page.log()).toBe('');
});

test('after a request that is too long, the next one on its connection is answered; a slow one holds up no other', async () => {
  const installation = await shop();
  const { page, browser } = await review(installation);
  const slow = Array.from({ length: 4 }, () => {
    const socket = connect(Number(new URL(page.origin).port), '127.0.0.1');
    socket.write(
      `${headOf(page.origin, browser.cookie, 'POST /api/decide HTTP/1.1')}content-length: 9\r\n\r\n{`,
    );
    onTestFinished(() => void socket.destroy());
    return socket;
  });
  await Promise.all(slow.map((socket) => once(socket, 'connect')));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const headers = { cookie: browser.cookie, origin: page.origin, 'content-type': 'application/json' };
  const tooLong = { method: 'POST', headers, body: `"${'x'.repeat(2 ** 21)}"`, agent };
  const refused = await send(`${page.origin}/api/decide`, tooLong);
  expect(refused).toMatchObject({ status: 400 });
  expect(refused.text).toContain('The request is longer than 1 MiB.');
  expect((await send(`${page.origin}/api/items`, { headers, agent })).status).toBe(200);
  expect(page.log()).toBe('');
});

/** The head of a request as it is given, without its last empty line. */
function headOf(origin: string, cookie: string, line: string): string {
  const fields = { host: new URL(origin).host, origin, cookie, 'content-type': 'application/json' };
  return [line, ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`), ''].join('\r\n');
}

async function statusOfRaw(origin: string, cookie: string, line: string): Promise<number> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  socket.write(`${headOf(origin, cookie, line)}connection: close\r\n\r\n`);
  let text = '';
  for await (const part of socket as AsyncIterable<Buffer>) text += part.toString();
  return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
}

test('a port that is taken or impossible is reported', async () => {
  const installation = await createInstallation();
  const { page } = await review(installation);
  const { port } = new URL(page.origin);
  const taken = await installation.json<{ error: { code: string; message: string } }>(
    'review',
    '--port',
    port,
  );
  expect({ code: taken.code, error: taken.document.error.code }).toEqual({
    code: 2,
    error: 'PORT_UNAVAILABLE',
  });
  expect(taken.document.error.message).toBe(
    `recon cannot listen on 127.0.0.1 port ${port}: another program listens there.`,
  );
  expect((await installation.recon('review', '--port', '70000')).code).toBe(2);
});

test.each(['pg_cancel_backend', 'pg_terminate_backend'])(
  'the list is whole after %s ended its renewal between two statements',
  async (ending) => {
    const installation = await shop();
    const { browser } = await review(installation, '--by', 'anna');
    const { items } = await browser.items();
    const accept = { kind: 'accept', reason: 'agreed', target: seen(items[0]) };
    expect((await browser.decide(accept)).status).toBe(200);
    const { sql } = installation.database.database;
    const locking = installation.database.database.openSession(() => undefined);
    await locking.begin(async (tx) => {
      // The rows of the decided item are removed; to write them again, the renewal reads its record.
      await tx`lock table settlement_records in access exclusive mode`;
      const cutOff = browser.get('/api/totals');
      const waiting = async () =>
        sql<{ pid: number }[]>`select pid from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%with rows as (%'`;
      await expect.poll(async () => (await waiting()).length, { timeout: 20_000 }).toBe(1);
      await sql`select ${sql(ending)}(${(await waiting())[0]?.pid ?? 0}::int)`;
      void cutOff.catch(() => undefined);
    });
    await locking.end();
    const left = await browser.items();
    expect(left.items.map(({ discrepancyId }) => discrepancyId)).toEqual(
      items.slice(1).map(({ discrepancyId }) => discrepancyId),
    );
    expect(await browser.json<{ count: number }>('/api/totals')).toMatchObject({ count: 25 });
    const accepted = await browser.items('?status=ACCEPTED');
    expect(accepted.items).toMatchObject([{ discrepancyId: items[0]?.discrepancyId, decidedBy: 'anna' }]);
  },
);

test('a database that is down is named in the log and in the answer, and the page works when it is back', async () => {
  const installation = await shop();
  const { page, browser } = await review(installation);
  const { name } = installation.database;
  await administer(`alter database ${name} with allow_connections false`);
  await administer(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = '${name}' and backend_type = 'client backend'`,
  );
  await expect.poll(async () => (await browser.get('/api/items')).status, { timeout: 20_000 }).toBe(503);
  await expect
    .poll(page.log)
    .toMatch(/"code":"DATABASE_\w+","message":"[^"]+"[^\n]*A request to the page failed/);
  await administer(`alter database ${name} with allow_connections true`);
  await expect.poll(async () => (await browser.get('/api/items')).status, { timeout: 20_000 }).toBe(200);
});
