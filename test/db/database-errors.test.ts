import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import {
  comesFromLoss,
  isConnectionLoss,
  shardThatRefused,
  sqlStateOf,
  toReconError,
} from '../../src/db/database-errors.js';
import { ReconError } from '../../src/errors.js';

const server = (code: string, message = 'relation "x" does not exist', more: object = {}) =>
  // The driver makes its errors from the fields of the server's message, the text among them.
  Object.assign(new postgres.PostgresError(message), { message, code, ...more });
const coded = (code: string, more: object = {}) =>
  Object.assign(new Error(`${code} 4111111111111111`), { code, ...more });
const drivers = { query: 'select secret', parameters: ['hunter2'] };

/** As the driver threw it while the disk of the embedded server was full. */
const writeAfterClose = Object.assign(new TypeError("Cannot read properties of null (reading 'write')"), {
  stack: `TypeError: Cannot read properties of null (reading 'write')
    at Immediate.nextWrite (file:///srv/recon/node_modules/postgres/src/connection.js:255:22)
    at process.processImmediate (node:internal/timers:483:21)`,
});

describe('an error of the database becomes', () => {
  test.each([
    [server('RF001'), 'RUN_REPLACED'],
    [server('28P01', 'password authentication failed for user "me"'), 'DATABASE_AUTHENTICATION'],
    [server('28000'), 'DATABASE_AUTHENTICATION'],
    [coded('SASL_SIGNATURE_MISMATCH'), 'DATABASE_AUTHENTICATION'],
    [server('3D000'), 'DATABASE_UNREACHABLE'],
    [server('53100', 'could not extend file: No space left on device'), 'DATABASE_FULL'],
    [server('53100', 'could not resize ...', { routine: 'dsm_impl_posix' }), 'DATABASE_FAILED'],
    [server('53200'), 'DATABASE_FAILED'],
    [server('53300'), 'DATABASE_UNREACHABLE'],
    [server('57P01'), 'DATABASE_FAILED'],
    [server('57P03'), 'DATABASE_UNREACHABLE'],
    [server('55000', 'database "x" is not ...', { routine: 'CheckMyDatabase' }), 'DATABASE_UNREACHABLE'],
    [server('55000', 'the object is not in a state', { routine: 'Other' }), 'DATABASE_FAILED'],
    [server('42P01'), 'DATABASE_SCHEMA'],
    [server('42501'), 'DATABASE_FAILED'],
    [server('22P05'), 'DATABASE_FAILED'],
    [server('40P01'), 'DATABASE_FAILED'],
    [server('XX000'), 'DATABASE_FAILED'],
    [coded('CONNECT_TIMEOUT'), 'DATABASE_UNREACHABLE'],
    [coded('CONNECTION_CLOSED'), 'DATABASE_FAILED'],
    [writeAfterClose, 'DATABASE_FAILED'],
    [coded('ECONNREFUSED', drivers), 'DATABASE_UNREACHABLE'],
    [coded('ENOENT', drivers), 'DATABASE_UNREACHABLE'],
    [coded('ECONNRESET', drivers), 'DATABASE_FAILED'],
    [coded('EMFILE', drivers), 'LIMIT_REACHED'],
    [coded('DEPTH_ZERO_SELF_SIGNED_CERT', drivers), 'DATABASE_UNREACHABLE'],
    [new Error('Failed query: select', { cause: server('42P01') }), 'DATABASE_SCHEMA'],
  ])('%s: %s', (thrown, code) => {
    expect(toReconError(thrown)).toMatchObject({ name: 'ReconError', code });
  });
});

test('why a certificate is not accepted is said in words', () => {
  expect(toReconError(coded('ERR_TLS_CERT_ALTNAME_INVALID', drivers))?.message).toContain(
    ': the certificate is for another name (ERR_TLS_CERT_ALTNAME_INVALID',
  );
});

test('a server whose socket is missing is named as that', () => {
  expect(toReconError(coded('ENOENT', drivers))?.message).toBe(
    'The database server could not be reached: its socket does not exist, so no server runs there (ENOENT).',
  );
});

test.each([
  [new Error('x')],
  [coded('ENOENT', { syscall: 'open', path: '/x' })],
  [coded('ECONNREFUSED', { syscall: 'connect' })],
  ['text'],
  [undefined],
])('%s is not an error of the database', (thrown) => {
  expect(toReconError(thrown)).toBeUndefined();
  expect(sqlStateOf(thrown)).toBeUndefined();
  expect(isConnectionLoss(thrown)).toBe(false);
});

const ofShard = (code: string, where: string) =>
  server(code, 'refused', { routine: 'pgfdw_report_error', where });
const entering =
  'remote SQL command: INSERT INTO public.shard_entry(token)\nSQL statement "insert into shard_entry_2"';

test.each([
  ['25006', entering, 2, /^On a shard: The database is read-only/],
  [
    '53100',
    'remote SQL command: SELECT NULL FROM public.shard_answer',
    undefined,
    /^On a shard: The database server/,
  ],
  ['40001', entering, undefined, /^Transactions collided/],
  ['RF001', entering, undefined, /^The database refused to write/],
])('a shard refused with %s: %s', (code, where, position, message) => {
  const thrown = ofShard(code, where);
  expect(shardThatRefused(thrown)).toBe(position);
  expect(toReconError(thrown)?.message).toMatch(message);
});

test('why a login is refused is said with the reason of the server, but not for a wrong password', () => {
  const refusal = 'connection requires a valid client certificate';
  expect(toReconError(server('28000', refusal))?.message).toContain(`(28000, ${refusal}`);
  expect(toReconError(server('28P01', 'password authentication failed'))?.message).toMatch(/\(28P01\)$/);
});

test('a missing schema is to be created before the migrations', () => {
  const error = toReconError(server('3F000', 'schema "public" does not exist'));
  expect(error).toMatchObject({ code: 'DATABASE_SCHEMA' });
  expect(error?.message).toMatch(/create schema public\)\. \(3F000, schema "public" does not exist/);
});

test('a missing permission names the account to use', () => {
  const { message } = toReconError(server('42501')) ?? {};
  expect(message).toContain('use the account that owns its tables');
});

test('a ReconError stays as it is', () => {
  const own = new ReconError('DISK_FULL', 'x');
  expect(toReconError(own)).toBe(own);
});

test.each([
  server('22P02', 'invalid input syntax for type bigint: "4111111111111111"', {
    where: 'COPY t, line 1: "4111111111111111"',
  }),
  server('23505', 'duplicate key', {
    detail: 'Key (id)=(4111111111111111) already exists.',
    table_name: 't',
    constraint_name: 't_id',
  }),
  server('XX000', 'odd value 4111111111111111', { detail: '4111111111111111' }),
  coded('ECONNREFUSED', drivers),
])('the message contains neither values nor statements: %s', (thrown) => {
  const error = toReconError(thrown);
  const everything = [
    error?.message,
    error?.stack,
    JSON.stringify(error),
    String(error?.cause),
    JSON.stringify(error?.cause),
  ].join();
  expect(everything).not.toMatch(/4111111111111111|hunter2|secret/);
});

describe('the cause of an error is a lost connection', () => {
  test.each([
    ['57P02', server('57P02'), true],
    ['ECONNRESET', coded('ECONNRESET', drivers), true],
    ['CONNECTION_CLOSED', coded('CONNECTION_CLOSED'), true],
    ['a write after the connection closed', writeAfterClose, true],
    ['another TypeError', new TypeError("Cannot read properties of null (reading 'write')"), false],
    ['53300', server('53300'), true],
    ['55P03', server('55P03'), false],
    ['42501', server('42501'), false],
    ['53100', server('53100'), false],
  ])('%s', (_code, thrown, expected) => {
    const error = toReconError(thrown);
    expect(error !== undefined && comesFromLoss(error)).toBe(expected);
    // A message may be made from another.
    expect(comesFromLoss(new ReconError('DATABASE_FAILED', 'unknown', { cause: thrown }))).toBe(
      isConnectionLoss(thrown),
    );
  });
});

test('a home server that cannot connect to a shard does not say whether the shard refused the login', () => {
  const message = 'could not connect to server "recon_shard_a"';
  const noConnection = server('08001', message, { message, routine: 'connect_pg_server' });
  expect(toReconError(noConnection)?.message).toBe(
    'Shard a does not answer the home server, or refuses the login that the home database keeps; nothing of this step was stored. (08001)',
  );
  const lost = server('08006', '', { routine: 'pgfdw_report_error' });
  expect(toReconError(lost)?.message).toBe(
    'A shard does not answer the home server; nothing of this step was stored. (08006)',
  );
});
