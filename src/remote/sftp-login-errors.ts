import { ReconError, messageOf } from '../errors.js';
import { networkCause } from '../values/network-causes.js';
import { mayBeRefused, showOffered, unansweredLogin, type LoginProgress } from './login-progress.js';
import type { SftpLogin } from './source-settings.js';
import { DeadlineExceeded } from './with-deadline.js';

/** How messages name the server of a source or a target. */
export const nameSftpSource = (source: SftpLogin) =>
  `${source.kind ?? 'source'} ${source.name} (sftp ${source.host}:${source.port})`;

/** Turns a failure of connecting or logging in into a message for people. */
export function connectionError(
  thrown: unknown,
  source: SftpLogin,
  progress: LoginProgress,
  signal: AbortSignal,
): unknown {
  if (signal.aborted || thrown instanceof ReconError) return thrown;
  const where = nameSftpSource(source);
  const text = messageOf(thrown);
  if (progress.cannotAnswer !== undefined && progress.sent !== 'password' && !progress.isAccepted) {
    const sentence = unansweredQuestion(source, progress);
    return new ReconError('SOURCE_AUTHENTICATION', `${where} ${sentence}`, { cause: thrown });
  }
  if (/authentication methods/.test(text)) {
    return new ReconError('SOURCE_AUTHENTICATION', `${where} ${refusal(source, progress)}`, {
      cause: thrown,
    });
  }
  if (/privateKey|private key|passphrase/i.test(text)) {
    return new ReconError(
      'SOURCE_AUTHENTICATION',
      `${where} has a private key that cannot be used: ${keyProblem(source, text)}. Nothing was transferred.`,
      { cause: thrown },
    );
  }
  const missing = negotiated.find(({ name }) => name.test(text));
  if (missing !== undefined) {
    return new ReconError(
      'SOURCE_INSECURE',
      `${where} offers no ${missing.what} that recon accepts, so recon did not log in. Its operator must allow ${missing.accepted}.`,
      { cause: thrown },
    );
  }
  const hasNoAnswer = thrown instanceof DeadlineExceeded || /timed out/i.test(text);
  if (progress.isAccepted) {
    const how = hasNoAnswer ? noAnswer(source) : 'it refused, or answered with something else';
    return new ReconError(
      'SOURCE_UNREACHABLE',
      `${where} accepted the login of user ${source.username}, but did not start SFTP (${how}). Its operator must allow SFTP for this user, or the password of the user has expired.`,
      { cause: thrown },
    );
  }
  if (progress.askedFor !== undefined) {
    const why =
      progress.askedFor === 'a new password'
        ? 'the old one has expired'
        : 'the password is wrong or has expired, or the server wants a second factor, which recon does not have';
    return new ReconError(
      'SOURCE_AUTHENTICATION',
      `${where} asked user ${source.username} for ${progress.askedFor} after the password was sent: ${why}. Nothing was transferred.`,
      { cause: thrown },
    );
  }
  if (mayBeRefused(progress)) {
    const how = hasNoAnswer ? noAnswer(source) : 'it closed the connection';
    return unansweredLogin({ where, username: source.username, sent: progress.sent, how, cause: thrown });
  }
  const { code } = thrown as { code?: unknown };
  const detail = hasNoAnswer
    ? noAnswer(source)
    : typeof code === 'string' && /^E[A-Z]+$/.test(code)
      ? networkCause(code)
      : 'it closed the connection, or is not an SFTP server';
  return new ReconError('SOURCE_UNREACHABLE', `${where} could not be reached: ${detail}.`, {
    cause: thrown,
  });
}

/** What server and client must agree on, as the library names it, and some of what recon accepts. */
const negotiated = [
  {
    name: /no matching key exchange/,
    what: 'key exchange',
    accepted: 'curve25519-sha256, ecdh-sha2-nistp256 or diffie-hellman-group14-sha256',
  },
  {
    name: /no matching host key/,
    what: 'host key',
    accepted: 'ssh-ed25519, ecdsa-sha2-nistp256 or rsa-sha2-256',
  },
  { name: /no matching .*cipher/, what: 'cipher', accepted: 'aes256-gcm@openssh.com or aes256-ctr' },
  { name: /no matching .*MAC/, what: 'MAC', accepted: 'hmac-sha2-256' },
] as const;

/** Why the library cannot use the key, without any part of it. */
function keyProblem({ privateKey, passphrase }: SftpLogin, text: string): string {
  if (/no passphrase given/.test(text)) return 'it is encrypted, and there is no passphrase';
  if (!/unsupported key format/i.test(text)) {
    return passphrase === null
      ? 'it is damaged, or not a private key'
      : 'the passphrase is wrong, or it is damaged';
  }
  if (/^PuTTY-User-Key-File/.test(privateKey ?? ''))
    return "it has PuTTY's format; puttygen FILE -O private-openssh -o NEWFILE converts it";
  if (/BEGIN (?:ENCRYPTED )?PRIVATE KEY/.test(privateKey ?? ''))
    return 'it has the format PKCS#8; ssh-keygen -p -f FILE converts it to that of OpenSSH';
  return 'it is not a private key';
}

/** What the server did before it asked, and what its operator can do. */
function unansweredQuestion({ username }: SftpLogin, { keyWas, cannotAnswer }: LoginProgress): string {
  const asked = `${cannotAnswer ?? ''}. recon has only a password${keyWas === undefined ? '' : ' for that'}, and did not send it.`;
  if (keyWas === undefined)
    return `asked user ${username} for ${asked} Its operator must allow a private key, or the password alone, for this user.`;
  return keyWas === 'accepted'
    ? `accepted the private key of user ${username} and then asked for ${asked} Its operator must allow the private key alone, or with the password, for this user.`
    : `refused the private key of user ${username} and then asked for ${asked} Its operator must allow this key, or the password alone, for this user.`;
}

const noAnswer = (source: SftpLogin) => `no answer within ${source.connectTimeoutMs / 1000} s`;

/** Says which user and credentials were refused, and which ways to log in the server offers. */
function refusal(source: SftpLogin, { sent, isPartial, offered, cannotAnswer }: LoginProgress): string {
  const has = [
    ...(source.password === null ? [] : ['a password']),
    ...(source.privateKey === null ? [] : ['a private key']),
  ].join(' and ');
  if (sent !== undefined && isPartial) {
    return `accepted the ${sent} of user ${source.username} and asks for ${showOffered(offered)} as well, and the ${source.kind ?? 'source'} has only ${has}. Nothing was transferred.`;
  }
  // A wrong password may not be the reason.
  const asked = cannotAnswer === undefined ? '' : ` It asked for ${cannotAnswer}.`;
  return sent === undefined
    ? `offers ${showOffered(offered)} to user ${source.username}, and the ${source.kind ?? 'source'} has ${has}; nothing was sent.`
    : `refused user ${source.username} with its ${sent}; it offers ${showOffered(offered)}.${asked} Nothing was transferred.`;
}
