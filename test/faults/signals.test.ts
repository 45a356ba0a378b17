import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startCli } from '../support/cli.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

/** Commands that are no runs end after the first signal too, and what they were storing is undone. */
const payments = readFileSync(
  path.resolve(import.meta.dirname, '../../fixtures/clean-day/payments.csv'),
  'utf8',
);

let testDatabase: TestDatabase;
let directory: string;
let env: Record<string, string>;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  directory = mkdtempSync(path.join(tmpdir(), 'recon-signals-'));
  env = { RECON_DATABASE_URL: testDatabase.url, RECON_DATA_DIR: 'data' };
});

afterEach(async () => {
  await testDatabase.drop();
  rmSync(directory, { recursive: true, force: true });
});

interface Started {
  readonly stop: (signal: NodeJS.Signals) => boolean;
  readonly ended: Promise<{ code: number | null; stderr: string }>;
}

function start(args: readonly string[], more: Record<string, string> = {}): Started {
  const child = startCli([...args], { env: { ...env, ...more }, cwd: directory });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<{ code: number | null; stderr: string }>((resolve) => {
    child.on('close', (code) => {
      resolve({ code, stderr });
    });
  });
  return { stop: (signal) => child.kill(signal), ended };
}

/** Whether a session waits for a lock of the database. */
async function waits(): Promise<boolean> {
  const rows = await testDatabase.database.sql`select 1 from pg_locks
    where not granted and database = (select oid from pg_database where datname = current_database())`;
  return rows.length > 0;
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('a command that waits for a lock of its database', () => {
  test.each([
    ['payments import', ['payments', 'import', 'payments.csv'], 'payments', 'SIGTERM', 143],
    ['payments export', ['payments', 'export', 'all.csv'], 'payments', 'SIGINT', 130],
    ['items', ['items'], 'discrepancies', 'SIGTERM', 143],
    ['decide', ['decide', '--code', 'NOT_MATCHED', '--note', 'seen'], 'discrepancies', 'SIGINT', 130],
    ['runs', ['runs'], 'runs', 'SIGHUP', 143],
  ] as const)('%s', async (_name, args, table, signal, expected) => {
    const { sql } = testDatabase.database;
    writeFileSync(path.join(directory, 'payments.csv'), payments);
    await sql.begin(async (tx) => {
      await tx`lock table ${tx(table)} in access exclusive mode`;
      const { stop, ended } = start(args);
      await until(waits);
      stop(signal);
      const { code, stderr } = await ended;
      expect(stderr).toBe(
        `recon: Stopped by ${signal}; what had been stored is kept.\nStart the command again; a run continues where it stopped. (RUN_INTERRUPTED)\n`,
      );
      expect(code).toBe(expected);
    });
    await until(async () => !(await waits()));
    expect(readdirSync(directory).filter((name) => name !== 'data')).toEqual(['payments.csv']);
  });
});

test('a move that waits for what is being stored; the next one continues it', async () => {
  const other = await createTestDatabase();
  try {
    const args = ['move', '--to', other.url];
    await testDatabase.database.sql.begin(async (tx) => {
      await tx`lock table payments in access exclusive mode`;
      const { stop, ended } = start(args);
      await until(waits);
      stop('SIGTERM');
      expect((await ended).code).toBe(143);
    });
    expect(await start(args).ended).toEqual({ code: 0, stderr: '' });
  } finally {
    await other.drop();
  }
});

test('a command whose database accepts the connection and does not answer', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { stop, ended } = start(['items'], {
    RECON_DATABASE_URL: `postgres://recon@127.0.0.1:${port}/recon`,
  });
  await until(() => connections > 0);
  stop('SIGTERM');
  expect((await ended).code).toBe(143);
  server.close();
});
