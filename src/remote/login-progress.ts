import { ReconError } from '../errors.js';

/**
 * The progress of a login. Once a password or key was sent, everything except an acceptance counts as a refusal:
 * a server that delays its refusals, or closes the connection instead, would otherwise get the password once per
 * attempt and lock the account.
 */
export interface LoginProgress {
  /** What was sent last; undefined before anything was sent. */
  sent: 'password' | 'private key' | undefined;
  isAccepted: boolean;
  /** Whether the server accepted what was sent last, and asks for more. */
  isPartial: boolean;
  /** What the server asked for after it got the password; undefined if nothing. */
  askedFor: 'a new password' | 'another answer' | undefined;
  /** What the server asked for that is not one hidden password; undefined if nothing. */
  cannotAnswer:
    | 'several answers at once, such as a password and a code'
    | 'an answer that is shown while it is typed, such as a code'
    | undefined;
  /** What became of the private key before the server asked for that; undefined if none was sent. */
  keyWas: 'accepted' | 'refused' | undefined;
  /** The ways to log in that the server offers to this user, as it named them; empty until it has named any. */
  offered: readonly string[];
}

/** A login that has sent nothing yet. */
export const newLogin = (): LoginProgress => ({
  sent: undefined,
  isAccepted: false,
  isPartial: false,
  askedFor: undefined,
  cannotAnswer: undefined,
  keyWas: undefined,
  offered: [],
});

/** Whether a failure of the connection must count as a refusal. */
export const mayBeRefused = ({ sent, isAccepted }: LoginProgress) => sent !== undefined && !isAccepted;

/** A login that the server neither accepted nor refused. */
export interface UnansweredLogin {
  /** The source and its server, as messages name them. */
  readonly where: string;
  readonly username: string;
  /** What was sent last; undefined counts as the password. */
  readonly sent: LoginProgress['sent'];
  /** What happened instead of an answer, such as `no answer within 20 s`. */
  readonly how: string;
  readonly cause: unknown;
}

/** The error for it. It counts as a refusal, and is not tried again. */
export function unansweredLogin({ where, username, sent, how, cause }: UnansweredLogin): ReconError {
  return new ReconError(
    'SOURCE_AUTHENTICATION',
    `${where} did not accept the login of user ${username}: ${how} after the ${sent ?? 'password'} was sent. ` +
      'That counts as a refusal and is not tried again in this run, since each try may count towards a lock-out. ' +
      'If the server is only slow, raise connectTimeoutMs and stallTimeoutMs.',
    { cause },
  );
}

/** The ways to log in that a server offers, made safe for a message: it may send any bytes. */
export function showOffered(offered: readonly string[]): string {
  const names = offered.filter((name) => /^[a-z0-9@._-]{1,40}$/i.test(name)).slice(0, 10);
  return names.length === 0 ? 'no way to log in' : names.join(', ');
}
