import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import { readDatabaseUrl } from '../../src/db/connection/connection-address.js';
import { openDatabase, openMigrationSession } from '../../src/db/connect.js';
import { startDatabaseProxy } from '../support/database-proxy.js';
import { databaseUrl } from '../support/database-url.js';
import { administer, createTestDatabase, databaseForAllTests, testUrl } from '../support/database.js';

const logger = pino({ enabled: false });
const own = databaseForAllTests();
const closed = databaseForAllTests();

describe('values', () => {
  test('are read exactly: int8 as bigint, dates and timestamps as text, arrays as arrays', async () => {
    const [row] = await own.database.sql`
      select 9223372036854775807::int8 as big, '2026-03-29'::date as day, array['x', 'y"'] as texts,
        '2026-03-29 02:30:00.123456+01'::timestamptz as moment, array[1::int8] as bigs, '{"a": 1}'::jsonb as json`;
    expect(row).toEqual({
      big: 9223372036854775807n,
      day: '2026-03-29',
      texts: ['x', 'y"'],
      moment: '2026-03-29 01:30:00.123456+00',
      bigs: [1n],
      json: { a: 1 },
    });
  });

  test('are sent exactly', async () => {
    const { sql } = own.database;
    const [row] = await sql`
      select ${9223372036854775807n}::int8 as big, ${'2026-03-29'}::date as day, ${['a,b', 'c']}::text[] as texts,
        ${'2026-03-29T02:30:00.123456+01:00'}::timestamptz as moment, ${sql.json({ a: [1] })}::jsonb as json,
        ${['5', '6']}::int8[] as bigs`;
    expect(row).toEqual({
      big: 9223372036854775807n,
      day: '2026-03-29',
      texts: ['a,b', 'c'],
      moment: '2026-03-29 01:30:00.123456+00',
      json: { a: [1] },
      bigs: [5n, 6n],
    });
  });
});

describe('sessions', () => {
  test('report when they are lost, and not when they are ended', async () => {
    const reported: string[] = [];
    const kept = own.database.openSession(() => reported.push('kept'));
    const killed = own.database.openSession(() => reported.push('killed'));
    await kept`select 1`;
    const [row] = await killed<{ pid: number }[]>`select pg_backend_pid() as pid`;
    await kept`select pg_terminate_backend(${row?.pid ?? 0}::int, 5000)`;
    await expect.poll(() => reported).toEqual(['killed']);
    await kept.end();
    await killed.end();
    expect(reported).toEqual(['killed']);
  });
});

describe('the planner of a server with default settings', () => {
  test.each([
    ['expects look-ups to be cheap', '', '1.1'],
    ['obeys the URL', 'random_page_cost=2.5', '2.5'],
  ])('%s', async (_what, parameter, expected) => {
    const url = testUrl(own.name);
    await administer(`alter database ${own.name} set random_page_cost = 4`);
    const opened = await openDatabase(
      { url: `${url}${url.includes('?') ? '&' : '?'}${parameter}` },
      { logger },
    );
    try {
      expect(await opened.sql`show random_page_cost`).toEqual([{ random_page_cost: expected }]);
    } finally {
      await opened.close();
    }
  });
});

test('a server whose transactions are serializable by default: statements see what is committed', async () => {
  await administer(`alter database ${own.name} set default_transaction_isolation = 'serializable'`);
  const opened = await openDatabase({ url: testUrl(own.name) }, { logger });
  try {
    expect(await opened.sql`show transaction_isolation`).toEqual([
      { transaction_isolation: 'read committed' },
    ]);
  } finally {
    await opened.close();
  }
});

describe('a server that ends long statements and idle sessions', () => {
  test.each([
    ['does not end those of a night', '', '0', '0', '0'],
    [
      'obeys the URL',
      'statement_timeout=7s&idle_in_transaction_session_timeout=8s&idle_session_timeout=9s',
      '7s',
      '8s',
      '9s',
    ],
  ])('%s', async (_what, parameters, statement, inTransaction, idle) => {
    const other = await createTestDatabase();
    await administer(`alter database ${other.name} set statement_timeout = '2s'`);
    await administer(`alter database ${other.name} set idle_in_transaction_session_timeout = '1s'`);
    await administer(`alter database ${other.name} set idle_session_timeout = '1s'`);
    const url = testUrl(other.name);
    const opened = await openDatabase(
      { url: `${url}${url.includes('?') ? '&' : '?'}${parameters}` },
      { logger },
    );
    try {
      const [row] = await opened.sql`select current_setting('statement_timeout') as statement,
        current_setting('idle_in_transaction_session_timeout') as "inTransaction",
        current_setting('idle_session_timeout') as idle`;
      expect(row).toEqual({ statement, inTransaction, idle });
    } finally {
      await opened.close();
      await other.drop();
    }
  });
});

describe('a session that is terminated in its first moments', () => {
  test('fails the statement that waits for it, and nothing else', async () => {
    const locking = own.database.openSession(() => undefined);
    const outside = openMigrationSession(databaseUrl(own.database.url, 'postgres'));
    const opened = await openDatabase({ url: own.database.url }, { logger, applicationName: 'connecting' });
    let waiting: Promise<unknown> = Promise.resolve();
    try {
      await locking.begin(async (tx) => {
        // Every statement needs the types: the new session stops at its first one.
        await tx`lock table pg_catalog.pg_type in access exclusive mode`;
        const session = opened.openSession(() => undefined);
        waiting = session`select 1`.then(
          () => 'answered',
          (thrown: unknown) => (thrown as { code?: string }).code,
        );
        await expect
          .poll(
            () => outside`
              select pg_terminate_backend(pid) from pg_stat_activity
              where application_name = 'connecting' and wait_event_type = 'Lock'`,
          )
          .toHaveLength(1);
      });
      expect(await waiting).toMatch(/^(57P01|CONNECTION_CLOSED)$/);
    } finally {
      await Promise.all([outside.end(), locking.end(), opened.close()]);
    }
  });
});

describe('a server that is down for a moment', () => {
  test('refuses every statement that waits for it, and is used again at once', async () => {
    const before = await startDatabaseProxy(own.database.url, () => undefined);
    const port = Number(new URL(before.url).port);
    const opened = await openDatabase({ url: before.url }, { logger });
    const outcomes = () =>
      Promise.all(
        Array.from({ length: 20 }, () =>
          opened.sql`select 1`.then(
            () => 'answered',
            (thrown: unknown) => (thrown as { code?: string }).code,
          ),
        ),
      );
    try {
      await before.close();
      await outcomes();
      const began = performance.now();
      expect(new Set(await outcomes())).toEqual(new Set(['ECONNREFUSED']));
      expect(performance.now() - began).toBeLessThan(5000);
      const after = await startDatabaseProxy(own.database.url, () => undefined, port);
      const returned = performance.now();
      await opened.sql`select 1`;
      expect(performance.now() - returned).toBeLessThan(2000);
      await after.close();
    } finally {
      await opened.close();
    }
  });
});

describe('a server that cannot be used', () => {
  let silent: Server;
  const sockets: Socket[] = [];
  /** Answers every start-up message with an error of the given SQLSTATE, as a starting server does. */
  const answering = async (sqlState: string) => {
    silent = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.on('data', (message: Buffer) => {
        // The question for TLS comes first.
        if (message.length === 8) {
          socket.write('N');
          return;
        }
        const fields = Buffer.from(`SFATAL\0VFATAL\0C${sqlState}\0Mpassword "hunter2" refused\0\0`);
        const head = Buffer.alloc(5);
        head.write('E');
        head.writeInt32BE(fields.length + 4, 1);
        socket.end(Buffer.concat([head, fields]));
      });
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    return (silent.address() as AddressInfo).port;
  };
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  test.each([
    ['no server', () => 'postgresql://me:hunter2@127.0.0.1:1/x', 'DATABASE_UNREACHABLE'],
    ['no such host', () => 'postgresql://me:hunter2@host.invalid/x', 'DATABASE_UNREACHABLE'],
    ['no socket', () => 'postgresql://me@localhost/x?host=/nowhere', 'DATABASE_UNREACHABLE'],
    ['no URL', () => 'localhost:5432/hunter2', 'CONFIG_INVALID'],
    ['no URL with a password', () => 'postgresql://me:hunter2#@host:port/x', 'CONFIG_INVALID'],
    ['another schema', () => withSetting('search_path', 'hunter2'), 'CONFIG_INVALID'],
    ['another schema in options', () => withSetting('options', '-csearch_path=hunter2'), 'CONFIG_INVALID'],
    [
      'another schema in an option of two words',
      () => withSetting('options', '-c search_path=hunter2'),
      'CONFIG_INVALID',
    ],
    [
      'another schema in a long option',
      () => withSetting('options', '--search-path=hunter2'),
      'CONFIG_INVALID',
    ],
    ['another time zone', () => withSetting('timezone', 'hunter2'), 'CONFIG_INVALID'],
    ['a parameter of libpq', () => withSetting('channel_binding', 'hunter2'), 'CONFIG_INVALID'],
    ['a value of the wrong kind', () => withSetting('work_mem', 'hunter2'), 'CONFIG_INVALID'],
    ['a setting of the whole server', () => withSetting('max_connections', '5'), 'CONFIG_INVALID'],
    ['an unknown setting in options', () => withSetting('options', '-chunter2=1'), 'CONFIG_INVALID'],
    ['no such database', () => testUrl('nowhere'), 'DATABASE_UNREACHABLE'],
    ['no connections allowed', () => withoutConnections(), 'DATABASE_UNREACHABLE'],
    ['no tables', () => testUrl('postgres'), 'DATABASE_SCHEMA'],
    [
      'a refused password',
      async () => `postgresql://me:hunter2@127.0.0.1:${await answering('28P01')}/x`,
      'DATABASE_AUTHENTICATION',
    ],
  ])('%s', async (_what, url, code) => {
    const failure = await openDatabase({ url: await url() }, { logger }).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ name: 'ReconError', code });
    expect(String(failure)).not.toMatch(/hunter2|undefined/);
  });

  test('the parameter of the URL that the server does not know is named, and not the missing tables', async () => {
    const url = withSetting('connect_timeout', '10');
    const failure = await openDatabase({ url }, { logger }).catch(String);
    expect(failure).toMatch(
      /has the parameter connect_timeout, and the server has no setting of this name \(42704\)/,
    );
  });

  test('a parameter of a URL that was given to a command is named with its option', async () => {
    const target = { url: withSetting('connect_timeout', '10'), setting: 'The URL of --to' };
    const failure = await openDatabase(target, { logger }).catch(String);
    expect(failure).toMatch(/^ReconError: The URL of --to has the parameter connect_timeout/);
  });
});

/** The URL of the test server, which has parameters already, with another one. */
function withSetting(name: string, value: string): string {
  const url = new URL(testUrl('postgres'));
  url.searchParams.set(name, value);
  return url.href;
}

describe('URLs', () => {
  test.each([
    [
      'postgresql://me:s%40cret@db.example:6432/books',
      {
        host: 'db.example',
        port: 6432,
        database: 'books',
        username: 'me',
        password: 's@cret',
        ssl: 'prefer',
        otherSsl: false,
        connection: {},
      },
    ],
    [
      'postgres://me@/books?host=/var/run/postgresql',
      { host: '/var/run/postgresql', database: 'books', username: 'me', connection: {} },
    ],
    [
      'postgresql:///books?host=/tmp/x&port=6000&user=me',
      { host: '/tmp/x', port: 6000, database: 'books', username: 'me', connection: {} },
    ],
    [
      'postgresql://me@%2Ftmp%2Fx/books',
      { host: '/tmp/x', database: 'books', username: 'me', connection: {} },
    ],
    [
      'postgresql://db.example/books?sslmode=require',
      { host: 'db.example', database: 'books', ssl: 'require', connection: {} },
    ],
    [
      'postgresql://db.example/books?sslmode=verify-full',
      {
        host: 'db.example',
        database: 'books',
        ssl: { checkServerIdentity: expect.any(Function) as unknown },
        connection: {},
      },
    ],
    [
      'postgresql://db.example/books?sslmode=disable',
      { host: 'db.example', database: 'books', ssl: false, connection: {} },
    ],
    [
      'postgresql://[::1]:5433/books?statement_timeout=5000',
      {
        host: '::1',
        port: 5433,
        database: 'books',
        ssl: 'prefer',
        otherSsl: false,
        connection: { statement_timeout: '5000' },
      },
    ],
  ])('%s', (url, expected) => {
    expect(readDatabaseUrl(url)).toEqual(expected);
  });
});

/** The URL of a database that takes no connections, as one that is being moved or restored. */
async function withoutConnections(): Promise<string> {
  await administer(`alter database ${closed.name} with allow_connections false`);
  return closed.database.url;
}
