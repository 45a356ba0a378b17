import postgres from 'postgres';
import { acceptArrays } from './array-values.js';
import type { Sql } from '../client.js';
import { completeDriverResults } from './complete-driver-results.js';
import type { ConnectionAddress } from './connection-address.js';
import { reconnectAfterLostWrites } from './database-socket.js';

/** How many connections a client may open, and how the server names them. */
export interface ClientOptions {
  readonly max: number;
  readonly applicationName: string;
  readonly onclose?: () => void;
}

/**
 * A client of the driver with the settings that every connection of recon has. It connects with its first statement.
 */
export function createClient(
  address: ConnectionAddress,
  { max, applicationName, onclose }: ClientOptions,
): Sql {
  const client: Sql = postgres({
    ...address,
    ...separated(address),
    max,
    // A session lock must live as long as its run; the driver would renew connections after half an hour.
    max_lifetime: null,
    idle_timeout: 0,
    connect_timeout: 15,
    backoff,
    // Detects within minutes that a server has disappeared without closing its connections.
    keep_alive: 30,
    prepare: true,
    // `acceptArrays` says why.
    fetch_types: false,
    onnotice: () => undefined,
    types: { bigint: postgres.BigInt },
    connection: {
      // Otherwise, if a schema has the name of the role, unqualified tables would be created in it.
      search_path: 'public',
      TimeZone: 'UTC',
      DateStyle: 'ISO, YMD',
      // For a batch, JIT compilation of a statement costs more than it saves (measured).
      jit: 'off',
      // recon looks rows up. With the default (4), a server reads tables in full for them, or compares them pairwise.
      random_page_cost: 1.1,
      // Another session's lock must not block a command forever.
      lock_timeout: 30_000,
      // What needs one snapshot says so. With another default, any statement could end with a serialization failure.
      default_transaction_isolation: 'read committed',
      ...noTimeouts,
      ...address.connection,
      application_name: applicationName,
    },
    ...(onclose === undefined ? {} : { onclose }),
  });
  for (const type of [1082, 1114, 1184]) {
    client.options.parsers[type] = String;
    client.options.serializers[type] = (value: unknown) =>
      value instanceof Date ? value.toISOString() : String(value);
  }
  acceptArrays(client);
  completeDriverResults(client);
  reconnectAfterLostWrites(client);
  return client;
}

/**
 * Many servers limit these, for requests. A night has statements and pauses of minutes, which would be ended, and the
 * session that holds the lock of a run is idle until its end. Texts, because the driver leaves a zero out.
 */
const noTimeouts: Readonly<Record<string, string>> = {
  statement_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
};

/** The longest wait between two attempts of one connection. */
const longestWaitSeconds = 0.25;

/**
 * How long a connection waits after an attempt that failed. The driver counts the failures of all connections together
 * and would wait up to 20 seconds after the first few: that long, statements would neither be sent nor refused, even if
 * the server is back meanwhile.
 */
function backoff(failures: number): number {
  return Math.min(2 ** failures / 100, longestWaitSeconds);
}

/** The driver splits a text at its colons, even an IPv6 address, but not the members of a list. */
function separated({ host, port }: ConnectionAddress): Pick<ConnectionAddress, 'host' | 'port'> {
  if (host?.includes(':') !== true || host.includes('/') || host.includes(',')) return {};
  // The driver's type allows the list in one kind of options, but not in the other.
  return { host: [host], port: [port ?? 5432] } as never;
}
