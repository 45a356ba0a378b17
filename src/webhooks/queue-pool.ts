import pg from 'pg';
import type { Sql } from '../db/client.js';
import { readDatabaseUrl, type ConnectionAddress } from '../db/connection/connection-address.js';
import type { Logger } from '../logger.js';

/** One connection listens; the others take jobs and finish them. */
const connections = 3;

/**
 * The connections of the job queue, whose library has another driver: to the same server, with the same account, the
 * same protection and the same settings of the session.
 */
export async function openQueuePool(sql: Sql, url: string, logger: Logger): Promise<pg.Pool> {
  const [row] = await sql<{ usesTls: boolean }[]>`
    select ssl as "usesTls" from pg_stat_ssl where pid = pg_backend_pid()`;
  const pool = new pg.Pool({
    ...poolAddress(readDatabaseUrl(url), row?.usesTls === true),
    max: connections,
    connectionTimeoutMillis: 15_000,
    keepAlive: true,
    application_name: 'recon webhooks',
  });
  // A connection that breaks while nobody uses it would end the process.
  pool.on('error', (failure) => {
    logger.debug({ err: failure }, 'A connection of the job queue was lost.');
  });
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
  });
  return pool;
}

/**
 * The address in the terms of `pg`. With `sslmode` prefer and allow, the server decides; `pg` cannot ask it, so the
 * other connections show what it decided.
 */
export function poolAddress(
  { host, port, database, username, password, ssl, otherSsl, connection }: ConnectionAddress,
  usesTls: boolean,
): pg.PoolConfig {
  const isChecked = typeof ssl === 'object';
  const unchecked = { rejectUnauthorized: false };
  const decided = otherSsl === undefined ? ssl !== undefined && ssl !== false : usesTls;
  return {
    ...given({ host: firstOf(host), port: Number(firstOf(port) ?? 5432), database, user: username }),
    ...(typeof password === 'string' ? { password } : {}),
    ssl: isChecked ? ssl : decided ? unchecked : false,
    options: sessionOptions(connection ?? {}),
  };
}

/** `pg` accepts one host; of several, the first. */
function firstOf<T>(value: T | readonly T[] | undefined): T | string | undefined {
  const one = Array.isArray(value) ? (value as readonly T[])[0] : (value as T | undefined);
  return typeof one === 'string' ? one.split(',')[0] : one;
}

/** Settings of the URL (`?statement_timeout=5000`) as the server reads them at the start of a session. */
function sessionOptions(connection: Readonly<Record<string, unknown>>): string {
  const { options, application_name: _name, ...settings } = connection;
  const escaped = (value: unknown) => String(value).replace(/[\\ ]/g, (character) => `\\${character}`);
  const set = Object.entries(settings).map(([name, value]) => `-c ${name}=${escaped(value)}`);
  return [...(typeof options === 'string' ? [options] : []), ...set].join(' ');
}

function given(values: Readonly<Record<string, unknown>>): Record<string, string> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Record<string, string>;
}
