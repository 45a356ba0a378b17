import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { usualCertificate } from './self-signed-certificate.js';

/** How the bytes of one transfer travel. */
export interface Sending {
  readonly bytes: Buffer;
  /** `cut` ends the connection without the closing message of TLS; `hole` sends nothing more and says nothing. */
  readonly end: 'fin' | 'cut' | 'rst' | 'hole';
  /** The reply afterwards; null for none. */
  readonly reply: string | null;
}

export interface ScriptedFtpOptions {
  readonly files: Readonly<Record<string, Buffer>>;
  /** When the files were changed, as `yyyyMMddHHmmss`. */
  readonly modified?: string;
  readonly tls?: 'explicit' | 'implicit';
  readonly certificate?: { readonly key: string; readonly cert: string };
  /** 1.1 where an old server is wanted. */
  readonly tlsVersion?: 'TLSv1.1' | 'TLSv1.2';
  /** Refuses a client without a certificate. */
  readonly wantsClientCertificate?: boolean;
  /** Sends listings and files without TLS. */
  readonly hasPlainData?: boolean;
  /** Lines of FEAT; `MLST …` turns MLSD on. */
  readonly features?: readonly string[];
  /** A reply in place of the usual one; `null` closes the connection, undefined leaves it. */
  readonly reply?: (
    command: string,
    argument: string,
  ) => string | null | undefined | Promise<string | null | undefined>;
  /** The n-th transfer of a file, counted from 1 over all connections. */
  readonly send?: (name: string, bytes: Buffer, nth: number) => Sending | undefined;
  /** Instead of the files, what a listing sends; the argument of the command may name a folder. */
  readonly listing?: (argument: string) => Iterable<string>;
  /** The reply after a listing. */
  readonly listed?: (argument: string) => string;
  /** Something in front of a data connection: gets its port and returns the one to announce. */
  readonly dataThrough?: (port: number) => Promise<number>;
}

export interface ScriptedFtpServer {
  readonly port: number;
  readonly certificate: string;
  /** Every command that came, with its argument, in order. */
  readonly commands: string[];
  readonly connections: () => number;
  close(): Promise<void>;
}

/** An FTP server that can lie: it says and sends what the test wants, on real sockets. */
export async function startScriptedFtpServer(options: ScriptedFtpOptions): Promise<ScriptedFtpServer> {
  const pair = options.tls === undefined ? undefined : (options.certificate ?? usualCertificate());
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  const transfers = new Map<string, number>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    track(socket, sockets);
    const context = pair === undefined ? undefined : secureContext(pair, options.tlsVersion);
    new FtpConversation(socket, options, context, commands, transfers, sockets).begin();
  });
  await listen(server);
  return {
    port: (server.address() as AddressInfo).port,
    certificate: pair?.cert ?? '',
    commands,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

type Context = ReturnType<typeof createSecureContext>;

function secureContext(
  pair: { key: string; cert: string },
  version: ScriptedFtpOptions['tlsVersion'],
): Context {
  return createSecureContext({
    ...pair,
    ...(version === undefined
      ? {}
      : { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' }),
  });
}

class FtpConversation {
  #control: Socket;
  #rest = '';
  #data: Promise<Socket> | undefined;
  readonly #raw: Socket;
  readonly #options: ScriptedFtpOptions;
  readonly #context: Context | undefined;
  readonly #commands: string[];
  readonly #transfers: Map<string, number>;
  readonly #sockets: Set<Socket>;

  constructor(
    socket: Socket,
    options: ScriptedFtpOptions,
    context: Context | undefined,
    commands: string[],
    transfers: Map<string, number>,
    sockets: Set<Socket>,
  ) {
    this.#raw = socket;
    this.#control = socket;
    this.#options = options;
    this.#context = context;
    this.#commands = commands;
    this.#transfers = transfers;
    this.#sockets = sockets;
  }

  begin(): void {
    if (this.#options.tls === 'implicit') this.#protect();
    else this.#listen();
    this.#say('220 ready');
  }

  #protect(): void {
    this.#raw.removeAllListeners('data');
    this.#control = new TLSSocket(this.#raw, {
      isServer: true,
      secureContext: this.#context,
      requestCert: this.#options.wantsClientCertificate ?? false,
      rejectUnauthorized: this.#options.wantsClientCertificate ?? false,
    });
    this.#control.on('error', () => undefined);
    this.#listen();
  }

  #listen(): void {
    this.#control.on('data', (chunk: Buffer) => {
      const lines = (this.#rest + chunk.toString()).split('\r\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) void this.#answer(line);
    });
  }

  #say(line: string): void {
    if (!this.#control.destroyed) this.#control.write(`${line}\r\n`);
  }

  async #answer(line: string): Promise<void> {
    this.#commands.push(line);
    const [, command = '', argument = ''] = /^(\S+) ?(.*)$/.exec(line) ?? [];
    const scripted = await this.#options.reply?.(command, argument);
    if (scripted === null) {
      this.#control.destroy();
      return;
    }
    if (scripted !== undefined) {
      this.#say(scripted);
      return;
    }
    const file = this.#options.files[argument.replace(/^\//, '')];
    const isUnknown = ['SIZE', 'MDTM', 'RETR', 'DELE', 'RNFR'].includes(command) && file === undefined;
    if (isUnknown) this.#say('550 no such file');
    else if (command === 'AUTH') {
      this.#say('234 go on');
      this.#protect();
    } else if (command === 'EPSV') await this.#openData();
    else if (/^(LIST|MLSD)$/.test(command)) await this.#sendListing(command, argument);
    else if (command === 'RETR' && file !== undefined)
      await this.#sendFile(argument.replace(/^\//, ''), file);
    else this.#say(this.#usualReply(command, file));
  }

  #usualReply(command: string, file: Buffer | undefined): string {
    const replies: Record<string, string> = {
      USER: '331 password',
      PASS: '230 welcome',
      FEAT: [
        '211-features',
        ...(this.#options.features ?? ['SIZE', 'MDTM']).map((line) => ` ${line}`),
        '211 end',
      ].join('\r\n'),
      PWD: '257 "/"',
      SIZE: `213 ${file?.length ?? 0}`,
      MDTM: `213 ${this.#options.modified ?? '20260101000000'}`,
      RNFR: '350 go on',
      PASV: '502 no',
    };
    return replies[command] ?? '200 ok';
  }

  async #openData(): Promise<void> {
    const port = await this.#listenForData();
    const reported = await (this.#options.dataThrough?.(port) ?? port);
    this.#say(`229 Entering (|||${reported}|)`);
  }

  #listenForData(): Promise<number> {
    return new Promise((resolve) => {
      const server = createServer((socket) => {
        server.close();
        track(socket, this.#sockets);
        accept(socket);
      });
      let accept: (socket: Socket) => void = () => undefined;
      this.#data = new Promise((opened) => (accept = opened));
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    });
  }

  async #sendListing(command: string, argument: string): Promise<void> {
    const { files, modified, listing } = this.#options;
    const usual = Object.entries(files).map(([name, bytes]) =>
      command === 'MLSD'
        ? `type=file;size=${bytes.length};modify=${modified ?? '20260101000000'}; ${name}\r\n`
        : `-rw-r--r-- 1 a a ${bytes.length} Jan 1 2026 ${name}\r\n`,
    );
    this.#say('150 here it comes');
    const socket = await this.#dataSocket();
    for (const line of listing?.(argument) ?? usual) {
      if (socket.destroyed) return;
      if (!socket.write(line)) await drained(socket);
    }
    socket.end(() => this.#say(this.#options.listed?.(argument) ?? '226 done'));
  }

  async #sendFile(name: string, bytes: Buffer): Promise<void> {
    const nth = (this.#transfers.get(name) ?? 0) + 1;
    this.#transfers.set(name, nth);
    const sending = this.#options.send?.(name, bytes, nth) ?? { bytes, end: 'fin', reply: '226 done' };
    this.#say('150 here it comes');
    const raw = await this.#data;
    const socket = await this.#dataSocket();
    await new Promise((resolve) => socket.write(sending.bytes, resolve));
    if (sending.end === 'fin') socket.end();
    if (sending.end === 'cut') raw?.end();
    if (sending.end === 'rst') setTimeout(() => raw?.resetAndDestroy(), 20);
    if (sending.reply !== null) this.#say(sending.reply);
  }

  async #dataSocket(): Promise<Socket> {
    const raw = await this.#data;
    if (raw === undefined) throw new Error('no data connection was asked for');
    if (this.#context === undefined || this.#options.hasPlainData === true) return raw;
    const secured = new TLSSocket(raw, { isServer: true, secureContext: this.#context });
    secured.on('error', () => undefined);
    await new Promise((resolve) => secured.once('secure', resolve));
    return secured;
  }
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.on('drain', done).on('close', done);
  });
}

function track(socket: Socket, sockets: Set<Socket>): void {
  sockets.add(socket);
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('close', () => sockets.delete(socket));
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
}
