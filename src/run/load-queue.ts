import type { Turn } from '../intake/commit-turn.js';

/**
 * The files that a run loads at once. They are in a queue: each copies its rows when there is room, and is finished in
 * its turn. So the result does not depend on how many files are loaded at once.
 */
export class LoadQueue {
  #filesAtOnce: number;
  readonly #loading = new Set<Promise<unknown>>();
  readonly #bySha256 = new Map<string, Promise<unknown>>();
  /** Resolves when every file so far is finished; rejects with the failure of the first that failed. */
  #finished: Promise<unknown> = Promise.resolve();
  #failure: { readonly thrown: unknown } | undefined;

  constructor(filesAtOnce: number) {
    this.#filesAtOnce = filesAtOnce;
  }

  /** From now on, this many files may be in the queue. */
  widen(files: number): void {
    this.#filesAtOnce = files;
  }

  /**
   * Waits until another file may be loaded.
   *
   * @throws the failure of a file, after which no other may be loaded
   */
  async room(): Promise<void> {
    while (this.#failure === undefined && this.#loading.size >= this.#filesAtOnce)
      await Promise.race(this.#loading).catch(() => undefined);
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }

  /** Does work in its turn for a file that is neither loaded nor rejected, so that its log lines are in order too. */
  inTurn<T>(work: () => T): Promise<T> {
    return this.start(null, async (turn) => {
      await turn.come();
      return work();
    });
  }

  /**
   * Starts to load the next file. A failure that nobody awaits is thrown by `room`.
   *
   * @param sha256 null for work about a file that is not stored
   */
  start<T>(sha256: string | null, load: (turn: Turn) => Promise<T>): Promise<T> {
    const earlier = this.#finished;
    const same = sha256 === null ? Promise.resolve() : this.finished(sha256);
    const loaded = same.then(() => load({ come: () => earlier.then(() => undefined) }));
    const ended = loaded.then(
      () => undefined,
      (thrown: unknown) => {
        this.#failure ??= { thrown };
        throw thrown;
      },
    );
    this.#loading.add(ended);
    if (sha256 !== null) this.#bySha256.set(sha256, ended);
    const leave = () => {
      this.#loading.delete(ended);
      if (sha256 !== null && this.#bySha256.get(sha256) === ended) this.#bySha256.delete(sha256);
    };
    ended.then(leave, leave);
    this.#finished = earlier.then(() => ended);
    for (const each of [loaded, this.#finished]) each.catch(() => undefined);
    return loaded;
  }

  /** Waits until the same bytes, if they are being loaded, are finished. Never throws. */
  async finished(sha256: string): Promise<void> {
    await this.#bySha256.get(sha256)?.catch(() => undefined);
  }

  /** Waits until no file is being loaded. Never throws. */
  async drain(): Promise<void> {
    await Promise.allSettled(this.#loading);
  }
}
