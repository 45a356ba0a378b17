import type { Logger } from 'pino';
import { ReconError } from '../../errors.js';
import type { RemoteFolder, RemoteSource } from '../../remote/remote-folder.js';
import { remoteSource } from '../../remote/remote-source.js';
import type { SourceSettings } from '../../remote/source-settings.js';
import type { RefusedLogins } from '../../remote/refused-logins.js';
import { fetchInterruption } from '../../remote/with-deadline.js';

/** What a session with a source needs besides its settings. */
export interface SessionDependencies {
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly signal: AbortSignal;
  readonly logger?: Logger;
  /** Shared by the whole run, so that no source repeats a refused login. */
  readonly refusedLogins: RefusedLogins;
}

/** A connection to a source, opened when it is needed and again after it was lost. */
export class SourceSession {
  readonly #name: string;
  readonly #remote: RemoteSource;
  readonly #dependencies: SessionDependencies;
  #folder: RemoteFolder | undefined;
  /** Counts the calls of `end`: work that began before the last of them is given up. */
  #ended = 0;
  #failedToOpen: unknown;
  readonly #isBeside: boolean;

  /**
   * @param place `beside` for a session beside others, which a server refuses if it limits their number. Such a session
   *   is not tried again, and its refusal says nothing about the login, because another session is open with it.
   */
  constructor(
    source: SourceSettings,
    dependencies: SessionDependencies,
    place: 'first' | 'beside' = 'first',
  ) {
    this.#name = source.name;
    this.#remote = remoteSource(source);
    this.#dependencies = dependencies;
    this.#isBeside = place === 'beside';
  }

  /** Warnings about insecure settings of the source. */
  get warnings(): readonly string[] {
    return this.#remote.warnings;
  }

  /**
   * Does a piece of work, with a new connection and a pause between tries. A session that the server closed while it
   * was idle does not count as a try: it is opened again at once.
   */
  async do<T>(work: (folder: RemoteFolder) => Promise<T>): Promise<T> {
    const { attempts } = this.#remote;
    const ended = this.#ended;
    let mayHaveIdled = true;
    let attempt = 1;
    for (;;) {
      this.#stopIfAborted();
      const wasOpen = this.#folder !== undefined;
      try {
        const folder = await this.#open();
        if (this.#ended !== ended) throw fetchInterruption(this.#dependencies.signal);
        return await work(folder);
      } catch (thrown) {
        const failure = await this.#failureToRetry(thrown, ended);
        if (wasOpen && mayHaveIdled && failure.code === 'SOURCE_UNREACHABLE') {
          mayHaveIdled = false;
          continue;
        }
        if (attempt >= attempts) throw failure;
        await this.#pause(attempt, attempts, failure);
        if (this.#ended !== ended) throw failure;
        attempt += 1;
      } finally {
        if (this.#ended > 0) await this.#close();
      }
    }
  }

  /** The error, if another try with a new connection may help; throws it otherwise. */
  async #failureToRetry(thrown: unknown, ended: number): Promise<ReconError> {
    const mayHelp = thrown instanceof ReconError && thrown.retry === 'at once';
    if (mayHelp || !(thrown instanceof ReconError)) await this.#close();
    this.#stopIfAborted();
    if (!mayHelp || this.#ended !== ended || (this.#isBeside && this.couldNotOpen(thrown))) throw thrown;
    return thrown;
  }

  /** Opens the connection before there is work for it. */
  async open(): Promise<void> {
    this.#stopIfAborted();
    await this.#open();
  }

  /** Whether this error prevented a connection: then the source failed, not a file. */
  couldNotOpen(thrown: unknown): boolean {
    return thrown === this.#failedToOpen;
  }

  /** Closes the connection, and gives up its work. Later work (such as `dispose`) opens a new one. Never throws. */
  async end(): Promise<void> {
    this.#ended += 1;
    await this.#close();
  }

  #stopIfAborted(): void {
    if (this.#dependencies.signal.aborted) throw fetchInterruption(this.#dependencies.signal);
  }

  async #open(): Promise<RemoteFolder> {
    if (this.#folder !== undefined) return this.#folder;
    const { refusedLogins } = this.#dependencies;
    const { account } = this.#remote;
    try {
      refusedLogins.refuseRepeated(account, this.#name);
      this.#folder = await this.#remote.open(this.#dependencies.signal);
      return this.#folder;
    } catch (thrown) {
      if (!this.#isBeside) refusedLogins.remember(account, this.#name, thrown);
      this.#failedToOpen = thrown;
      throw thrown;
    }
  }

  async #close(): Promise<void> {
    const folder = this.#folder;
    this.#folder = undefined;
    await folder?.close();
  }

  async #pause(attempt: number, attempts: number, { code, message }: ReconError): Promise<void> {
    // Half fixed, half random: sources that failed together do not retry together.
    const pauseMs = Math.round(1000 * 2 ** (attempt - 1) * (0.5 + this.#dependencies.random() / 2));
    this.#dependencies.logger?.warn({ source: this.#name, code, attempt, attempts, pauseMs }, message);
    await this.#dependencies.sleep(pauseMs);
  }
}
