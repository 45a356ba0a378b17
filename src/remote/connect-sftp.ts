import { connect as connectSocket, type Socket } from 'node:net';
import ssh2, {
  type AuthHandlerMiddleware,
  type AuthenticationType,
  type Client,
  type Prompt,
  type ServerHostKeyAlgorithm,
  type SFTPWrapper,
} from 'ssh2';
import SftpClient from 'ssh2-sftp-client';
import { ReconError, messageOf } from '../errors.js';
import { hostKeyError, hostKeyOrders, judgeKey, readKnownHosts, type HostKeyRefusal } from './host-keys.js';
import { newLogin, type LoginProgress } from './login-progress.js';
import { connectionError, nameSftpSource } from './sftp-login-errors.js';
import type { SftpLogin } from './source-settings.js';
import { withDeadline } from './with-deadline.js';

const noop = () => undefined;

/** A session that is logged in. */
export interface SftpSession {
  readonly client: SftpClient;
  readonly sftp: SFTPWrapper;
  /** Rejects with SOURCE_UNREACHABLE when the server ends the session. */
  readonly gone: Promise<never>;
  /** Ends the session in order if the server still answers; never throws. */
  end(): Promise<void>;
  /** Drops the connection at once. */
  destroy(): void;
}

/**
 * Connects and logs in. A host key that is neither pinned nor in known_hosts is refused before anything is
 * sent. Where a fingerprint is pinned, the server is asked for its other keys too, since a fingerprint does not
 * show the type of its key.
 *
 * @throws ReconError SOURCE_HOST_KEY, SOURCE_INSECURE, SOURCE_AUTHENTICATION, SOURCE_UNREACHABLE.
 */
export async function connectSftp(source: SftpLogin, signal: AbortSignal): Promise<SftpSession> {
  const where = nameSftpSource(source);
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
      return await login(source, signal, { algorithms, knownHosts, verifier, progress });
    } catch (thrown) {
      const { verdict } = verifier;
      if (verdict !== undefined) refused.set(verdict.fingerprint, verdict);
      // After a key was refused, it does not matter that the server has no key of another type.
      else if (refused.size === 0 || !isNoSuchHostKey(thrown)) {
        if (isNoSuchHostKey(thrown)) await refuseSha1(source, signal);
        throw connectionError(thrown, source, progress, signal);
      }
      if (verdict?.isFinal === true) break;
    }
  }
  throw hostKeyError(where, source, knownHosts, [...refused.values()]);
}

/**
 * Explains the missing host key when the server still signs with SHA-1.
 *
 * @throws ReconError SOURCE_INSECURE
 */
async function refuseSha1(source: SftpLogin, signal: AbortSignal): Promise<void> {
  if (source.allowSha1HostKeys || !(await askHostKey(source, ['ssh-rsa'], signal))) return;
  throw new ReconError(
    'SOURCE_INSECURE',
    `${nameSftpSource(source)} proves its host key only with SHA-1 (ssh-rsa), which is refused, because such a proof can be forged. ` +
      `Ask its operator to offer rsa-sha2-256, ECDSA or Ed25519. Until then, allowSha1HostKeys: true of this ${source.kind ?? 'source'} accepts it. recon did not log in.`,
  );
}

/**
 * Asks for a host key without logging in.
 *
 * @returns the key; undefined when the server has none of these types
 * @throws ReconError SOURCE_UNREACHABLE
 */
export async function askHostKey(
  source: SftpLogin,
  serverHostKey: ServerHostKeyAlgorithm[],
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const socket = connectSocket({ host: source.host, port: source.port });
  socket.on('error', noop);
  const client = new ssh2.Client();
  let shown: Buffer | undefined;
  const refused = new Promise<never>((_, reject) => {
    client.on('error', reject);
    client.on('close', () => reject(new Error('closed')));
    socket.on('error', reject);
  });
  client.connect({
    sock: socket,
    username: source.username,
    algorithms: { serverHostKey },
    readyTimeout: source.connectTimeoutMs,
    // This ends the handshake before any part of the login is sent.
    hostVerifier: (key: Buffer) => {
      shown = key;
      return false;
    },
  });
  try {
    return await withDeadline(source.connectTimeoutMs, signal, refused);
  } catch (thrown) {
    if (shown !== undefined) return shown;
    if (isNoSuchHostKey(thrown)) return undefined;
    throw connectionError(thrown, source, newLogin(), signal);
  } finally {
    socket.destroy();
  }
}

const isNoSuchHostKey = (thrown: unknown) => /no matching host key/.test(messageOf(thrown));

/** What the check of a host key found; undefined if the key was accepted or none was shown. */
interface HostKeyVerifier {
  verdict: HostKeyRefusal | undefined;
}

interface LoginAttempt {
  /** The types of host keys that the server is asked for. */
  readonly algorithms: ServerHostKeyAlgorithm[];
  /** The text of the known_hosts file; null without one. */
  readonly knownHosts: string | null;
  readonly verifier: HostKeyVerifier;
  readonly progress: LoginProgress;
}

/** Connects, verifies the host key and logs in; `verifier` and `progress` show how far a failed attempt came. */
async function login(
  source: SftpLogin,
  signal: AbortSignal,
  { algorithms, knownHosts, verifier, progress }: LoginAttempt,
): Promise<SftpSession> {
  // Our own socket: the library does not close a socket that is still connecting when the session ends.
  const socket = connectSocket({ host: source.host, port: source.port });
  socket.on('error', noop);
  // Without it each request waits for the answer to the one before: a hundredth of the speed (measured).
  socket.setNoDelay(true);
  // Without these three the library writes its own lines to standard output.
  const client = new SftpClient(source.name, { error: noop, end: noop, close: noop });
  // The library has both fields; only its types do not mention them.
  const raw = client as unknown as RawSession;
  raw.client.once('ready', () => (progress.isAccepted = true));
  raw.client.on('keyboard-interactive', (_name, _instructions, _language, prompts, answer) => {
    const isSecret = prompts.some(({ echo }) => echo !== true);
    progress.cannotAnswer ??= unanswerable(prompts);
    if (progress.sent === 'private key') progress.keyWas = progress.isPartial ? 'accepted' : 'refused';
    // The server asks again after a wrong password or for a second factor: sending the password again would count as a
    // second try.
    if (isSecret && progress.sent === 'password') {
      progress.askedFor = 'another answer';
      socket.destroy();
      return;
    }
    // The other one is a code: the password must not be sent as one.
    if (prompts.filter(({ echo }) => echo !== true).length > 1) {
      socket.destroy();
      return;
    }
    if (isSecret) progress.sent = 'password';
    answer(prompts.map(({ echo }) => (echo === true ? '' : (source.password ?? ''))));
  });
  raw.client.on('change password', () => {
    progress.askedFor = 'a new password';
    socket.destroy();
  });
  const connection = client.connect({
    sock: socket,
    ...credentials(source),
    authHandler: chooseAuthentication(source, progress),
    algorithms: { serverHostKey: algorithms },
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
  return openedSession(source, socket, client, raw);
}

/** What a server asks for that is not one hidden password; nothing if it only informs. */
function unanswerable(prompts: readonly Prompt[]): LoginProgress['cannotAnswer'] {
  if (prompts.length > 1) return 'several answers at once, such as a password and a code';
  return prompts[0]?.echo === true ? 'an answer that is shown while it is typed, such as a code' : undefined;
}

function credentials(source: SftpLogin) {
  return {
    username: source.username,
    ...(source.password === null ? {} : { password: source.password, tryKeyboard: true }),
    ...(source.privateKey === null ? {} : { privateKey: source.privateKey }),
    ...(source.passphrase === null ? {} : { passphrase: source.passphrase }),
  };
}

/** The client and session under the library; its types do not mention them. */
interface RawSession {
  readonly client: Client;
  readonly sftp: SFTPWrapper;
}

/** The session after a login, which notices its own end. */
function openedSession(source: SftpLogin, socket: Socket, client: SftpClient, raw: RawSession): SftpSession {
  // Requests that are pending when a session ends raise errors here, when nothing else listens any more.
  raw.client.on('error', noop);
  raw.sftp.on('error', noop);
  const gone = new Promise<never>((_, reject) => {
    const lost = () =>
      reject(
        new ReconError(
          'SOURCE_UNREACHABLE',
          `The connection to ${nameSftpSource(source)} was closed by the server.`,
        ),
      );
    raw.client.once('close', lost);
    // The session alone may end: its process on the server ends and the connection stays open.
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
 * Chooses the next way to log in: the key, then the password. Keyboard-interactive is used only where the server
 * accepts no other password login, so that a wrong password counts once towards a lock-out.
 */
function chooseAuthentication(source: SftpLogin, progress: LoginProgress): AuthHandlerMiddleware {
  const tried = new Set<AuthenticationType>();
  const choose = (left: readonly AuthenticationType[]): AuthenticationType | undefined => {
    // The first answer lists what the server accepts.
    if (!tried.has('none')) return 'none';
    const ways: AuthenticationType[] = source.privateKey === null ? [] : ['publickey'];
    if (source.password !== null && !tried.has('password') && !tried.has('keyboard-interactive'))
      ways.push(left.includes('password') ? 'password' : 'keyboard-interactive');
    return ways.find((way) => left.includes(way) && !tried.has(way));
  };
  return (left, isPartial, next) => {
    const way = choose(left);
    // Before the first answer both are undefined, although the types say otherwise.
    if (tried.size > 0) {
      progress.offered = left;
      progress.isPartial = isPartial;
    }
    if (way !== undefined) tried.add(way);
    if (way === 'password') progress.sent = 'password';
    if (way === 'publickey') progress.sent = 'private key';
    // False ends the login; the types do not include it.
    next(way ?? (false as never));
  };
}
