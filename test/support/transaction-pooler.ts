import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { readDatabaseUrl } from '../../src/db/connection/connection-address.js';

/**
 * What a connection pooler in transaction mode does, with a single session of the server: whoever asks gets it
 * until the transaction ends.
 */
export async function startTransactionPooler(
  databaseUrl: string,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const { host = 'localhost', port = 5432, database = '', username = '' } = readDatabaseUrl(databaseUrl);
  const target = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  const sockets = new Set<Socket>([target]);
  const waiting: { client: Socket; message: Buffer }[] = [];
  let owner: Socket | undefined;
  let unanswered = 0;
  // What the server said to the first who came is said to everybody.
  let greeting: Buffer | undefined;
  const toGreet: Socket[] = [];

  const serve = () => {
    for (let at = 0; at < waiting.length;) {
      const next = waiting[at];
      if (next === undefined || (owner !== undefined && owner !== next.client)) {
        at += 1;
        continue;
      }
      waiting.splice(at, 1);
      owner = next.client;
      // A query or a Sync is answered with "ready for query".
      if (next.message[0] === 0x51 || next.message[0] === 0x53) unanswered += 1;
      target.write(next.message);
    }
  };
  const answers = messages(false, (message) => {
    const isReady = message[0] === 0x5a;
    if (greeting === undefined || toGreet.length > 0) {
      greeting = Buffer.concat([greeting ?? Buffer.alloc(0), message]);
      if (isReady) for (const client of toGreet.splice(0)) client.write(greeting);
      return;
    }
    owner?.write(message);
    if (!isReady) return;
    unanswered -= 1;
    // Idle, and nothing more asked: the next may have it.
    if (unanswered === 0 && message[5] === 0x49) owner = undefined;
    serve();
  });
  target.on('data', answers);
  target.on('error', () => undefined);

  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => undefined);
    client.on('close', () => sockets.delete(client));
    let started = false;
    client.on(
      'data',
      messages(true, (message) => {
        if (!started) {
          started = true;
          if (greeting !== undefined && toGreet.length === 0) client.write(greeting);
          else {
            if (toGreet.length === 0) target.write(message);
            toGreet.push(client);
          }
          return;
        }
        // The end of a client's connection is not passed on to the server.
        if (message[0] === 0x58) return;
        waiting.push({ client, message });
        serve();
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `postgresql://${username}@127.0.0.1:${(server.address() as AddressInfo).port}/${database}?sslmode=disable`,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Takes a stream apart into messages; the first of a client has no type. */
function messages(isClient: boolean, reported: (message: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  let head = isClient ? 0 : 1;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= head + 4) {
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      head = 1;
      reported(message);
    }
  };
}
