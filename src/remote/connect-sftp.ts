import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect as connectSocket } from 'node:net';
import type {
  AuthHandlerMiddleware,
  AuthenticationType,
  Client,
  ServerHostKeyAlgorithm,
  SFTPWrapper,
} from 'ssh2';
import SftpClient from 'ssh2-sftp-client';
import { ReconError, messageOf } from '../errors.js';
import { judgeHostKey, knownKeyTypes } from './known-hosts.js';
import {
  mayBeRefused,
  newLogin,
  showOffered,
  unansweredLogin,
  type LoginProgress,
} from './login-progress.js';
import type { SftpSource } from './source-settings.js';
import { DeadlineExceeded, withDeadline } from './with-deadline.js';

const noop = () => undefined;

/** A session that is logged in. */
export interface SftpSession {
  readonly client: SftpClient;
  readonly sftp: SFTPWrapper;
  /** Rejects with SOURCE_UNREACHABLE when the server ends the session. */
  readonly gone: Promise<never>;
  /** Says goodbye if the server still answers; never throws. */
  end(): Promise<void>;
  /** Drops the connection at once. */
  destroy(): void;
}

/** Key types in families: a server has one key of each, and shows the one that is asked for first. */
const keyFamilies: readonly (readonly ServerHostKeyAlgorithm[])[] = [
  ['ssh-ed25519'],
  ['ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521'],
  ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'],
];

/**
 * Connects and logs in. A host key that is neither pinned nor in known_hosts is refused before anything is
 * sent; where a fingerprint is pinned, the server is asked for its other keys too, since the fingerprint does
 * not tell of which type the pinned one is.
 *
 * @throws ReconError SOURCE_HOST_KEY, SOURCE_AUTHENTICATION, SOURCE_UNREACHABLE.
 */
export async function connectSftp(source: SftpSource, signal: AbortSignal): Promise<SftpSession> {
  const where = nameSource(source);
  const knownHosts =
    source.knownHostsFile === null ? null : await readKnownHosts(source.knownHostsFile, where);
  const refused = new Map<string, HostKeyRefusal>();
  const shown = (types: readonly string[]) =>
    [...refused.values()].some(({ keyType }) => types.includes(keyType));
  for (const algorithms of hostKeyOrders(source, knownHosts)) {
    if (shown(algorithms)) continue;
    const verifier: HostKeyVerifier = { verdict: undefined };
    const progress = newLogin();
    try {
      return await login(source, signal, algorithms, knownHosts, verifier, progress);
    } catch (thrown) {
      const { verdict } = verifier;
      if (verdict !== undefined) refused.set(verdict.fingerprint, verdict);
      // Once a key was refused, a server that has none of another type is no news.
      else if (refused.size === 0 || !/no matching host key/.test(messageOf(thrown)))
        throw connectionError(thrown, source, progress, signal);
      if (verdict?.isFinal === true) break;
    }
  }
  throw hostKeyError(where, source, [...refused.values()]);
}

export const nameSource = (source: SftpSource) =>
  `source ${source.name} (sftp ${source.host}:${source.port})`;

interface HostKeyRefusal {
  readonly fingerprint: string;
  readonly keyType: string;
  readonly why: string;
  /** No other key of the server could change the verdict. */
  readonly isFinal: boolean;
}

interface HostKeyVerifier {
  verdict: HostKeyRefusal | undefined;
}

async function readKnownHosts(file: string, where: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    throw new ReconError('SOURCE_HOST_KEY', `The known_hosts file ${file} of ${where} cannot be read.`, {
      cause: thrown,
    });
  }
}

/** The key types to ask for, one list per connection. */
function hostKeyOrders(source: SftpSource, knownHosts: string | null): ServerHostKeyAlgorithm[][] {
  const known = new Set(knownHosts === null ? [] : knownKeyTypes(knownHosts, source.host, source.port));
  // An RSA key is `ssh-rsa` in known_hosts, whatever hash its signatures use.
  const isKnown = (family: readonly string[]) => family.some((type) => known.has(type));
  const first = [...keyFamilies].sort((a, b) => Number(isKnown(b)) - Number(isKnown(a))).flat();
  return source.hostKeys.length === 0 ? [first] : [first, ...keyFamilies.map((family) => [...family])];
}

async function login(
  source: SftpSource,
  signal: AbortSignal,
  serverHostKey: ServerHostKeyAlgorithm[],
  knownHosts: string | null,
  verifier: HostKeyVerifier,
  progress: LoginProgress,
): Promise<SftpSession> {
  // Our own socket: the library leaves one behind that is not connected yet when it is told to end.
  const socket = connectSocket({ host: source.host, port: source.port });
  socket.on('error', noop);
  // Without it each request waits for the answer to the one before: a hundredth of the speed (measured).
  socket.setNoDelay(true);
  // Without these three the library writes its own lines to standard output.
  const client = new SftpClient(source.name, { error: noop, end: noop, close: noop });
  // The raw client and session under the library, of which its types do not speak.
  const raw = client as unknown as { client: Client; sftp: SFTPWrapper };
  raw.client.once('ready', () => (progress.isAccepted = true));
  raw.client.on('keyboard-interactive', (_name, _instructions, _language, prompts, answer) => {
    const isSecret = prompts.some(({ echo }) => echo !== true);
    // Asked again, after a wrong password or for a second factor: the same password would be a second try.
    if (isSecret && progress.sent === 'password') {
      socket.destroy();
      return;
    }
    if (isSecret) progress.sent = 'password';
    answer(prompts.map(({ echo }) => (echo === true ? '' : (source.password ?? ''))));
  });
  const connection = client.connect({
    sock: socket,
    username: source.username,
    ...(source.password === null ? {} : { password: source.password, tryKeyboard: true }),
    ...(source.privateKey === null ? {} : { privateKey: source.privateKey }),
    ...(source.passphrase === null ? {} : { passphrase: source.passphrase }),
    authHandler: chooseAuthentication(source, progress),
    algorithms: { serverHostKey },
    readyTimeout: source.connectTimeoutMs,
    keepaliveInterval: 10_000,
    keepaliveCountMax: 3,
    hostVerifier: (key: Buffer) => {
      verifier.verdict = judgeKey(source, knownHosts, key);
      return verifier.verdict === undefined;
    },
  });
  try {
    await withDeadline(source.connectTimeoutMs, signal, connection);
  } catch (thrown) {
    socket.destroy();
    throw thrown;
  }
  // Requests that are pending when a session ends come up as errors of these, after anybody listened.
  raw.client.on('error', noop);
  raw.sftp.on('error', noop);
  const gone = new Promise<never>((_, reject) => {
    const lost = () =>
      reject(
        new ReconError(
          'SOURCE_UNREACHABLE',
          `The connection to ${nameSource(source)} was closed by the server.`,
        ),
      );
    raw.client.once('close', lost);
    // The session may end alone: its process on the server dies, and the connection lives on.
    raw.sftp.once('close', lost);
  });
  gone.catch(noop);
  return {
    client,
    sftp: raw.sftp,
    gone,
    end: async () => {
      await withDeadline(2_000, undefined, client.end()).catch(noop);
      socket.destroy();
    },
    destroy: () => void socket.destroy(),
  };
}

/**
 * Which way to log in next: the key, then the password, and the question-and-answer form of it only where the
 * server takes no other, so that a wrong password counts once towards a lock-out.
 */
function chooseAuthentication(source: SftpSource, progress: LoginProgress): AuthHandlerMiddleware {
  const tried = new Set<AuthenticationType>();
  const choose = (left: readonly AuthenticationType[]): AuthenticationType | undefined => {
    // The first answer to it tells what the server takes.
    if (!tried.has('none')) return 'none';
    const ways: AuthenticationType[] = source.privateKey === null ? [] : ['publickey'];
    if (source.password !== null && !tried.has('password') && !tried.has('keyboard-interactive'))
      ways.push(left.includes('password') ? 'password' : 'keyboard-interactive');
    return ways.find((way) => left.includes(way) && !tried.has(way));
  };
  return (left, _partial, next) => {
    const way = choose(left);
    // Before the first answer there is nothing to know, whatever the types say.
    if (tried.size > 0) progress.offered = left;
    if (way !== undefined) tried.add(way);
    if (way === 'password') progress.sent = 'password';
    if (way === 'publickey') progress.sent = 'private key';
    // False ends the login; the types do not tell of it.
    next(way ?? (false as never));
  };
}

/** Why the offered key is not accepted; undefined when it is. */
function judgeKey(source: SftpSource, knownHosts: string | null, key: Buffer): HostKeyRefusal | undefined {
  const fingerprint = `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
  // A key begins with the name of its type (RFC 4253, 6.6).
  const keyType = key.subarray(4, 4 + key.readUInt32BE(0)).toString('latin1');
  const refuse = (why: string, isFinal: boolean) => ({ fingerprint, keyType, why, isFinal });
  const known = knownHosts === null ? null : judgeHostKey(knownHosts, source.host, source.port, key);
  if (known === 'revoked') return refuse('which the known_hosts file marks as revoked', true);
  if (source.hostKeys.some((pinned) => pinned.replace(/=+$/, '') === fingerprint)) return undefined;
  const isPinned = source.hostKeys.length > 0;
  switch (known) {
    case 'trusted':
      return undefined;
    case 'changed':
      return refuse('which is not the one that the known_hosts file has for it', !isPinned);
    case 'unknown':
      return refuse('and the known_hosts file does not know the host', !isPinned);
    case null:
      return refuse('and no host key is configured', !isPinned);
  }
}

function hostKeyError(where: string, source: SftpSource, refused: readonly HostKeyRefusal[]): ReconError {
  const last = refused.find(({ isFinal }) => isFinal) ?? refused[0];
  const offered = refused.map(({ fingerprint }) => fingerprint).join(', ');
  const why =
    source.hostKeys.length > 0 && last?.isFinal !== true
      ? `pinned is ${source.hostKeys.join(', ')}`
      : (last?.why ?? 'which is not known');
  return new ReconError(
    'SOURCE_HOST_KEY',
    `${where} offers the host key ${offered}, ${why}; nobody logged in and nothing was fetched.`,
  );
}

function connectionError(
  thrown: unknown,
  source: SftpSource,
  progress: LoginProgress,
  signal: AbortSignal,
): unknown {
  if (signal.aborted || thrown instanceof ReconError) return thrown;
  const where = nameSource(source);
  const text = messageOf(thrown);
  if (/authentication methods/.test(text)) {
    return new ReconError('SOURCE_AUTHENTICATION', `${where} ${refusal(source, progress)}`, {
      cause: thrown,
    });
  }
  if (/privateKey|private key|passphrase/i.test(text)) {
    return new ReconError(
      'SOURCE_AUTHENTICATION',
      `${where} has a private key that cannot be used (wrong passphrase, or no private key); nothing was fetched.`,
      { cause: thrown },
    );
  }
  const hasNoAnswer = thrown instanceof DeadlineExceeded || /timed out/i.test(text);
  if (mayBeRefused(progress)) {
    const how = hasNoAnswer ? noAnswer(source) : 'it closed the connection';
    return unansweredLogin(where, source.username, progress, how, thrown);
  }
  const { code } = thrown as { code?: unknown };
  const detail = hasNoAnswer
    ? noAnswer(source)
    : typeof code === 'string' && /^E[A-Z]+$/.test(code)
      ? code
      : /no matching/i.test(text)
        ? 'no common algorithms'
        : 'no session';
  return new ReconError('SOURCE_UNREACHABLE', `${where} could not be reached (${detail}).`, {
    cause: thrown,
  });
}

const noAnswer = (source: SftpSource) => `no answer within ${source.connectTimeoutMs / 1000} s`;

/** Who was refused with what, and what the server would take instead. */
function refusal(source: SftpSource, { sent, offered }: LoginProgress): string {
  const has = [
    ...(source.password === null ? [] : ['a password']),
    ...(source.privateKey === null ? [] : ['a private key']),
  ].join(' and ');
  return sent === undefined
    ? `offers ${showOffered(offered)} to user ${source.username}, and the source has ${has}; nothing was sent.`
    : `refused user ${source.username} with its ${sent}; it offers ${showOffered(offered)}. Nothing was fetched.`;
}
