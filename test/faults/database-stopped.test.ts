import { createServer, type AddressInfo, type Server } from 'node:net';
import path from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openAndMigrate, openMigrationSession } from '../../src/db/connect.js';
import { holdEmbeddedServer, type EmbeddedServer } from '../../src/db/embedded/embedded-server.js';
import { readPostmaster } from '../../src/db/embedded/postmaster-file.js';
import { startDatabaseProxy } from '../support/database-proxy.js';
import { holdWrites } from '../support/held-writes.js';
import {
  documentOf,
  factsOf,
  prepareNight,
  reportsOf,
  type SettlementNight,
} from '../support/settlement-night.js';
import { folderForEachTest } from '../support/test-folder.js';

/** A server of the test's own, which may be stopped: no other test uses it. */
const settings = { shared_buffers: '32MB', fsync: 'off' };
const logger = pino({ enabled: false });

const directory = folderForEachTest();
let server: EmbeddedServer;
let night: SettlementNight;

beforeEach(async () => {
  server = await holdEmbeddedServer(directory.path, settings);
  await openAndMigrate({ url: server.url }, { logger });
  night = prepareNight(server.url);
  expect((await night.importPayments()).code).toBe(0);
});

afterEach(async () => {
  await server.release();
  night.end();
});

/** As `pg_ctl stop -m immediate`: no checkpoint, and recovery at the next start. */
async function stopAtOnce(): Promise<void> {
  const cluster = path.join(directory.path, 'database');
  const postmaster = readPostmaster(cluster);
  if (postmaster === undefined) throw new Error('no server runs');
  process.kill(postmaster.processId, 'SIGQUIT');
  await expect.poll(() => readPostmaster(cluster), { timeout: 20_000 }).toBeUndefined();
}

async function startAgain(): Promise<void> {
  await server.release();
  server = await holdEmbeddedServer(directory.path, settings);
}

async function stored(): Promise<Record<string, unknown>> {
  const session = openMigrationSession(server.url);
  try {
    return await factsOf(session);
  } finally {
    await session.end();
  }
}

/** What an undisturbed run stores and reports, on another database of the same server. */
async function baseline(): Promise<{ facts: Record<string, unknown>; reports: Record<string, string> }> {
  const session = openMigrationSession(server.url);
  await session`create database baseline`;
  await session.end();
  const url = server.url.replace('/recon?', '/baseline?');
  await openAndMigrate({ url }, { logger });
  const other = prepareNight(url);
  const reading = openMigrationSession(url);
  try {
    expect((await other.importPayments()).code).toBe(0);
    expect((await other.run()).code).toBe(1);
    return { facts: await factsOf(reading), reports: reportsOf(other) };
  } finally {
    await reading.end();
    other.end();
  }
}

test.each([
  ['a file is loaded', 'settlement_records', 120],
  ['matches are stored', 'record_matches', undefined],
] as const)(
  'F83 the server is stopped at once while %s: exit 5, and the next run after its return is complete',
  async (_when, table, line) => {
    const expected = await baseline();
    const held = await holdWrites(server.url, table, line);
    const run = night.run();
    await held.backend();
    await stopAtOnce();
    const ended = await run;
    expect(ended.code).toBe(5);
    expect(['DATABASE_FAILED', 'DATABASE_UNREACHABLE', 'RUN_REPLACED']).toContain(
      documentOf(ended).error?.code,
    );
    await held.release();
    await startAgain();
    expect([0, 1]).toContain((await night.run()).code);
    expect(await stored()).toEqual(expected.facts);
    expect(reportsOf(night)).toEqual(expected.reports);
  },
);

test('F83 recon waits briefly for a server that is down, then exits with 5', async () => {
  await stopAtOnce();
  const began = Date.now();
  const ended = await night.run();
  expect(ended.code).toBe(5);
  expect(documentOf(ended).error?.code).toBe('DATABASE_UNREACHABLE');
  expect(Date.now() - began).toBeGreaterThan(4_000);
  expect(Date.now() - began).toBeLessThan(15_000);
});

test('F83 a server that comes back within that moment is used', async () => {
  await stopAtOnce();
  const run = night.run();
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  await startAgain();
  expect((await run).code).toBe(1);
});

test('F83 recon waits for a server that reports that it is starting', async () => {
  const proxy = await startDatabaseProxy(server.url, () => undefined);
  const port = Number(new URL(proxy.url).port);
  await proxy.close();
  const starting = await sayStarting(port);
  const run = night.run(proxy.url);
  await new Promise((resolve) => setTimeout(resolve, 8_000));
  await starting.stop();
  const again = await startDatabaseProxy(server.url, () => undefined, port);
  expect((await run).code).toBe(1);
  expect(starting.asked()).toBeGreaterThan(3);
  await again.close();
});

/** Answers as PostgreSQL does while it starts or recovers. */
async function sayStarting(port: number): Promise<{ asked: () => number; stop: () => Promise<void> }> {
  let asked = 0;
  const silent: Server = createServer((socket) => {
    asked += 1;
    socket.on('error', () => undefined);
    socket.once('data', () => {
      const fields = Buffer.from('SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0');
      const head = Buffer.alloc(5);
      head.write('E');
      head.writeInt32BE(fields.length + 4, 1);
      socket.end(Buffer.concat([head, fields]));
    });
  });
  await new Promise<void>((resolve) => silent.listen(port, '127.0.0.1', resolve));
  expect((silent.address() as AddressInfo).port).toBe(port);
  return { asked: () => asked, stop: () => new Promise((resolve) => silent.close(() => resolve())) };
}
