import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { readDatabaseUrl } from '../src/db/connection/connection-address.js';

/** A relay to a database that counts the bytes that pass: what a network between the machines would carry. */
export interface CountingRelay {
  /** The same database. */
  readonly url: string;
  readonly toServer: () => number;
  readonly fromServer: () => number;
  close(): void;
}

/** @param address of this machine, under which the relay listens */
export async function startCountingRelay(databaseUrl: string, address = '127.0.0.1'): Promise<CountingRelay> {
  const { host = 'localhost', port = 5432, database = '', username = '' } = readDatabaseUrl(databaseUrl);
  const sockets = new Set<Socket>();
  let [toServer, fromServer] = [0, 0];
  const server = createServer((client) => {
    const target = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    client.on('data', (bytes) => (toServer += bytes.length));
    target.on('data', (bytes) => (fromServer += bytes.length));
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.setNoDelay(true);
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  // A server that listens on TCP has an address with a port.
  const listening = (server.address() as AddressInfo).port;
  return {
    url: `postgresql://${username}@${address}:${listening}/${database}?sslmode=disable`,
    toServer: () => toServer,
    fromServer: () => fromServer,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
