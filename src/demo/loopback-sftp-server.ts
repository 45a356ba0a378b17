import { timingSafeEqual, createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import ssh2, {
  type AuthContext,
  type AuthenticationType,
  type Connection,
  type ServerHostKeyAlgorithm,
} from 'ssh2';
import { serveSftpFiles, type SftpFolder } from './serve-sftp-files.js';

const { Server, utils } = ssh2;

/** Who may log in, and in which ways the server differs from a usual one. */
export interface LoopbackSftpOptions extends SftpFolder {
  readonly username: string;
  readonly password?: string;
  /** A public key in OpenSSH form that may log in. */
  readonly authorizedKey?: string;
  /** Private host keys of different types; default: a new one. */
  readonly hostKeys?: readonly string[];
  /** The signature algorithms of the host keys; default: the usual ones. */
  readonly hostKeyAlgorithms?: readonly ServerHostKeyAlgorithm[];
  /** Accepts the password only by keyboard-interactive, like some servers. */
  readonly asksQuestions?: boolean;
  /** Called for each login attempt, which is answered when it returns. */
  readonly onLogin?: () => void | Promise<void>;
}

/** A server that listens on 127.0.0.1. */
export interface LoopbackSftpServer {
  readonly port: number;
  readonly hostKeyFingerprint: string;
  close(): Promise<void>;
}

/**
 * A small real SFTP server over a folder, on 127.0.0.1 and a free port: list, read, rename, remove; with `isWritable`
 * also write. The demo fetches from it, and so do the tests.
 */
export async function startLoopbackSftpServer(options: LoopbackSftpOptions): Promise<LoopbackSftpServer> {
  const hostKeys = options.hostKeys ?? [newHostKey()];
  const connections = new Set<Connection>();
  const { hostKeyAlgorithms } = options;
  const algorithms = hostKeyAlgorithms && { algorithms: { serverHostKey: [...hostKeyAlgorithms] } };
  const server = new Server({ hostKeys: [...hostKeys], ...algorithms }, (connection) => {
    connections.add(connection);
    connection.on('close', () => connections.delete(connection));
    // Many sessions end because the client closes the connection at any point.
    connection.on('error', () => undefined);
    authenticate(connection, options);
    connection.on('session', (acceptSession) => {
      acceptSession().on('sftp', (acceptSftp) => serveSftpFiles(acceptSftp(), connection, options));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    hostKeyFingerprint: fingerprintOfHostKey(hostKeys[0] ?? ''),
    close: () =>
      new Promise((resolve) => {
        for (const connection of connections) connection.end();
        server.close(() => resolve());
      }),
  };
}

/**
 * ssh2 1.17 writes about one in 256 of its ed25519 keys in a form that it cannot read itself; such a key is discarded.
 */
export function newHostKey(): string {
  for (;;) {
    const key = utils.generateKeyPairSync('ed25519').private;
    if (!(utils.parseKey(key) instanceof Error)) return key;
  }
}

/** `SHA256:…`, in the format of ssh-keygen. */
export function fingerprintOfHostKey(key: string): string {
  const parsed = utils.parseKey(key);
  if (parsed instanceof Error) throw parsed;
  const blob = parsed.getPublicSSH();
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}

function authenticate(connection: Connection, options: LoopbackSftpOptions): void {
  const methods: AuthenticationType[] =
    options.asksQuestions === true ? ['keyboard-interactive'] : ['password', 'publickey'];
  const authorized = options.authorizedKey === undefined ? undefined : utils.parseKey(options.authorizedKey);
  const isPassword = (given: string | undefined) =>
    options.password !== undefined && given !== undefined && isSame(given, options.password);
  const judge = async (attempt: AuthContext): Promise<void> => {
    const answer = (isAccepted: boolean) => (isAccepted ? attempt.accept() : attempt.reject(methods));
    const isUser = isSame(attempt.username, options.username);
    if (attempt.method !== 'none') await options.onLogin?.();
    if (!isUser || !methods.includes(attempt.method)) answer(false);
    else if (attempt.method === 'password') answer(isPassword(attempt.password));
    else if (attempt.method === 'keyboard-interactive') {
      attempt.prompt([{ prompt: 'Password: ', echo: false }], (answers) => answer(isPassword(answers[0])));
    } else if (attempt.method === 'publickey' && authorized !== undefined && !(authorized instanceof Error)) {
      // First the client asks, without a signature, whether the key would be accepted.
      const { signature, blob, hashAlgo, key } = attempt;
      const isProven =
        signature === undefined || (blob !== undefined && authorized.verify(blob, signature, hashAlgo));
      answer(isProven && key.data.equals(authorized.getPublicSSH()));
    } else answer(false);
  };
  connection.on('authentication', (attempt) => void judge(attempt));
}

/** Compares digests, so that the time reveals neither content nor length. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
