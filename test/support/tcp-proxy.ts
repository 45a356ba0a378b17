import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** What the proxy does to one connection once this many bytes of one side have passed. */
export interface ProxyFault {
  readonly kind: 'fin' | 'rst' | 'hole' | 'drip' | 'flip';
  readonly afterBytes: number;
  /** Whose bytes are counted and damaged; the server's by default. */
  readonly from?: 'server' | 'client';
  /** Which bit of the next byte `flip` inverts, 0 to 7; 0 by default. */
  readonly bit?: number;
}

export interface TcpProxy {
  readonly port: number;
  /** Connections so far. */
  readonly connections: () => number;
  /** Whether any byte was harmed so far. */
  readonly hasHarmed: () => boolean;
  close(): Promise<void>;
}

/**
 * A proxy on loopback that harms what one side sends: cuts it (FIN or RST), swallows it (a black hole), passes it byte
 * by byte, or inverts one bit of it and passes the rest as it is.
 *
 * @param faultOf what happens to the n-th connection, counted from 1; undefined lets it be.
 */
export async function startTcpProxy(
  targetPort: number,
  faultOf: (connection: number) => ProxyFault | undefined,
): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let connections = 0;
  let hasHarmed = false;
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
    const harmed = () => (hasHarmed = true);
    const isOfClient = fault?.from === 'client';
    pass(client, target, isOfClient ? fault : undefined, harmed);
    pass(target, client, isOfClient ? undefined : fault, harmed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    hasHarmed: () => hasHarmed,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function pass(from: Socket, to: Socket, fault: ProxyFault | undefined, harmed: () => void): void {
  let passed = 0;
  from.on('data', (chunk) => {
    const at = fault === undefined ? Infinity : fault.afterBytes - passed;
    passed += chunk.length;
    if (fault === undefined || at >= chunk.length) {
      to.write(chunk);
      return;
    }
    harmed();
    if (fault.kind === 'flip') to.write(at < 0 ? chunk : flipped(chunk, at, fault.bit));
    else {
      if (at > 0) to.write(chunk.subarray(0, at));
      harm(fault.kind, from, to, chunk.subarray(Math.max(0, at)));
    }
  });
}

function flipped(bytes: Buffer, at: number, bit = 0): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(at) ^ (1 << bit), at);
  return copy;
}

function harm(kind: Exclude<ProxyFault['kind'], 'flip'>, from: Socket, to: Socket, rest: Buffer): void {
  switch (kind) {
    case 'fin':
      to.end();
      break;
    case 'rst':
      to.resetAndDestroy();
      break;
    case 'hole':
      break;
    case 'drip': {
      from.pause();
      let at = 0;
      const timer = setInterval(() => {
        if (to.destroyed || at >= rest.length) clearInterval(timer);
        else to.write(rest.subarray(at, at + 1));
        at += 1;
      }, 20);
      break;
    }
  }
}
