import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { messageOf } from '../../errors.js';
import type { Logger } from '../../logger.js';

/** The registration of this process as a user of the embedded server. */
export interface KeptRegistration {
  /** Stops registering, once an attempt in progress has ended. The caller ends the session that is returned. */
  leave(): Promise<postgres.Sql>;
}

/** Long enough for a server that restarts itself, and for a command that ends because it lost its connection. */
const startAfterMs = 3_000;
const firstPauseMs = 100;
/**
 * While no server runs, a look at a file. If another command starts the server, this process must be registered before
 * that command ends and stops it again.
 */
const longestPauseMs = 1_000;
const longestPauseAfterFailureMs = 30_000;

/**
 * @param lost called when the connection of the session has ended
 * @param options.mayStart whether a server that was killed may be started again
 * @returns undefined if no server runs and none may be started
 */
export type Register = (
  lost: () => void,
  options: { readonly mayStart: boolean },
) => Promise<postgres.Sql | undefined>;

/**
 * Registers this process as a user of the embedded server, again whenever the session that does so is lost. A server
 * that restarts itself because one of its sessions was killed ends all of them; without its registration, this process
 * would lose the server as soon as any other command ends. If the server itself was killed, nobody else would start it
 * for a process that stays up.
 */
export async function keepRegistered(
  register: Register,
  logger: Logger | undefined,
): Promise<KeptRegistration> {
  const keeper = new Keeper(register, logger);
  await keeper.begin();
  return keeper;
}

const stopped =
  'The embedded database was stopped. It is used again as soon as another command starts it; otherwise start this program again.';

class Keeper implements KeptRegistration {
  readonly #register: Register;
  readonly #logger: Logger | undefined;
  readonly #leaving = new AbortController();
  #user: postgres.Sql | undefined;
  #regaining: Promise<void> | undefined;

  constructor(register: Register, logger: Logger | undefined) {
    this.#register = register;
    this.#logger = logger;
  }

  async begin(): Promise<void> {
    await this.#tryToRegister({ mayStart: true });
  }

  async leave(): Promise<postgres.Sql> {
    this.#leaving.abort();
    await this.#regaining;
    if (this.#user === undefined) throw new Error('a process that was never registered cannot leave');
    return this.#user;
  }

  async #tryToRegister(options: { readonly mayStart: boolean }): Promise<boolean> {
    const taken: { session?: postgres.Sql } = {};
    // Until the session is there, its loss is an error of `register`.
    const lost = () => {
      if (taken.session !== undefined && taken.session === this.#user) this.#lost();
    };
    const session = await this.#register(lost, options);
    if (session === undefined) return false;
    taken.session = session;
    this.#user = session;
    return true;
  }

  #isLeaving(): boolean {
    return this.#leaving.signal.aborted;
  }

  #lost(): void {
    if (this.#isLeaving()) return;
    this.#regaining ??= this.#regain().finally(() => (this.#regaining = undefined));
  }

  async #regain(): Promise<void> {
    const { signal } = this.#leaving;
    const since = performance.now();
    let isFailing = false;
    let isStopped = false;
    await this.#user?.end({ timeout: 0 });
    let pauseMs = firstPauseMs;
    for (;;) {
      // It ends early when the process leaves.
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (this.#isLeaving()) return;
      const mayStart = performance.now() - since > startAfterMs;
      try {
        if (await this.#tryToRegister({ mayStart })) {
          this.#logger?.warn('The embedded database ended and runs again.');
          return;
        }
        pauseMs = Math.min(pauseMs * 2, longestPauseMs);
        if (mayStart && !isStopped) this.#logger?.error(stopped);
        isStopped ||= mayStart;
      } catch (thrown) {
        const message = `The embedded database ended, and could not be used again; it is tried again. ${messageOf(thrown)}`;
        if (!isFailing) this.#logger?.error(message);
        isFailing = true;
        pauseMs = Math.min(pauseMs * 2, longestPauseAfterFailureMs);
      }
    }
  }
}
