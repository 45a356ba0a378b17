import type { Options, PostgresType } from 'postgres';
import { ReconError } from '../errors.js';
import { protectionOf, type Protection } from './connection-protection.js';

/** Where and as whom to connect, in the driver's terms. Never to be logged: it holds the password. */
export type ConnectionAddress = Pick<
  Options<Record<string, PostgresType>>,
  'host' | 'port' | 'database' | 'username' | 'password' | 'ssl' | 'connection'
> &
  Pick<Protection, 'otherSsl'>;

/** Parameters of a URL that say where and how; the others are settings of the session. */
const addressParameters = new Set(['host', 'port', 'user', 'password', 'dbname', 'sslmode', 'sslrootcert']);

/**
 * Reads a PostgreSQL URL as libpq does: the driver itself does not know `?host=/socket/directory`,
 * `%2Fsocket%2Fdirectory` as host, `sslmode=verify-ca` and `sslrootcert`.
 *
 * @throws ReconError DATABASE_UNREACHABLE when it is none; the message does not repeat it, as it may hold a
 *   password
 */
export function readDatabaseUrl(text: string): ConnectionAddress {
  // `user@/database` (no host) is libpq's way to name a socket and no URL for everybody else.
  const spelled = text.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=\/)/, '$1localhost');
  if (!/^postgres(?:ql)?:\/\//.test(text) || !URL.canParse(spelled)) {
    throw new ReconError(
      'DATABASE_UNREACHABLE',
      'RECON_DATABASE_URL is not a PostgreSQL URL such as postgresql://user@host:5432/database (a password with special characters must be percent-encoded).',
    );
  }
  const url = new URL(spelled);
  const parameter = (name: string) => url.searchParams.get(name) ?? undefined;
  const port = url.port || parameter('port');
  const session = [...url.searchParams].filter(([name]) => !addressParameters.has(name));
  const host = parameter('host') ?? nonEmpty(decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1'));
  return given({
    host,
    port: port === undefined ? undefined : Number(port),
    database: nonEmpty(decodeURIComponent(url.pathname.slice(1))) ?? parameter('dbname'),
    username: nonEmpty(decodeURIComponent(url.username)) ?? parameter('user'),
    password: nonEmpty(decodeURIComponent(url.password)) ?? parameter('password'),
    ...protectionOf(host, parameter('sslmode'), parameter('sslrootcert')),
    connection: Object.fromEntries(session),
  });
}

/** The address in words that hold no password: `host:port/database`. */
export function describeAddress({ host, port, database }: ConnectionAddress): string {
  return `${host ?? 'localhost'}:${port ?? 5432}/${database ?? ''}`;
}

const nonEmpty = (text: string) => (text === '' ? undefined : text);

/** Leaves out what is not given, so that the driver's own defaults hold. */
function given<T extends object>(options: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  // `fromEntries` forgets the names; an absent one is read as undefined, which every option here permits.
  return Object.fromEntries(entries) as { [Name in keyof T]: Exclude<T[Name], undefined> };
}
