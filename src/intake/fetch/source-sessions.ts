import type { Logger } from 'pino';
import { isSourceFailure, messageOf } from '../../errors.js';
import type { RemoteFolder } from '../../remote/remote-folder.js';
import { downloadsAtOnce, type SourceSettings } from '../../remote/source-settings.js';
import { SourceSession, type SessionDependencies } from './source-session.js';

/**
 * The sessions of one source, each for one piece of work at a time. The first is opened for the listing, another when
 * all are busy. If a server refuses one more, those that are open are used. Work that fails for lack of a connection
 * while several are open is done again by the first alone, so only a failure that also happens with one session is
 * reported.
 */
export class SourceSessions {
  readonly #source: SourceSettings;
  readonly #dependencies: SessionDependencies & { readonly logger: Logger };
  readonly #first: SourceSession;
  readonly #all = new Set<SourceSession>();
  readonly #idle: SourceSession[] = [];
  /** Ends those beside the first, also while they are opened. */
  readonly #noMore = new AbortController();
  readonly #follow = () => this.#noMore.abort(this.#dependencies.signal.reason);
  #most: number;
  /** How many were opened beside the first, or are being opened. */
  #opened = 0;
  #opening: Promise<void> | undefined;
  #waiting: (() => void)[] = [];

  constructor(source: SourceSettings, dependencies: SessionDependencies & { readonly logger: Logger }) {
    this.#source = source;
    this.#dependencies = dependencies;
    this.#most = downloadsAtOnce(source);
    this.#first = new SourceSession(source, dependencies);
    this.#all.add(this.#first);
    this.#idle.push(this.#first);
    dependencies.signal.addEventListener('abort', this.#follow, { once: true });
  }

  /** Warnings about insecure settings of the source. */
  get warnings(): readonly string[] {
    return this.#first.warnings;
  }

  /** How many pieces of work can be done at once; fewer once the server has refused a session. */
  get most(): number {
    return this.#most;
  }

  /** Does a piece of work with a session that is free; see `SourceSession.do`. */
  async do<T>(work: (folder: RemoteFolder) => Promise<T>): Promise<T> {
    const session = await this.#take();
    const others = this.#all.size - 1;
    const opened = this.#opened;
    try {
      return await session.do(work);
    } catch (thrown) {
      const isAlone = others === 0 && opened === this.#opened;
      const isLost = isSourceFailure(thrown) && (thrown.of === 'connection' || session.couldNotOpen(thrown));
      if (isAlone || !isLost || this.#dependencies.signal.aborted) throw thrown;
      this.#limit(1, thrown.code, thrown.message);
    } finally {
      this.#release(session);
    }
    const alone = await this.#take('alone');
    try {
      return await alone.do(work);
    } finally {
      this.#release(alone);
    }
  }

  /** Whether this error prevented a connection: then the source failed, not a file. */
  couldNotOpen(thrown: unknown): boolean {
    return this.#first.couldNotOpen(thrown);
  }

  /** Closes the connections, and gives up their work. Later work (such as `dispose`) opens one again. Never throws. */
  async end(): Promise<void> {
    this.#most = 1;
    this.#dependencies.signal.removeEventListener('abort', this.#follow);
    this.#noMore.abort();
    await Promise.all([this.#opening, ...[...this.#all].map((session) => session.end())]);
    for (const idle of this.#idle.splice(0)) this.#release(idle);
  }

  async #take(how?: 'alone'): Promise<SourceSession> {
    for (;;) {
      const isFree = how === undefined || this.#all.size === 1;
      const idle = isFree ? this.#idle.pop() : undefined;
      if (idle !== undefined) return idle;
      // One after the other, so that a server with a limit refuses only one.
      if (this.#all.size < this.#most)
        this.#opening ??= this.#openAnother().finally(() => (this.#opening = undefined));
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async #openAnother(): Promise<void> {
    this.#opened += 1;
    const session = new SourceSession(
      this.#source,
      { ...this.#dependencies, signal: this.#noMore.signal },
      'beside',
    );
    try {
      await session.open();
      this.#all.add(session);
      this.#release(session);
    } catch (thrown) {
      if (this.#noMore.signal.aborted) return;
      const { code, message } = isSourceFailure(thrown)
        ? thrown
        : { code: 'none', message: messageOf(thrown) };
      this.#limit(this.#all.size, code, message);
    }
  }

  #release(session: SourceSession): void {
    if (session === this.#first || this.#all.size <= this.#most) this.#idle.push(session);
    else {
      this.#all.delete(session);
      void session.end();
    }
    this.#wake();
  }

  #limit(most: number, code: string, why: string): void {
    if (most >= this.#most) return;
    this.#most = most;
    this.#dependencies.logger.warn(
      { source: this.#source.name, code, sessions: most },
      `A session beside ${this.#all.size === 1 ? 'the first' : 'others'} failed, so ${most === 1 ? '1 is' : `${most} are`} used from now on. If the server allows no more, set downloadsAtOnce: ${most}. ${why}`,
    );
    for (const idle of this.#idle.splice(0)) this.#release(idle);
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
