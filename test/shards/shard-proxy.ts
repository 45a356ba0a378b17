import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A relay between the home server and a shard that sees what the home server sends. */
export interface ShardProxy {
  readonly port: number;
  close(): void;
}

/** Decides after each piece that the home server sent on one connection, with all that it sent there before. */
export type Judge = (sent: string) => 'pass' | 'cut' | (() => Promise<void>);

/** What a judge returns as a function is done when the shard answers, and its answer is never passed on. */
export async function startShardProxy(targetPort: number, judge: Judge): Promise<ShardProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((home) => {
    const shard = connect(targetPort, '127.0.0.1');
    let sent = '';
    let withheld: (() => Promise<void>) | undefined;
    for (const socket of [home, shard]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        home.destroy();
        shard.destroy();
      });
    }
    home.on('data', (bytes) => {
      sent = (sent + bytes.toString('latin1')).slice(-200_000);
      const verdict = judge(sent);
      if (verdict === 'cut') home.destroy();
      else {
        if (verdict !== 'pass') withheld = verdict;
        shard.write(bytes);
      }
    });
    shard.on('data', (bytes) => {
      if (withheld === undefined) home.write(bytes);
      else void withheld();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // A server that listens on TCP has an address with a port.
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
