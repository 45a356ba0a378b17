import { ReconError, type ErrorCode } from '../errors.js';

interface DriverError {
  readonly code: string;
  readonly constraint_name?: string;
  readonly table_name?: string;
}

/** The one place that knows SQLSTATE and the driver's own codes, each with what it means for a person. */
const meanings: readonly (readonly [pattern: RegExp, code: ErrorCode, sentence: string])[] = [
  [/^RF001$/, 'RUN_REPLACED', 'The database refused a write because another run has taken over.'],
  [/^28/, 'DATABASE_AUTHENTICATION', 'The database refused the user or password.'],
  [/^3D000$/, 'DATABASE_UNREACHABLE', 'The database named in the URL does not exist.'],
  [/^(53100|53200)$/, 'DATABASE_FULL', 'The database server has no space left.'],
  [/^53300$/, 'DATABASE_UNREACHABLE', 'The database server accepts no more connections.'],
  [/^(57P0[123])$/, 'DATABASE_UNREACHABLE', 'The database server is shutting down or starting.'],
  [/^55P03$/, 'DATABASE_FAILED', 'Another session holds a lock that this run waited for in vain.'],
  [/^(40P01|40001)$/, 'DATABASE_FAILED', 'Transactions collided repeatedly.'],
  [
    /^(42P01|42703|3F000|42883)$/,
    'DATABASE_SCHEMA',
    'The database does not have the tables that this version needs.',
  ],
  [
    /^(CONNECT_TIMEOUT|ECONNREFUSED|ENOENT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ETIMEDOUT|EACCES)$/,
    'DATABASE_UNREACHABLE',
    'The database could not be reached.',
  ],
  [
    /^(CONNECTION_CLOSED|CONNECTION_DESTROYED|CONNECTION_ENDED|ECONNRESET|EPIPE)$/,
    'DATABASE_FAILED',
    'The connection to the database was lost; whether the last transaction was stored is read back by the next run.',
  ],
];

/**
 * A failure of the database in words for people, or undefined when it is none. The driver's own text is left
 * out: it quotes values, and values can be card numbers or passwords.
 */
export function toReconError(thrown: unknown): ReconError | undefined {
  if (thrown instanceof ReconError) return thrown;
  const cause = driverErrorOf(thrown);
  if (cause === undefined) return undefined;
  const known = meanings.find(([pattern]) => pattern.test(cause.code));
  if (known !== undefined) return new ReconError(known[1], `${known[2]} (${cause.code})`, { cause });
  if (!/^[0-9A-Z]{5}$/.test(cause.code)) return undefined;
  const where = [cause.table_name, cause.constraint_name]
    .filter((part) => part !== undefined && part !== '')
    .join(', ');
  return new ReconError(
    'DATABASE_FAILED',
    `The database refused a statement (SQLSTATE ${cause.code}${where === '' ? '' : `, ${where}`}).`,
    { cause },
  );
}

/** drizzle wraps the driver's error, so the code may stand one or two causes deep. */
function driverErrorOf(thrown: unknown): DriverError | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const code: unknown = (error as { code?: unknown }).code;
    if (typeof code === 'string' && !isFileError(error)) return error as unknown as DriverError;
  }
  return undefined;
}

/** ENOENT and EACCES of a socket are the database's, those of a file are the disk's. */
function isFileError(error: Error): boolean {
  const { syscall } = error as { syscall?: unknown };
  return typeof syscall === 'string' && !['connect', 'getaddrinfo', 'read', 'write'].includes(syscall);
}
