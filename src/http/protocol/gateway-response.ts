import {
  ServerResponse,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
} from 'node:http';
import type { Socket } from 'node:net';

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** Connections that end with an answer that has been begun. */
const ending = new WeakSet<Socket>();

/**
 * An answer of the gateway. If it begins before the body of its request has arrived, as a refusal does, it is the last
 * of its connection, and says so.
 *
 * Otherwise what comes next would be read as the rest of that body. A proxy may think that the connection is free: when
 * a client of HAProxy 2.6 with HTTP/2 gives up sending its body, HAProxy sends the next request over the same
 * connection, also that of another client. It would be lost as a part of that body.
 */
export class GatewayResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  override writeHead(status: number, message?: string, headers?: Headers): this;
  override writeHead(status: number, headers?: Headers): this;
  override writeHead(status: number, second?: string | Headers, headers?: Headers): this {
    if (!hasArrived(this.req)) this.#endsConnection();
    return typeof second === 'string'
      ? super.writeHead(status, second, headers)
      : super.writeHead(status, second);
  }

  #endsConnection(): void {
    const { socket } = this.req;
    this.setHeader('connection', 'close');
    ending.add(socket);
    // Node would close both sides after the answer. If the client still sends, the operating system would then drop the
    // answer. `endStuckConnections` ends a connection that its client does not close.
    socket.destroySoon = () => {
      socket.end();
    };
  }
}

function hasArrived({ complete, headers }: IncomingMessage): boolean {
  return (
    complete || (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0)
  );
}

/** Whether a connection ends with an answer that has been begun. What comes over it later is not a request. */
export function isEnding(socket: Socket): boolean {
  return ending.has(socket);
}
