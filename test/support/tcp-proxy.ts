import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** What the proxy does to one connection once so many bytes of the server have passed. */
export interface ProxyFault {
  readonly kind: 'fin' | 'rst' | 'hole' | 'drip';
  readonly afterBytes: number;
}

export interface TcpProxy {
  readonly port: number;
  /** Connections so far. */
  readonly connections: () => number;
  close(): Promise<void>;
}

/**
 * A proxy on loopback that harms what the server sends: cuts it (FIN or RST), swallows it (a black hole), or
 * passes it byte by byte.
 *
 * @param faultOf what happens to the n-th connection, counted from 1; undefined lets it be.
 */
export async function startTcpProxy(
  targetPort: number,
  faultOf: (connection: number) => ProxyFault | undefined,
): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((client) => {
    connections += 1;
    const fault = faultOf(connections);
    const target = connect(targetPort, '127.0.0.1');
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        target.destroy();
      });
    }
    client.on('data', (chunk) => target.write(chunk));
    let passed = 0;
    target.on('data', (chunk) => {
      const room = fault === undefined ? chunk.length : Math.max(0, fault.afterBytes - passed);
      passed += chunk.length;
      if (room > 0) client.write(chunk.subarray(0, room));
      if (fault !== undefined && room < chunk.length) harm(fault.kind, client, target, chunk.subarray(room));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function harm(kind: ProxyFault['kind'], client: Socket, target: Socket, rest: Buffer): void {
  switch (kind) {
    case 'fin':
      client.end();
      break;
    case 'rst':
      client.resetAndDestroy();
      break;
    case 'hole':
      break;
    case 'drip': {
      target.pause();
      let at = 0;
      const timer = setInterval(() => {
        if (client.destroyed || at >= rest.length) clearInterval(timer);
        else client.write(rest.subarray(at, at + 1));
        at += 1;
      }, 20);
      break;
    }
  }
}
