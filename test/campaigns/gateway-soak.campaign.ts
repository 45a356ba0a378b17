import { closeSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { percentile, putUnderLoad, requestText } from '../../bench/http/load.js';
import { startServed, type ServedProcess } from '../../bench/http/served-process.js';
import { recon } from '../cli/recon.js';
import { chanceFrom, reportCounts, seed, seeded } from '../support/campaign.js';
import { liveHeapMb, measurable } from '../support/live-heap.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { receiver } from '../webhooks/receiver.js';
import { entity, payment } from '../http/served.js';
import { folderForThisTest } from '../support/test-folder.js';
import { printTables, tablesOf } from './table-facts.js';

/** An hour; `SCALE=0.1` makes it six minutes. */
const seconds = 3600 * Number(process.env['SCALE'] ?? 1);
const slices = 20;

/** Requests per second, such as `RATE=20`, for a machine that others use; without it, as many as possible. */
const rate = process.env['RATE'] === undefined ? {} : { perSecond: Number(process.env['RATE']) };

/**
 * The tables to which every payment and checkout adds rows. The other tables must not grow with the number of requests.
 */
const growing = [
  'payments',
  'payment_details',
  'payment_events',
  'idempotency_keys',
  'checkouts',
  'webhook_deliveries',
];

/** What must stay flat, in one slice of the time. */
interface Slice {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMsPerRequest: number;
  readonly memoryMb: number;
  /** Files and sockets that the process holds open. */
  readonly handles: number;
  /** Sessions of the gateway, as the database counts them. */
  readonly sessions: number;
}

test(
  seeded('recon serve holds as much after hours of payments, reads and refunds as after minutes'),
  async () => {
    const database = await createTestDatabase();
    const directory = folderForThisTest();
    onTestFinished(() => database.drop());
    const { gateway, log, token } = await startShop(database, directory);
    const next = shopping(token);
    await warmUp(gateway, next);
    const heapBefore = await liveHeapMb(gateway.processId, directory);
    const tablesBefore = await tablesOf(database.database.sql);
    const logBefore = statSync(log).size;
    const measured: Slice[] = [];
    for (let slice = 0; slice < slices; slice += 1) {
      measured.push(await measureSlice(gateway, database, next));
      report(measured.slice(-1));
    }
    const requests = measured.reduce((sum, slice) => sum + slice.requests, 0);
    reportCounts('soak of the gateway', { requests });
    const heapAfter = await liveHeapMb(gateway.processId, directory);
    process.stdout.write(`live heap: ${heapBefore.toFixed(1)} MB, then ${heapAfter.toFixed(1)} MB\n`);
    process.stdout.write(
      `log: ${Math.round((statSync(log).size - logBefore) / requests)} bytes for a request\n`,
    );
    const tablesAfter = await tablesOf(database.database.sql);
    printTables(tablesBefore, tablesAfter);
    expectFlat(measured);
    expect(heapAfter).toBeLessThan(heapBefore * 1.05 + 1);
    const grown = tablesAfter.filter(
      ({ name, rows }) =>
        !growing.includes(name) && rows > (tablesBefore.find((one) => one.name === name)?.rows ?? 0) + 50,
    );
    expect(grown).toEqual([]);
  },
  // The hour, and the time until it starts.
  (seconds + 1200) * 1000,
);

interface Shop {
  readonly gateway: ServedProcess;
  /** The file with its log. */
  readonly log: string;
  readonly token: string;
}

/** `recon serve` with a token, and a shop that receives its notifications. */
async function startShop(database: TestDatabase, directory: string): Promise<Shop> {
  writeFileSync(path.join(directory, 'recon.config.yaml'), 'webhooks:\n  allowHosts: [127.0.0.1]\n');
  const environment = { RECON_DATABASE_URL: database.url, RECON_DATA_DIR: directory };
  const run = async (...args: string[]) => (await recon(args, { cwd: directory, environment })).stdout;
  const usual = ['--json', '--by', 'test', '--entity', entity];
  const { token } = JSON.parse(await run('tokens', 'create', ...usual)) as { token: string };
  const shop = await receiver();
  await run('webhooks', 'add', '--url', shop.url, ...usual);
  const log = path.join(directory, 'serve.log');
  const file = openSync(log, 'w');
  const config = ['--config', path.join(directory, 'recon.config.yaml')];
  const gateway = await startServed(
    [...measurable(directory), path.resolve('dist/cli/main.js'), 'serve', '--port', '0', '--json', ...config],
    environment,
    file,
  );
  closeSync(file);
  onTestFinished(async () => {
    await gateway.stop();
    await shop.close();
  });
  return { gateway, log, token };
}

interface Shopping {
  readonly next: () => string;
  readonly onBody: (body: string) => void;
}

/**
 * Two fifths of the requests pay, some of them with an idempotency key, a tenth refunds a part of an earlier payment, a
 * tenth makes a checkout, the others read a payment.
 */
function shopping(token: string): Shopping {
  const chance = chanceFrom(seed);
  const authorization = `Bearer ${token}`;
  const post = (target: string, form: Readonly<Record<string, string>>, more = {}) => {
    const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded', ...more };
    return requestText('POST', target, headers, new URLSearchParams(form).toString());
  };
  /** The latest debits. */
  const ids: string[] = [];
  let made = 0;
  return {
    next: () => {
      const kind = chance.fraction();
      if (ids.length < 100 || kind < 0.4) {
        const isKeyed = chance.fraction() < 0.2;
        const key = isKeyed ? { 'idempotency-key': `order-${chance.fraction()}` } : {};
        return post('/v1/payments', payment('DB'), key);
      }
      const target = `/v1/payments/${chance.pick(ids)}`;
      if (kind < 0.8) return requestText('GET', target, { authorization });
      if (kind < 0.9) return post('/v1/checkouts', { amount: '92.00', currency: 'EUR', paymentType: 'DB' });
      return post(target, { paymentType: 'RF', amount: '0.01', currency: 'EUR' });
    },
    onBody: (body) => {
      const { id, paymentType } = JSON.parse(body) as { id: string; paymentType?: string };
      if (paymentType !== 'DB') return;
      ids[made % 5000] = id;
      made += 1;
    },
  };
}

/** Until then code is compiled and memory is claimed: on a busy machine that takes longer than the first slices. */
async function warmUp(gateway: ServedProcess, { next, onBody }: Shopping): Promise<void> {
  const { url } = gateway;
  await putUnderLoad({ url, connections: 20, seconds: 3600, requests: 20_000, next, onBody });
}

async function measureSlice(
  gateway: ServedProcess,
  { database, name }: TestDatabase,
  { next, onBody }: Shopping,
): Promise<Slice> {
  const cpuBefore = gateway.cpuMs() ?? 0;
  const load = await putUnderLoad({
    url: gateway.url,
    connections: 20,
    seconds: seconds / slices,
    next,
    onBody,
    ...rate,
  });
  const [sessions] = await database.sql<{ n: number }[]>`
    select count(*)::int as n from pg_stat_activity where datname = ${name} and application_name = 'recon'`;
  return {
    requests: load.requests,
    p50Ms: percentile(load.latenciesMs, 0.5),
    p99Ms: percentile(load.latenciesMs, 0.99),
    cpuMsPerRequest: ((gateway.cpuMs() ?? 0) - cpuBefore) / load.requests,
    memoryMb: residentMb(gateway.processId),
    handles: readdirSync(`/proc/${gateway.processId}/fd`).length,
    sessions: sessions?.n ?? 0,
  };
}

function residentMb(processId: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${processId}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

function report(measured: readonly Slice[]): void {
  for (const { requests, p50Ms, p99Ms, cpuMsPerRequest, memoryMb, handles, sessions } of measured) {
    process.stdout.write(
      `${requests} requests, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, CPU ${cpuMsPerRequest.toFixed(2)} ms, ${memoryMb} MB, ${handles} handles, ${sessions} sessions\n`,
    );
  }
}

/** Compares the last quarter with the second one. */
function expectFlat(measured: readonly Slice[]): void {
  const quarter = measured.length / 4;
  const [early, late] = [measured.slice(quarter, 2 * quarter), measured.slice(-quarter)];
  const median = (of: readonly Slice[], value: (slice: Slice) => number) =>
    of.map(value).sort((a, b) => a - b)[Math.floor(of.length / 2)] ?? NaN;
  const later = (value: (slice: Slice) => number) => median(late, value) / median(early, value);
  expect(
    later((slice) => slice.memoryMb),
    'memory',
  ).toBeLessThan(1.25);
  expect(
    later((slice) => slice.cpuMsPerRequest),
    'CPU time per request',
  ).toBeLessThan(1.5);
  // Other work on the machine delays requests too.
  expect(
    later((slice) => slice.p50Ms),
    'latency',
  ).toBeLessThan(3);
  expect(median(late, (slice) => slice.handles)).toBeLessThanOrEqual(
    median(early, (slice) => slice.handles) + 2,
  );
  expect(median(late, (slice) => slice.sessions)).toBeLessThanOrEqual(
    median(early, (slice) => slice.sessions),
  );
}
