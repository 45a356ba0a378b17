import { isIP } from 'node:net';
import { checkServerIdentity, rootCertificates, type ConnectionOptions } from 'node:tls';
import { Client, FTPError, type FTPResponse } from 'basic-ftp';
import { ReconError, messageOf, type ErrorCode } from '../errors.js';
import { networkCause } from '../values/network-causes.js';
import { mayBeRefused, newLogin, unansweredLogin, type LoginProgress } from './login-progress.js';
import type { FtpSource } from './source-settings.js';
import { DeadlineExceeded, withDeadline } from './with-deadline.js';

/** Bytes of one listing; a longer listing fails instead of filling the memory. */
const listingBytes = 64 * 1024 * 1024;

/** A server that does not greet was reached. */
type Stage = 'connect' | 'greet' | 'protect' | 'login' | 'prepare';

export const nameSource = (source: FtpSource) =>
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
      `${nameSource(source)} is plain FTP, which sends the password unencrypted; allowInsecure is not set.`,
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
  const fail = (code: ErrorCode, sentence: string) =>
    new ReconError(code, `${nameSource(source)} ${sentence}`, { cause: thrown });
  if (thrown instanceof FTPError) {
    // 4xx is a refusal for now (too many connections); 430 is not: some servers send it for a wrong password.
    const isForNow = thrown.code >= 400 && thrown.code < 500 && thrown.code !== 430;
    if (isForNow || stage === 'connect' || stage === 'greet') {
      return fail('SOURCE_UNREACHABLE', `is not ready (reply ${thrown.code}).`);
    }
    if (stage === 'protect') {
      return fail('SOURCE_INSECURE', `does not offer TLS (reply ${thrown.code}); the password was not sent.`);
    }
    return stage === 'login'
      ? fail('SOURCE_AUTHENTICATION', refusal(source, progress, thrown.code))
      : fail('SOURCE_UNREACHABLE', `does not send files in binary mode (reply ${thrown.code}).`);
  }
  const hasNoAnswer = thrown instanceof DeadlineExceeded || /timeout/i.test(messageOf(thrown));
  if (mayBeRefused(progress)) {
    const how = hasNoAnswer ? noAnswer(thrown, source) : 'it closed the connection';
    return unansweredLogin(nameSource(source), source.username, progress, how, thrown);
  }
  if (stage === 'greet') {
    const how = hasNoAnswer ? noAnswer(thrown, source) : 'it closed the connection';
    return fail(
      'SOURCE_UNREACHABLE',
      `accepted the connection and sent no greeting (${how}). ${expectsTls(source)}`,
    );
  }
  if (thrown instanceof DeadlineExceeded) {
    return fail('SOURCE_UNREACHABLE', `could not be reached: ${thrown.message}.`);
  }
  const { code } = thrown as { code?: unknown };
  const name = typeof code === 'string' ? code : '';
  if (/CERT|SELF_SIGNED|ALTNAME|UNABLE_TO|ISSUER|CRL/.test(name)) {
    return fail(
      'SOURCE_CERTIFICATE',
      `has a certificate that is not accepted (${name}); no password was sent.`,
    );
  }
  if (source.tls === 'implicit' && name === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return fail(
      'SOURCE_INSECURE',
      'answered without TLS; no password was sent. With tls: implicit, TLS begins at once (usually port 990). If the server offers AUTH TLS (usually port 21), set tls: explicit.',
    );
  }
  if (/^ERR_SSL|^ERR_TLS|EPROTO/.test(name)) {
    return fail('SOURCE_INSECURE', `does not speak TLS 1.2 or newer (${name}); no password was sent.`);
  }
  if (hasNoAnswer) return fail('SOURCE_UNREACHABLE', 'could not be reached: no answer.');
  return fail(
    'SOURCE_UNREACHABLE',
    `could not be reached: ${name === '' ? 'no session' : networkCause(name)}.`,
  );
}

function refusal(source: FtpSource, progress: LoginProgress, code: number): string {
  return progress.sent === undefined
    ? `refused user ${source.username} before it asked for the password, which was not sent (reply ${code}).`
    : `refused user ${source.username} with its password (reply ${code}).`;
}

/** What is likely wrong with a server that waits for the first word. */
function expectsTls({ tls }: FtpSource): string {
  const setting = tls === null ? 'protocol: ftps with tls: implicit' : 'tls: implicit';
  return `If it expects TLS at once (usually on port 990), set ${setting}.`;
}

/** The library's own timeout does not say how long it waited. */
const noAnswer = (thrown: unknown, source: FtpSource) =>
  thrown instanceof DeadlineExceeded ? thrown.message : `no answer within ${source.stallTimeoutMs / 1000} s`;
