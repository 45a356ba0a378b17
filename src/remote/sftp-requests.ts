import ssh2 from 'ssh2';
import { ReconError, type ErrorCode } from '../errors.js';
import { connectSftp, type SftpSession } from './connect-sftp.js';
import { nameSftpSource } from './sftp-login-errors.js';
import type { SftpLogin } from './source-settings.js';
import { DeadlineExceeded, watchProgress, type Watch } from './with-deadline.js';

/** Status codes as the plain numbers that errors carry. */
export const STATUS_CODE: Readonly<
  Record<'EOF' | 'NO_SUCH_FILE' | 'FAILURE' | 'NO_CONNECTION' | 'CONNECTION_LOST', number>
> = ssh2.utils.sftp.STATUS_CODE;

/** The status that a server answered a request with; undefined for any other failure. */
export function sftpStatusOf(failed: unknown): number | undefined {
  const code = (failed as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'number' ? code : undefined;
}

/** A session in which every wait has a deadline and ends with the signal. */
export interface SftpRequests {
  readonly session: SftpSession;
  readonly where: string;
  /**
   * Does work of several requests.
   *
   * @param totalMs its deadline; it also ends when it makes no progress for `stallTimeoutMs`
   * @param what what it does, to follow "could not"
   * @param code the error when the server refuses it
   */
  readonly attempt: <T>(
    totalMs: number,
    what: string,
    code: ErrorCode,
    work: (watch: Watch) => Promise<T>,
  ) => Promise<T>;
  /** Does work of a single request. */
  readonly ask: <T>(what: string, code: ErrorCode, work: () => Promise<T>) => Promise<T>;
  /** Never throws. */
  readonly close: () => Promise<void>;
}

/** Logs in. Once the server did not answer, the connection is dropped without a farewell. */
export async function openSftpRequests(
  login: SftpLogin & { readonly stallTimeoutMs: number },
  signal: AbortSignal,
): Promise<SftpRequests> {
  const session = await connectSftp(login, signal);
  const where = nameSftpSource(login);
  let isBroken = false;
  session.gone.catch(() => (isBroken = true));
  const attempt: SftpRequests['attempt'] = async (totalMs, what, code, work) => {
    const watch = watchProgress(login.stallTimeoutMs, totalMs, signal);
    try {
      const done = work(watch);
      // If the watch is first, a later failure of the work must not become an unhandled rejection.
      done.catch(() => undefined);
      return await Promise.race([done, session.gone, watch.lost]);
    } catch (thrown) {
      const error = requestError(thrown, where, what, code);
      isBroken ||= error.code === 'SOURCE_STALLED' || error.code === 'SOURCE_UNREACHABLE' || signal.aborted;
      throw error;
    } finally {
      watch.end();
    }
  };
  return {
    session,
    where,
    attempt,
    ask: (what, code, work) => attempt(login.stallTimeoutMs, what, code, work),
    close: async () => {
      if (isBroken) session.destroy();
      else await session.end();
    },
  };
}

/** Turns a failure of a request into an error with a message for people. */
function requestError(thrown: unknown, where: string, what: string, code: ErrorCode): ReconError {
  if (thrown instanceof ReconError) return thrown;
  const fail = (reason: ErrorCode, sentence: string) => new ReconError(reason, sentence, { cause: thrown });
  if (thrown instanceof DeadlineExceeded)
    return fail('SOURCE_STALLED', `${where} did not ${what}: ${thrown.message}; no part of it was kept.`);
  const status = sftpStatusOf(thrown);
  // A number is the server's own answer; everything else is the connection's.
  if (status === undefined || status === STATUS_CODE.NO_CONNECTION || status === STATUS_CODE.CONNECTION_LOST)
    return fail('SOURCE_UNREACHABLE', `The connection to ${where} was lost; it could not ${what}.`);
  if (status === STATUS_CODE.NO_SUCH_FILE && code === 'FILE_UNREADABLE')
    return fail('FILE_VANISHED', `${where} could not ${what}: it no longer exists.`);
  return fail(code, `${where} could not ${what}: ${meanings[status] ?? `status ${status}`}.`);
}

/** Protocol statuses in our words: the server's own text may contain anything, even a password. */
const meanings: Readonly<Record<number, string>> = {
  2: 'it does not exist',
  3: 'no permission',
  4: 'the server failed',
  5: 'the server did not understand',
  8: 'the server does not support it',
};
