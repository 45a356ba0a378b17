import { isIP } from 'node:net';
import { checkServerIdentity, rootCertificates, type ConnectionOptions } from 'node:tls';
import { Client, FTPError, type FTPResponse } from 'basic-ftp';
import { ReconError, messageOf, type ErrorCode } from '../errors.js';
import { cutText } from '../values/cut-text.js';
import { networkCause } from '../values/network-causes.js';
import { mayBeRefused, newLogin, unansweredLogin, type LoginProgress } from './login-progress.js';
import type { FtpSource } from './source-settings.js';
import { DeadlineExceeded, withDeadline } from './with-deadline.js';

/** Bytes of one listing; a longer listing fails instead of filling the memory. */
const listingBytes = 64 * 1024 * 1024;

/** A server that does not greet was reached. */
type Stage = 'connect' | 'greet' | 'protect' | 'login' | 'prepare';

/** The source as messages name it, with its server. */
export const nameFtpSource = (source: FtpSource) =>
  `source ${source.name} (${source.protocol} ${source.host}:${source.port})`;

/**
 * Connects over FTP or FTPS and logs in, step by step, so that an error names the step that failed. TLS is verified and
 * never downgraded: a server that does not offer it gets no password. Plain FTP is used only where the configuration
 * explicitly allows it. Once the password was sent, any failure of the login counts as a refusal.
 *
 * @throws ReconError SOURCE_INSECURE, SOURCE_CERTIFICATE, SOURCE_AUTHENTICATION, SOURCE_UNREACHABLE.
 */
export async function connectFtp(source: FtpSource, signal: AbortSignal): Promise<Client> {
  if (source.tls === null && !source.allowInsecure) {
    throw new ReconError(
      'SOURCE_INSECURE',
      `${nameFtpSource(source)} is plain FTP, which sends the password unencrypted; allowInsecure is not set.`,
    );
  }
  const client = new Client(source.stallTimeoutMs, {
    allowSeparateTransferHost: source.allowSeparateTransferHost,
    maxListingBytes: listingBytes,
  });
  let stage: Stage = 'connect';
  const progress = newLogin();
  const enter = async () => {
    if (source.tls === 'implicit') {
      await client.connectImplicitTLS(source.host, source.port, tlsOptions(source));
    } else {
      const greeted = client.connect(source.host, source.port);
      client.ftp.socket.once('connect', () => (stage = 'greet'));
      await greeted;
    }
    if (source.tls === 'explicit') {
      stage = 'protect';
      await client.useTLS(tlsOptions(source));
    }
    stage = 'login';
    // For names with letters outside ASCII; some servers accept it only before the login.
    await client.sendIgnoringError('OPTS UTF8 ON');
    await logIn(client, source, progress);
    stage = 'prepare';
    // Where the control connection has TLS, the library insists on it for data connections too.
    await client.useDefaultSettings();
    // Hidden files are never taken. Some servers take `-a` for the name of a folder, and list nothing.
    client.availableListCommands = client.availableListCommands.filter((command) => command !== 'LIST -a');
  };
  try {
    await withDeadline(source.connectTimeoutMs, signal, enter());
    return client;
  } catch (thrown) {
    client.close();
    throw connectionError(thrown, source, stage, progress);
  }
}

/** The library's own login does not say whether the password was sent. */
async function logIn(client: Client, source: FtpSource, progress: LoginProgress): Promise<void> {
  const asked = await client.send(`USER ${source.username}`);
  if (asked.code === 331) {
    progress.sent = 'password';
    refuseUnlessDone(await client.send(`PASS ${source.password ?? ''}`));
  } else refuseUnlessDone(asked);
  progress.isAccepted = true;
}

/** Reply 332 asks for an account as well, which no source has. */
function refuseUnlessDone(reply: FTPResponse): void {
  if (reply.code < 200 || reply.code >= 300) throw new FTPError(reply);
}

function tlsOptions(source: FtpSource): ConnectionOptions {
  const name = source.serverName ?? source.host;
  return {
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    // The host to connect to, whose session the data connections resume; the name in the certificate may differ.
    host: source.host,
    // An address is not a server name (RFC 6066).
    ...(isIP(name) === 0 ? { servername: name } : {}),
    // Explicit, because Node would check another name for an address and for a socket that already exists.
    checkServerIdentity: (_host, certificate) => checkServerIdentity(name, certificate),
    ...(source.certificateAuthority === null
      ? {}
      : { ca: [...rootCertificates, source.certificateAuthority] }),
  };
}

function connectionError(thrown: unknown, source: FtpSource, stage: Stage, progress: LoginProgress): unknown {
  if (thrown instanceof ReconError) return thrown;
  const fail = ([code, sentence]: Failure) =>
    new ReconError(code, `${nameFtpSource(source)} ${sentence}`, { cause: thrown });
  if (thrown instanceof FTPError) return fail(failureOfReply(thrown.code, source, stage, progress));
  const hasNoAnswer = thrown instanceof DeadlineExceeded || /timeout/i.test(messageOf(thrown));
  const how = hasNoAnswer ? noAnswer(thrown, source) : 'it closed the connection';
  if (mayBeRefused(progress)) {
    const { username } = source;
    return unansweredLogin({
      where: nameFtpSource(source),
      username,
      sent: progress.sent,
      how,
      cause: thrown,
    });
  }
  if (stage === 'greet') {
    return fail([
      'SOURCE_UNREACHABLE',
      `accepted the connection and sent no greeting (${how}). ${expectsTls(source)}`,
    ]);
  }
  if (thrown instanceof DeadlineExceeded) {
    return fail(['SOURCE_UNREACHABLE', `could not be reached: ${thrown.message}.`]);
  }
  const { code } = thrown as { code?: unknown };
  const name = typeof code === 'string' ? code : '';
  const why = name === '' ? 'it closed the connection, or is not an FTP server' : networkCause(name);
  return fail(
    failureOfTls(name, thrown, source) ?? [
      'SOURCE_UNREACHABLE',
      `could not be reached: ${hasNoAnswer ? 'no answer' : why}.`,
    ],
  );
}

/** The code of an error, and what follows the name of the source. */
type Failure = readonly [code: ErrorCode, sentence: string];

function failureOfReply(code: number, source: FtpSource, stage: Stage, progress: LoginProgress): Failure {
  // 4xx is a refusal for now (too many connections); 430 is not: some servers send it for a wrong password.
  const isForNow = code >= 400 && code < 500 && code !== 430;
  if (isForNow && stage === 'login' && progress.sent === undefined)
    return ['SOURCE_UNREACHABLE', refusal(source, progress, code)];
  if (isForNow) return ['SOURCE_UNREACHABLE', `is not ready (reply ${code}).`];
  switch (stage) {
    case 'connect':
    case 'greet':
      return ['SOURCE_UNREACHABLE', `is not ready (reply ${code}).`];
    case 'protect':
      return ['SOURCE_INSECURE', `does not offer TLS (reply ${code}); the password was not sent.`];
    case 'login':
      return ['SOURCE_AUTHENTICATION', refusal(source, progress, code)];
    case 'prepare':
      return ['SOURCE_UNREACHABLE', `does not send files in binary mode (reply ${code}).`];
  }
}

/** The names of a certificate that is for another one, so that `serverName` can be set. */
function namesOf(thrown: unknown): string {
  const { code, cert } = thrown as { code?: unknown; cert?: { subjectaltname?: unknown } };
  const names = cert?.subjectaltname;
  if (code !== 'ERR_TLS_CERT_ALTNAME_INVALID' || typeof names !== 'string') return '';
  return `; it names ${cutText(names, 200)}`;
}

/** @param name the code of an error, such as `ERR_SSL_WRONG_VERSION_NUMBER` */
function failureOfTls(name: string, thrown: unknown, { tls }: FtpSource): Failure | undefined {
  // An alert is the server's complaint about us.
  if (/_ALERT_.*CERTIFICATE/.test(name)) {
    return [
      'SOURCE_AUTHENTICATION',
      `asks for a client certificate, which recon does not have (${name}); no password was sent. Its operator must allow the login without one.`,
    ];
  }
  if (/_ALERT_HANDSHAKE_FAILURE/.test(name)) {
    return [
      'SOURCE_INSECURE',
      `refused the TLS handshake (${name}); no password was sent. It accepts none of the ciphers of TLS 1.2 and 1.3 that recon offers, or asks for a client certificate, which recon does not have.`,
    ];
  }
  if (/CERT|SELF_SIGNED|ALTNAME|UNABLE_TO|ISSUER|CRL/.test(name)) {
    return [
      'SOURCE_CERTIFICATE',
      `has a certificate that is not accepted: ${networkCause(name)}${namesOf(thrown)}; no password was sent.`,
    ];
  }
  if (tls === 'implicit' && name === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return [
      'SOURCE_INSECURE',
      'answered without TLS; no password was sent. With tls: implicit, TLS begins at once (usually port 990). If the server offers AUTH TLS (usually port 21), set tls: explicit.',
    ];
  }
  if (/^ERR_SSL|^ERR_TLS|EPROTO/.test(name)) {
    return ['SOURCE_INSECURE', `does not speak TLS 1.2 or newer (${name}); no password was sent.`];
  }
  return undefined;
}

function refusal({ username, tls }: FtpSource, { sent }: LoginProgress, code: number): string {
  if (sent !== undefined) return `refused user ${username} with its password (reply ${code}).`;
  const advice = tls === null ? ' If it requires TLS, set protocol: ftps.' : '';
  return `refused user ${username} before it asked for the password, which was not sent (reply ${code}).${advice}`;
}

/** What is likely wrong with a server that waits for the first word. */
function expectsTls({ tls }: FtpSource): string {
  const setting = tls === null ? 'protocol: ftps with tls: implicit' : 'tls: implicit';
  return `If it expects TLS at once (usually on port 990), set ${setting}.`;
}

/** The library's own timeout does not say how long it waited. */
const noAnswer = (thrown: unknown, source: FtpSource) =>
  thrown instanceof DeadlineExceeded ? thrown.message : `no answer within ${source.stallTimeoutMs / 1000} s`;
