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
  if (/authentication methods/.test(text)) {
    return new ReconError('SOURCE_AUTHENTICATION', `${where} ${refusal(source, progress)}`, {
      cause: thrown,
    });
  }
  if (/privateKey|private key|passphrase/i.test(text)) {
    return new ReconError(
      'SOURCE_AUTHENTICATION',
      `${where} has a private key that cannot be used (wrong passphrase, or not a private key); nothing was transferred.`,
      { cause: thrown },
    );
  }
  const hasNoAnswer = thrown instanceof DeadlineExceeded || /timed out/i.test(text);
  if (progress.isAccepted) {
    const how = hasNoAnswer ? noAnswer(source) : 'it refused, or answered with something else';
    return new ReconError(
      'SOURCE_UNREACHABLE',
      `${where} accepted the login of user ${source.username}, but did not start SFTP (${how}). Its operator must allow SFTP for this user.`,
      { cause: thrown },
    );
  }
  if (mayBeRefused(progress)) {
    const how = hasNoAnswer ? noAnswer(source) : 'it closed the connection';
    return unansweredLogin(where, source.username, progress, how, thrown);
  }
  const { code } = thrown as { code?: unknown };
  const detail = hasNoAnswer
    ? noAnswer(source)
    : typeof code === 'string' && /^E[A-Z]+$/.test(code)
      ? networkCause(code)
      : /no matching/i.test(text)
        ? 'no common algorithms'
        : 'no session';
  return new ReconError('SOURCE_UNREACHABLE', `${where} could not be reached: ${detail}.`, {
    cause: thrown,
  });
}

const noAnswer = (source: SftpLogin) => `no answer within ${source.connectTimeoutMs / 1000} s`;

/** Says which user and credentials were refused, and which ways to log in the server offers. */
function refusal(source: SftpLogin, { sent, isPartial, offered }: LoginProgress): string {
  const has = [
    ...(source.password === null ? [] : ['a password']),
    ...(source.privateKey === null ? [] : ['a private key']),
  ].join(' and ');
  if (sent !== undefined && isPartial) {
    return `accepted the ${sent} of user ${source.username} and asks for ${showOffered(offered)} as well, and the ${source.kind ?? 'source'} has only ${has}. Nothing was transferred.`;
  }
  return sent === undefined
    ? `offers ${showOffered(offered)} to user ${source.username}, and the ${source.kind ?? 'source'} has ${has}; nothing was sent.`
    : `refused user ${source.username} with its ${sent}; it offers ${showOffered(offered)}. Nothing was transferred.`;
}
