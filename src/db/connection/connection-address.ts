import type { Options, PostgresType } from 'postgres';
import { ReconError } from '../../errors.js';
import { protectionOf, UnusableUrl, type Protection } from './connection-protection.js';

/** Host, user and database in the driver's terms. Never log it: it contains the password. */
export type ConnectionAddress = Pick<
  Options<Record<string, PostgresType>>,
  'host' | 'port' | 'database' | 'username' | 'password' | 'ssl' | 'connection'
> &
  Pick<Protection, 'otherSsl'>;

/** What a message calls the URL of the database in use. */
export const configuredUrl = 'RECON_DATABASE_URL (or databaseUrl of the configuration)';

/** Parameters of a URL that describe the connection; the others are settings of the session. */
const addressParameters = new Set(['host', 'port', 'user', 'password', 'dbname', 'sslmode', 'sslrootcert']);

/**
 * Settings without whose value (in `createClient`) statements do not find their tables, or read dates wrongly: the name
 * of a parameter, or an option of the server: `-c search_path=x`, `-csearch_path=x`, `--search-path=x`.
 */
const fixedSettings = /(?:^|-c|[\s-])(search[_-]path|timezone|datestyle)\b/i;

/**
 * Reads a PostgreSQL URL as libpq does: the driver itself does not know `?host=/socket/directory`,
 * `%2Fsocket%2Fdirectory` as host, `sslmode=verify-ca` and `sslrootcert`.
 *
 * @param setting where the person wrote the URL, for messages: a setting, or an option of a command
 * @throws ReconError CONFIG_INVALID when it is malformed, or when the sslrootcert file cannot be read; the message does
 *   not repeat it, because it may contain a password
 */
export function readDatabaseUrl(text: string, setting: string = configuredUrl): ConnectionAddress {
  try {
    return read(text);
  } catch (thrown) {
    throw thrown instanceof UnusableUrl
      ? new ReconError('CONFIG_INVALID', `${setting} ${thrown.message}.`)
      : thrown;
  }
}

function read(text: string): ConnectionAddress {
  // libpq reads `user@/database` (no host) as a socket; other programs do not accept it as a URL.
  const spelled = text.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=\/)/, '$1localhost');
  if (!/^postgres(?:ql)?:\/\//.test(text)) throw malformed('it does not begin with postgresql://');
  if (!URL.canParse(spelled)) throw malformed('its host or port cannot be read, or it contains a space');
  const url = new URL(spelled);
  const parameter = (name: string) => url.searchParams.get(name) ?? undefined;
  const session = [...url.searchParams].filter(([name]) => !addressParameters.has(name));
  for (const [name, value] of session) refuseFixed(name === 'options' ? value : name);
  const host = parameter('host') ?? nonEmpty(decoded(url.hostname, 'host').replace(/^\[(.*)\]$/, '$1'));
  return given({
    host,
    port: readPort(nonEmpty(url.port) ?? parameter('port')),
    database: nonEmpty(decoded(url.pathname.slice(1), 'database name')) ?? parameter('dbname'),
    username: nonEmpty(decoded(url.username, 'user name')) ?? parameter('user'),
    password: nonEmpty(decoded(url.password, 'password')) ?? parameter('password'),
    ...protectionOf(host, parameter('sslmode'), parameter('sslrootcert')),
    connection: Object.fromEntries(session),
  });
}

function malformed(why: string): UnusableUrl {
  return new UnusableUrl(`is not a PostgreSQL URL such as postgresql://user@host:5432/database: ${why}`);
}

/** @throws UnusableUrl when a setting is named that the URL cannot change */
function refuseFixed(names: string): void {
  const [, name] = fixedSettings.exec(names) ?? [];
  if (name === undefined) return;
  throw new UnusableUrl(
    `sets ${name}, which recon sets for each connection: its tables are in the schema public, and its times are in UTC. Remove it from the URL; a separate database keeps recon's tables apart from others`,
  );
}

/** @throws UnusableUrl where a percent sign is followed by no two hexadecimal digits */
function decoded(text: string, part: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw malformed(
      `its ${part} contains a percent sign without two hexadecimal digits; a special character must be percent-encoded, and % itself is %25`,
    );
  }
}

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535)
    throw malformed('its port is not between 1 and 65535');
  return port;
}

/** The address without the password: `host:port/database`. */
export function describeAddress({ host, port, database }: ConnectionAddress): string {
  return `${host ?? 'localhost'}:${port ?? 5432}/${database ?? ''}`;
}

const nonEmpty = (text: string) => (text === '' ? undefined : text);

/** Leaves out absent options, so that the driver's defaults apply. */
function given<T extends object>(options: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  // `fromEntries` loses the key types; an absent option reads as undefined, which every option here permits.
  return Object.fromEntries(entries) as { [Name in keyof T]: Exclude<T[Name], undefined> };
}
