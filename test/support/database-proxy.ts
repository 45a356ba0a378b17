import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { readDatabaseUrl } from '../../src/db/connection/connection-address.js';

/**
 * What the proxy does with a statement and then with its connection: cut before the server hears of it, cut when
 * the server has done it and answered (the answer is swallowed), cut the client off the moment it was passed on, or
 * say that an administrator ended the session.
 */
export type Cut = 'unsent' | 'answer lost' | 'sent' | 'terminated';

export interface DatabaseProxy {
  /** The same database, by way of the proxy. */
  readonly url: string;
  /** Every statement that was executed, in its order. */
  readonly statements: readonly string[];
  close(): Promise<void>;
}

/**
 * A proxy that understands as much of PostgreSQL's protocol as is needed to cut a connection at a statement.
 *
 * @param cutAt asked for each statement when it is executed, with its position in its connection, from 1 on;
 *   undefined lets it pass
 * @param listenAt a port to listen on; by default any free one
 */
export async function startDatabaseProxy(
  databaseUrl: string,
  cutAt: (statement: string, position: number) => Cut | undefined,
  listenAt = 0,
): Promise<DatabaseProxy> {
  const { host = 'localhost', port = 5432, database = '', username = '' } = readDatabaseUrl(databaseUrl);
  const place = host;
  const sockets = new Set<Socket>();
  const statements: string[] = [];
  const server = createServer((client) => {
    const target = place.startsWith('/') ? connect(`${place}/.s.PGSQL.${port}`) : connect(port, place);
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    let answers: 'passed' | 'swallowed' = 'passed';
    let position = 0;
    const end = () => {
      client.destroy();
      target.destroy();
    };
    const reader = new StatementReader((message, statement) => {
      if (statement !== undefined) statements.push(statement);
      const cut = statement === undefined ? undefined : cutAt(statement, (position += 1));
      if (cut === 'unsent') end();
      if (cut === 'terminated') {
        client.end(terminated);
        target.destroy();
      }
      if (target.destroyed) return;
      if (cut !== undefined) answers = 'swallowed';
      target.write(message);
      // The rest of what the client sent with it (Sync) is needed for the server to answer.
      if (cut === 'sent') setImmediate(end);
    });
    client.on('data', (chunk) => reader.read(chunk));
    target.on('data', (chunk) => {
      if (answers === 'passed') client.write(chunk);
      // "Ready for query" ends every answer.
      else if (chunk.subarray(-6, -1).equals(Buffer.from([0x5a, 0, 0, 0, 5]))) end();
    });
    client.on('close', end);
    target.on('close', end);
  });
  await new Promise<void>((resolve) => server.listen(listenAt, '127.0.0.1', resolve));
  return {
    url: `postgresql://${username}@127.0.0.1:${(server.address() as AddressInfo).port}/${database}?sslmode=disable`,
    statements,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** What a server says whose session an administrator ended. */
const terminated = (() => {
  const fields = Buffer.from(
    'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0',
  );
  const head = Buffer.from([0x45, 0, 0, 0, fields.length + 4]);
  return Buffer.concat([head, fields]);
})();

/** Takes what a client sends apart into messages, and says which statement a message executes. */
class StatementReader {
  #waiting = Buffer.alloc(0);
  #started = false;
  readonly #named = new Map<string, string>();
  readonly #reported: (message: Buffer, statement: string | undefined) => void;

  constructor(reported: (message: Buffer, statement: string | undefined) => void) {
    this.#reported = reported;
  }

  read(chunk: Buffer): void {
    this.#waiting = Buffer.concat([this.#waiting, chunk]);
    for (;;) {
      // The first message has no type.
      const head = this.#started ? 1 : 0;
      if (this.#waiting.length < head + 4) return;
      const length = head + this.#waiting.readInt32BE(head);
      if (this.#waiting.length < length) return;
      const message = this.#waiting.subarray(0, length);
      this.#waiting = this.#waiting.subarray(length);
      const statement = this.#started ? this.#statementOf(message) : undefined;
      this.#started = true;
      this.#reported(message, statement);
    }
  }

  #statementOf(message: Buffer): string | undefined {
    const [first = '', second = ''] = message.subarray(5).toString('latin1').split('\0', 2);
    switch (String.fromCharCode(message[0] ?? 0)) {
      case 'Q':
        return first;
      case 'P':
        this.#named.set(first, second);
        return undefined;
      case 'B':
        // A portal and the prepared statement it executes.
        return this.#named.get(second);
      default:
        return undefined;
    }
  }
}
