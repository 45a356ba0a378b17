import { toReconError } from '../../db/database-errors.js';

/** What is looked at, how often, and until when. */
export interface PollOptions {
  readonly everyMs: number;
  /** Whether something still waits for the result of a look. */
  readonly isNeeded: () => boolean;
  readonly look: () => Promise<void>;
  /** Rejects everything that waits, because a look failed. */
  readonly fail: (reason: unknown) => void;
}

/** Looks regularly at the state of shared work, as long as something waits for it. */
export class PollWhileNeeded {
  readonly #options: PollOptions;
  #isLooking = false;
  #look: Promise<void> = Promise.resolve();
  #wake: () => void = () => undefined;

  constructor(options: PollOptions) {
    this.#options = options;
  }

  /** Looks at once, and begins to look regularly if it did not. */
  begin(): void {
    if (this.#isLooking) this.#wake();
    else void this.#repeat();
  }

  /** Looks at once if something waits. */
  wake(): void {
    this.#wake();
  }

  /** Resolves when the look that is in progress has ended. Never rejects. */
  looked(): Promise<void> {
    return this.#look;
  }

  async #repeat(): Promise<void> {
    const { everyMs, isNeeded, look, fail } = this.#options;
    this.#isLooking = true;
    while (isNeeded()) {
      let timer: NodeJS.Timeout | undefined;
      const pause = new Promise<void>((resolve) => {
        this.#wake = resolve;
        timer = setTimeout(resolve, everyMs);
      });
      this.#look = look().catch((thrown: unknown) => {
        fail(toReconError(thrown) ?? thrown);
      });
      await this.#look;
      await pause;
      clearTimeout(timer);
    }
    this.#isLooking = false;
  }
}
