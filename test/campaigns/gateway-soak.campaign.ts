import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { percentile, putUnderLoad, requestText } from '../../bench/http/load.js';
import { startServed, type ServedProcess } from '../../bench/http/served-process.js';
import { createToken } from '../../src/http/tokens/change-tokens.js';
import { chanceFrom, reportCounts, seed, seeded } from '../support/campaign.js';
import { liveHeapMb, measurable } from '../support/live-heap.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { entity, payment } from '../http/served.js';

/** An hour; `SCALE=0.1` makes it six minutes. */
const seconds = 3600 * Number(process.env['SCALE'] ?? 1);
const slices = 20;

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
    const directory = mkdtempSync(path.join(tmpdir(), 'recon-soak-'));
    const serve = [
      ...measurable(directory),
      path.resolve('dist/cli/main.js'),
      'serve',
      '--port',
      '0',
      '--json',
    ];
    const gateway = await startServed(serve, {
      RECON_DATABASE_URL: database.url,
      RECON_DATA_DIR: directory,
    });
    try {
      const next = shopping(await newToken(database));
      await warmUp(gateway, next);
      const before = await liveHeapMb(gateway.processId, directory);
      const measured: Slice[] = [];
      for (let slice = 0; slice < slices; slice += 1) {
        measured.push(await measureSlice(gateway, database, next));
      }
      report(measured);
      expectFlat(measured);
      const after = await liveHeapMb(gateway.processId, directory);
      process.stdout.write(`live heap: ${before.toFixed(1)} MB, then ${after.toFixed(1)} MB\n`);
      expect(after).toBeLessThan(before * 1.05 + 1);
    } finally {
      await gateway.stop();
      await database.drop();
      rmSync(directory, { recursive: true, force: true });
    }
  },
);

async function newToken({ database }: TestDatabase): Promise<string> {
  const request = { entityIds: [entity], roles: ['payments'], environment: 'test', author: 'test' } as const;
  return (await createToken(database.sql, request)).token;
}

interface Shopping {
  readonly next: () => string;
  readonly onBody: (body: string) => void;
}

/** Half of the requests pay, a tenth refunds a part of an earlier payment, the others read one. */
function shopping(token: string): Shopping {
  const chance = chanceFrom(seed);
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
  const post = (target: string, form: Readonly<Record<string, string>>) =>
    requestText('POST', target, headers, new URLSearchParams(form).toString());
  /** The latest debits. */
  const ids: string[] = [];
  let made = 0;
  return {
    next: () => {
      const kind = chance.fraction();
      if (ids.length < 100 || kind < 0.5) return post('/v1/payments', payment('DB'));
      const target = `/v1/payments/${chance.pick(ids)}`;
      if (kind < 0.9) return requestText('GET', target, { authorization: `Bearer ${token}` });
      return post(target, { paymentType: 'RF', amount: '0.01', currency: 'EUR' });
    },
    onBody: (body) => {
      const { id, paymentType } = JSON.parse(body) as { id: string; paymentType: string };
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
  const requests = measured.reduce((sum, slice) => sum + slice.requests, 0);
  reportCounts('soak of the gateway', { requests });
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
