import { FtpSrv } from 'ftp-srv';
import { freePort } from './free-port.js';
import { usualCertificate } from './self-signed-certificate.js';

export interface FtpServerOptions {
  readonly rootDirectory: string;
  readonly tls?: 'explicit' | 'implicit';
  readonly password?: string;
}

export interface FtpTestServer {
  readonly port: number;
  /** PEM of the certificate, which is its own authority; empty without TLS. */
  readonly certificate: string;
  close(): Promise<void>;
}

const silent = {
  trace: noop,
  debug: noop,
  info: noop,
  warn: noop,
  error: noop,
  fatal: noop,
  child: () => silent,
};
function noop(): void {
  // ftp-srv logs through bunyan to standard output, which a test must not fill.
}

/** A real FTP server in this process: plain, AUTH TLS, or implicit TLS; user `merchant`. */
export async function startFtpServer(options: FtpServerOptions): Promise<FtpTestServer> {
  const port = await freePort();
  const passivePort = 20_000 + Math.floor(Math.random() * 20_000);
  const pair = options.tls === undefined ? undefined : usualCertificate();
  const listenersOfOthers = quitSignals.map((signal) => process.listeners(signal));
  const server = new FtpSrv({
    url: `${options.tls === 'implicit' ? 'ftps' : 'ftp'}://127.0.0.1:${port}`,
    pasv_url: '127.0.0.1',
    pasv_min: passivePort,
    pasv_max: passivePort + 500,
    // The types ask for a bunyan logger; only these methods are called.
    log: silent as never,
    ...(pair === undefined ? {} : { tls: { key: pair.key, cert: pair.cert } as never }),
  });
  removeNewListeners(listenersOfOthers);
  server.on('login', ({ username, password }, resolve, reject) => {
    if (username === 'merchant' && password === (options.password ?? 'secret'))
      resolve({ root: options.rootDirectory });
    else reject(new Error('refused'));
  });
  await server.listen();
  return {
    port,
    certificate: pair?.cert ?? '',
    close: async () => {
      await server.close();
    },
  };
}

const quitSignals = ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const;

/** ftp-srv closes itself on a signal, and keeps its listeners forever: after ten servers, Node warns of a leak. */
function removeNewListeners(before: readonly (readonly NodeJS.SignalsListener[])[]): void {
  for (const [index, signal] of quitSignals.entries()) {
    for (const listener of process.listeners(signal)) {
      if (before[index]?.includes(listener) !== true) process.removeListener(signal, listener);
    }
  }
}
