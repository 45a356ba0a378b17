import { ReconError, messageOf } from '../errors.js';
import { mayBeRefused, showOffered, unansweredLogin, type LoginProgress } from './login-progress.js';
import type { SftpLogin } from './source-settings.js';
import { DeadlineExceeded } from './with-deadline.js';

/** How messages name the server of a source or a target. */
export const nameSource = (source: SftpLogin) =>
  `${source.kind ?? 'source'} ${source.name} (sftp ${source.host}:${source.port})`;

/** Turns a failure of connecting or logging in into a message for people. */
export function connectionError(
  thrown: unknown,
  source: SftpLogin,
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
      `${where} has a private key that cannot be used (wrong passphrase, or not a private key); nothing was transferred.`,
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

const noAnswer = (source: SftpLogin) => `no answer within ${source.connectTimeoutMs / 1000} s`;

/** Says which user and credentials were refused, and which ways to log in the server offers. */
function refusal(source: SftpLogin, { sent, offered }: LoginProgress): string {
  const has = [
    ...(source.password === null ? [] : ['a password']),
    ...(source.privateKey === null ? [] : ['a private key']),
  ].join(' and ');
  return sent === undefined
    ? `offers ${showOffered(offered)} to user ${source.username}, and the ${source.kind ?? 'source'} has ${has}; nothing was sent.`
    : `refused user ${source.username} with its ${sent}; it offers ${showOffered(offered)}. Nothing was transferred.`;
}
