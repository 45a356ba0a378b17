import { writeFileSync } from 'node:fs';
import path from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDatabaseUrl } from '../../../src/db/connection/connection-address.js';
import { openDatabase } from '../../../src/db/connect.js';
import { ReconError } from '../../../src/errors.js';
import { selfSignedCertificate } from '../../support/self-signed-certificate.js';
import { folderForAllTests } from '../../support/test-folder.js';
import { startTcpPostgres, type TcpPostgres } from '../../support/tls-postgres.js';

/** Every sslmode against real servers: what libpq does is what happens. */
const any = 'host all all 127.0.0.1/32 trust';
const named = selfSignedCertificate('localhost');
const nameOnly = selfSignedCertificate('localhost', 2, { hasAddress: false });

const servers: Record<string, TcpPostgres> = {};
const folder = folderForAllTests();
let authority = '';
let nameOnlyAuthority = '';
let otherAuthority = '';

beforeAll(async () => {
  authority = path.join(folder.path, 'authority.pem');
  otherAuthority = path.join(folder.path, 'other.pem');
  nameOnlyAuthority = path.join(folder.path, 'name-only.pem');
  writeFileSync(authority, named.cert);
  // Two of one name in a file would be mistaken for each other.
  writeFileSync(nameOnlyAuthority, nameOnly.cert);
  writeFileSync(otherAuthority, selfSignedCertificate('other').cert);
  const started = await Promise.all([
    startTcpPostgres(any),
    startTcpPostgres(any, named),
    startTcpPostgres('hostssl all all 127.0.0.1/32 trust', named),
    startTcpPostgres('hostnossl all all 127.0.0.1/32 trust', named),
    startTcpPostgres(any, nameOnly),
  ]);
  ['without TLS', 'with TLS', 'TLS only', 'plain only', 'name only'].forEach((name, index) => {
    const server = started[index];
    if (server !== undefined) servers[name] = server;
  });
}, 120_000);

afterAll(() => Promise.all(Object.values(servers).map((server) => server.close())));

/** `TLS`, `plain`, or the code of the failure. */
async function outcome(server: string, parameters: string, host = '127.0.0.1'): Promise<string> {
  const url = `postgresql://recon@${host}:${servers[server]?.port ?? 0}/postgres${parameters}`;
  try {
    const database = await openDatabase({ url }, { logger: pino({ enabled: false }), anySchema: true });
    try {
      const [row] = await database.sql<{ ssl: boolean }[]>`
        select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
      return row?.ssl === true ? 'TLS' : 'plain';
    } finally {
      await database.close();
    }
  } catch (thrown) {
    if (thrown instanceof ReconError) return thrown.code;
    throw thrown;
  }
}

describe.each([
  ['(none)', '', { 'without TLS': 'plain', 'with TLS': 'TLS', 'TLS only': 'TLS', 'plain only': 'plain' }],
  [
    'disable',
    '?sslmode=disable',
    {
      'without TLS': 'plain',
      'with TLS': 'plain',
      'TLS only': 'DATABASE_AUTHENTICATION',
      'plain only': 'plain',
    },
  ],
  [
    'allow',
    '?sslmode=allow',
    { 'without TLS': 'plain', 'with TLS': 'plain', 'TLS only': 'TLS', 'plain only': 'plain' },
  ],
  [
    'prefer',
    '?sslmode=prefer',
    { 'without TLS': 'plain', 'with TLS': 'TLS', 'TLS only': 'TLS', 'plain only': 'plain' },
  ],
  [
    'require',
    '?sslmode=require',
    {
      'without TLS': 'DATABASE_UNREACHABLE',
      'with TLS': 'TLS',
      'TLS only': 'TLS',
      'plain only': 'DATABASE_AUTHENTICATION',
    },
  ],
])('sslmode %s', (_mode, parameters, expected) => {
  test.each(Object.entries(expected))('on a server %s: %s', async (server, what) => {
    expect(await outcome(server, parameters)).toBe(what);
  });
});

describe('certificates', () => {
  const trusting = (mode: string) => () => `?sslmode=${mode}&sslrootcert=${authority}`;
  const trustingName = (mode: string) => () => `?sslmode=${mode}&sslrootcert=${nameOnlyAuthority}`;
  const distrusting = (mode: string) => () => `?sslmode=${mode}&sslrootcert=${otherAuthority}`;

  test.each<[string, string, () => string, string, string]>([
    ['verify-ca trusts its authority', 'with TLS', trusting('verify-ca'), '127.0.0.1', 'TLS'],
    ['verify-ca ignores the name', 'name only', trustingName('verify-ca'), '127.0.0.1', 'TLS'],
    ['verify-ca refuses others', 'with TLS', distrusting('verify-ca'), '127.0.0.1', 'DATABASE_UNREACHABLE'],
    [
      'require with an authority verifies',
      'with TLS',
      distrusting('require'),
      '127.0.0.1',
      'DATABASE_UNREACHABLE',
    ],
    ['verify-full takes the right name', 'name only', trustingName('verify-full'), 'localhost', 'TLS'],
    ['verify-full takes the right address', 'with TLS', trusting('verify-full'), '127.0.0.1', 'TLS'],
    [
      'verify-full refuses a certificate for localhost at an address',
      'name only',
      trustingName('verify-full'),
      '127.0.0.1',
      'DATABASE_UNREACHABLE',
    ],
    [
      'verify-full without an authority trusts public ones only',
      'with TLS',
      () => '?sslmode=verify-full',
      'localhost',
      'DATABASE_UNREACHABLE',
    ],
    [
      'verify-full refuses a server without TLS',
      'without TLS',
      trusting('verify-full'),
      '127.0.0.1',
      'DATABASE_UNREACHABLE',
    ],
    [
      'an authority alone verifies',
      'with TLS',
      () => `?sslrootcert=${otherAuthority}`,
      '127.0.0.1',
      'DATABASE_UNREACHABLE',
    ],
  ])('%s', async (_what, server, parameters, host, expected) => {
    expect(await outcome(server, parameters(), host)).toBe(expected);
  });
});

test('a server without TLS is named as such when TLS is required', async () => {
  const url = `postgresql://recon@127.0.0.1:${servers['without TLS']?.port ?? 0}/postgres?sslmode=require`;
  const failure = await openDatabase({ url }, { logger: pino({ enabled: false }) }).catch(String);
  expect(failure).toMatch(/offers no TLS/);
});

describe('what cannot be intended', () => {
  test.each([
    ['a mode that does not exist', 'sslmode=requrie', /must be one of disable, allow/],
    ['verify-ca without an authority', 'sslmode=verify-ca', /needs sslrootcert/],
    ['a weak mode with the public authorities', 'sslmode=require&sslrootcert=system', /too weak/],
  ])('%s', (_what, parameters, sentence) => {
    expect(() => readDatabaseUrl(`postgresql://db.example/books?${parameters}`)).toThrow(sentence);
  });

  test('an authority that cannot be read', () => {
    expect(() => readDatabaseUrl('postgresql://db.example/books?sslrootcert=/no/such.pem')).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message:
          'RECON_DATABASE_URL (or databaseUrl of the configuration) names the sslrootcert /no/such.pem, which cannot be read: it does not exist (ENOENT).',
      }),
    );
  });

  test.each(['mysql://a/b', 'postgres://a/b?sslmode=x', 'postgres://a/b?TimeZone=UTC', 'postgres://a/b%z'])(
    '%s, with the option that has it instead of the setting of the database in use',
    (url) => {
      expect(() => readDatabaseUrl(url, 'The URL of --to')).toThrow(/^The URL of --to (is not|has|sets) /);
    },
  );

  test('a socket of this machine has no TLS, whatever is asked for', () => {
    expect(readDatabaseUrl('postgresql:///books?host=/run/postgresql&sslmode=require').ssl).toBeUndefined();
  });
});
