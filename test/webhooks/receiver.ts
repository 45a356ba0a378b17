import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { decryptNotification } from '../../src/payment-core/index.js';

/** A request that arrived. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** How a receiver answers a request: a status, or whatever a test does with the response. */
export type Behaviour = number | ((response: ServerResponse, received: Received) => void);

/** A real server that receives notifications. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** How it answers from now on; 200 at first. */
  answer: Behaviour;
  /** Waits until it has received this many requests. */
  waitFor(count: number, timeoutMs?: number): Promise<readonly Received[]>;
  readonly close: () => Promise<void>;
}

export async function receiver(
  options: { readonly tls?: { readonly key: string; readonly cert: string }; readonly host?: string } = {},
): Promise<Receiver> {
  const { tls, host = '127.0.0.1' } = options;
  const received: Received[] = [];
  const state: { answer: Behaviour } = { answer: 200 };
  const take = (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const one = { path: request.url ?? '', headers: request.headers, body };
      received.push(one);
      const { answer } = state;
      if (typeof answer === 'number') response.writeHead(answer).end();
      else answer(response, one);
    });
  };
  const server = tls === undefined ? createHttpServer(take) : createHttpsServer(tls, take);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${host}:${port}/notify`,
    port,
    received,
    get answer() {
      return state.answer;
    },
    set answer(answer: Behaviour) {
      state.answer = answer;
    },
    waitFor: async (count, timeoutMs = 15_000) => {
      const since = Date.now();
      while (received.length < count) {
        if (Date.now() - since > timeoutMs) {
          throw new Error(`received ${received.length} of ${count} notifications in ${timeoutMs} ms`);
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return received;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A notification as the receiver reads it. */
export interface Notification {
  readonly type: string;
  readonly action?: string;
  readonly payload: { readonly id?: string; readonly [name: string]: unknown };
}

/** Decrypts what arrived, in either wrapper; undefined if it was altered or the key is another. */
export function decrypted({ body, headers }: Received, key: string): Notification | undefined {
  const text = body.startsWith('{') ? (JSON.parse(body) as { encryptedBody: string }).encryptedBody : body;
  const header = (name: string) => String(headers[name] ?? '');
  return decryptNotification(
    {
      body: text,
      headers: {
        'X-Initialization-Vector': header('x-initialization-vector'),
        'X-Authentication-Tag': header('x-authentication-tag'),
      },
    },
    key,
  ) as Notification | undefined;
}
