import { ReconError, type ErrorCode } from '../errors.js';
import { maskCardNumbers } from '../values/mask-card-numbers.js';
import { certificateCauses, networkCauses } from '../values/network-causes.js';

/**
 * The SQLSTATEs and the driver's own codes that a command may end with, each with its meaning for a person. The first
 * matching pattern decides.
 */
const meanings: readonly (readonly [pattern: RegExp, code: ErrorCode, sentence: string])[] = [
  [
    /^RF001$/,
    'RUN_REPLACED',
    'The database refused to write because this run is no longer the current one; nothing of this step was stored.',
  ],
  [/^RF00[23]$/, 'SHARD_INVALID', 'A shard refused the transaction; nothing of this step was stored.'],
  [
    /^RF004$/,
    'SHARDS_UNSUPPORTED',
    'A statement that does not work with shards was refused; nothing was stored.',
  ],
  [
    /^RF005$/,
    'DATABASE_MOVED',
    'This database was moved while the program used it; nothing of this step was stored. Start it again with the other database.',
  ],
  [/^(28|SASL_SIGNATURE)/, 'DATABASE_AUTHENTICATION', 'The database refused the user or the password.'],
  [/^3D000$/, 'DATABASE_UNREACHABLE', 'The server has no database of this name.'],
  [
    /^53100$/,
    'DATABASE_FULL',
    'The database server has no disk space left; nothing of this step was stored.',
  ],
  [
    /^no shared memory$/,
    'DATABASE_FAILED',
    'The database server has too little shared memory (/dev/shm), so nothing of this step was stored: give its container more (docker run --shm-size=1g), or set max_parallel_workers_per_gather = 0 on the server.',
  ],
  [
    /^53300$/,
    'DATABASE_UNREACHABLE',
    'The database server accepts no more connections: raise max_connections or the limit of the database or the account, or end other sessions.',
  ],
  [/^53/, 'DATABASE_FAILED', 'The database server ran out of memory or another limit.'],
  [
    /^57P03$/,
    'DATABASE_UNREACHABLE',
    'The database server is starting or shutting down, or the database takes no connections.',
  ],
  [
    /^57P0/,
    'DATABASE_FAILED',
    'The database server ended the connection (it was shut down, or an administrator ended the session).',
  ],
  [
    /^57014$/,
    'DATABASE_FAILED',
    'The database ended a statement that was cancelled or took longer than it allows.',
  ],
  [/^55P03$/, 'DATABASE_FAILED', 'Another session held a lock for longer than recon waits.'],
  [
    /^(40P01|40001)$/,
    'DATABASE_FAILED',
    'Transactions collided again and again; nothing of this step was stored.',
  ],
  [
    /^3F000$/,
    'DATABASE_SCHEMA',
    'The database lacks a schema that recon needs. If it is public, create it first, with the account of recon as its owner (create schema public).',
  ],
  [
    /^(42P01|42703|42704|42883)$/,
    'DATABASE_SCHEMA',
    'The database does not have the tables that this version needs.',
  ],
  [
    /^42501$/,
    'DATABASE_FAILED',
    'The database user lacks a permission that recon needs: use the account that owns its tables, or for the first `recon migrate` one that may create schemas.',
  ],
  [
    /^22P05$/,
    'DATABASE_FAILED',
    'The encoding of the database does not have a character that recon stores: use a database with the encoding UTF8 (recon move copies everything into one).',
  ],
  [/^25006$/, 'DATABASE_FAILED', 'The database is read-only (a standby server?).'],
  [
    /^(08|CONNECTION_(CLOSED|DESTROYED|ENDED)$|ECONNRESET$|EPIPE$)/,
    'DATABASE_FAILED',
    'The connection to the database was lost; what was not committed is undone.',
  ],
  [
    /^(CONNECT_TIMEOUT|ECONNREFUSED|ENOENT|EACCES|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EADDRNOTAVAIL)$/,
    'DATABASE_UNREACHABLE',
    'The database server could not be reached.',
  ],
  // The limit is this machine's: the server is not asked.
  [
    /^E[MN]FILE$/,
    'LIMIT_REACHED',
    'No connection to the database could be opened, because there are too many open files: raise the limit, for instance with ulimit -n.',
  ],
  [
    /^(ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|CERT_|HOSTNAME_MISMATCH)/,
    'DATABASE_UNREACHABLE',
    'The database server could not prove its identity, or refuses encrypted connections as configured.',
  ],
];

/** Codes that only the driver throws. */
const driverCode = /^(CONNECT_TIMEOUT|CONNECTION_(CLOSED|DESTROYED|ENDED)|SASL_SIGNATURE_MISMATCH)$/;
const lossCode = /^(08|57P0[124]|CONNECTION_(CLOSED|DESTROYED|ENDED)$|ECONNRESET$|EPIPE$|ETIMEDOUT$)/;

/**
 * A database failure as a message for people; undefined for any other error. The driver's text is left out where it
 * quotes values, because a value can be a card number.
 */
export function toReconError(thrown: unknown): ReconError | undefined {
  if (thrown instanceof ReconError) return thrown;
  const found = databaseError(thrown);
  if (found === undefined) return undefined;
  if (isLossOfShard(found)) return shardUnreachable(found);
  const state = takesNoConnections(found)
    ? '57P03'
    : lacksSharedMemory(found)
      ? 'no shared memory'
      : found.code;
  const [, code, sentence] = meanings.find(([pattern]) => pattern.test(state)) ?? [
    undefined,
    'DATABASE_FAILED' as const,
    'The database refused a statement.',
  ];
  const details = describe(found);
  const cause =
    found.code === 'ENOENT' ? withoutSocket : (networkCauses[found.code] ?? certificateCauses[found.code]);
  const message =
    cause === undefined || code !== 'DATABASE_UNREACHABLE'
      ? `${sentence} (${details})`
      : `${sentence.replace(/\.$/, '')}: ${cause} (${details}).`;
  const place = isRefusalOfShard(found) ? `${onAShard}: ` : '';
  return new ReconError(code, `${place}${message}`, { cause: new Error(details) });
}

/** How the message of an error begins that a shard reported, and whose shard is not known. */
export const onAShard = 'On a shard';

/**
 * The position of the shard that refused to work (it is read-only, full, or lacks a permission); undefined for another
 * error, or if the error does not contain it. The home server repeats the error and adds which statement of the home
 * server it comes from, and that one names a foreign table such as `shard_entry_2`.
 */
export function shardThatRefused(thrown: unknown): number | undefined {
  const found = databaseError(thrown);
  if (found === undefined || !isRefusalOfShard(found)) return undefined;
  const position = /\bshard_[a-z]+_(\d+)\b/.exec(found.where ?? '')?.[1];
  return position === undefined ? undefined : Number(position);
}

/** The only file that a connection opens is the socket of a server on this machine. */
const withoutSocket = 'its socket does not exist, so no server runs there';

/** The SQLSTATE of an error from the database or its driver; undefined for any other. */
export function sqlStateOf(thrown: unknown): string | undefined {
  return databaseError(thrown)?.code;
}

/** Deadlock and serialization failure. */
const collisionCode = /^(40P01|40001)$/;

/** Whether a transaction collided with another one: the same work may succeed when it is repeated. */
export function isCollision(thrown: unknown): boolean {
  return collisionCode.test(sqlStateOf(thrown) ?? '');
}

/** Whether the error means that the connection, and with it the transaction, is lost. */
export function isConnectionLoss(thrown: unknown): boolean {
  const found = databaseError(thrown);
  return found !== undefined && lossCode.test(found.code) && !isLossOfShard(found);
}

/** Whether the cause of an error is a lost connection, or a server that could not be reached. */
export function comesFromLoss(error: ReconError): boolean {
  if (error.code === 'RUN_REPLACED' || error.code === 'DATABASE_UNREACHABLE') return true;
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause)
    if (isConnectionLoss(cause)) return true;
  return isCausedBy(error, lossCode);
}

/** Whether one of its causes is an error with such a code from the database or its driver. */
export function isCausedBy(error: ReconError, code: RegExp): boolean {
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) {
    // `toReconError` keeps the code and leaves out the text, which may quote values.
    if (code.test(cause.message.split(',')[0] ?? '')) return true;
  }
  return false;
}

/** Whether the home server lost its connection to a shard; the connection to the home server then still exists. */
function isLossOfShard({ code, routine, message }: DatabaseError): boolean {
  const ofShard = /^(pgfdw_|connect_pg_server$|do_sql_command)/.test(routine ?? '');
  return ofShard && (/^(08|57P0|53300)/.test(code) || message.startsWith('could not connect to server'));
}

/**
 * Whether a shard refused to work for a reason that has nothing to do with the data. Collisions are repeated, and the
 * codes of recon itself say that they come from a shard.
 */
function isRefusalOfShard({ code, routine }: DatabaseError): boolean {
  return routine === 'pgfdw_report_error' && /^(25006|42501|53|57014|58|XX)/.test(code);
}

/**
 * Whether the database exists, but takes no connections (`allow_connections`). The code is that of other errors, too,
 * and the text depends on the language of the server.
 */
function takesNoConnections({ code, routine }: DatabaseError): boolean {
  return code === '55000' && routine === 'CheckMyDatabase';
}

/** Parallel queries need it, and a container has 64 MB of it by default. The code is that of a full disk. */
function lacksSharedMemory({ code, routine }: DatabaseError): boolean {
  return code === '53100' && routine?.startsWith('dsm_impl') === true;
}

/** The text of a failed connection names the foreign server; only its detail, in the server's language, says why. */
function shardUnreachable(found: DatabaseError): ReconError {
  const name = /server "recon_shard_(\w+)"/.exec(found.message)?.[1];
  const refusal = found.code === '08001' ? ', or refuses the login that the home database keeps' : '';
  return new ReconError(
    'SHARD_UNREACHABLE',
    `${name === undefined ? 'A shard' : `Shard ${name}`} does not answer the home server${refusal}; nothing of this step was stored. (${found.code})`,
    { cause: new Error(found.code) },
  );
}

interface DatabaseError extends Error {
  readonly code: string;
  readonly table_name?: string;
  readonly constraint_name?: string;
  /** The function of the server that raised it. */
  readonly routine?: string;
  /** The statements and functions that it comes from, line by line. */
  readonly where?: string;
}

/** drizzle's migrator wraps the driver's errors, so it may be one or two causes deep. */
function databaseError(thrown: unknown): DatabaseError | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (isDatabaseError(error)) return error;
    if (isWriteAfterClose(error))
      return Object.assign(new Error(error.message), { code: 'CONNECTION_CLOSED' });
  }
  return undefined;
}

/**
 * The driver sends short statements from a timer. If the connection closes before, it writes to no socket, and nothing
 * catches that (`nextWrite` of postgres 3.4.9). It is a lost connection, and no defect of this program.
 */
function isWriteAfterClose(error: Error): boolean {
  return error instanceof TypeError && /\bnextWrite \(.*[\\/]postgres[\\/]/.test(error.stack ?? '');
}

/**
 * The server's errors have a SQLSTATE. A socket or certificate error could also come from a file or an SFTP server;
 * those of the driver carry the query that they ended.
 */
function isDatabaseError(error: Error): error is DatabaseError {
  if (!('code' in error) || typeof error.code !== 'string') return false;
  return error.name === 'PostgresError' || driverCode.test(error.code) || 'parameters' in error;
}

/** Code, place and, if it cannot quote a value of a row, the server's own message. */
function describe(error: DatabaseError): string {
  const place = [error.table_name, error.constraint_name].filter((part) => part !== undefined && part !== '');
  // Classes 22 and 23 (data, constraints) and our own classes quote values, except the address of a moved database; a
  // wrong password (28P01) only repeats the user. 28000 has many reasons, such as that TLS or a certificate is missing.
  const speaks = error.name === 'PostgresError' && !/^(2[23]|28P01|RF00[1-4])/.test(error.code);
  return [error.code, ...place, ...(speaks ? [maskCardNumbers(error.message)] : [])].join(', ');
}
