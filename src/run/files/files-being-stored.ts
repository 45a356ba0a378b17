import type { FileOutcome } from '../../outcome.js';
import type { LeftFile } from './left-at-source.js';

/** A fetched file that is being stored. */
export interface FileBeingStored {
  /** Rejects when the run cannot go on. */
  readonly stored: Promise<readonly FileOutcome[]>;
  /** Disposes of the remote file and remembers it, once it is stored. Returns what was left at the source. */
  finish(outcomes: readonly FileOutcome[]): Promise<readonly LeftFile[]>;
}

/** The fetched files that are being stored. They are finished in the order in which they were fetched. */
export class FilesBeingStored {
  readonly outcomes: FileOutcome[] = [];
  readonly left: LeftFile[] = [];
  readonly #files: (FileBeingStored & { isStored: boolean })[] = [];

  add(file: FileBeingStored): void {
    const added = { ...file, isStored: false };
    const done = () => {
      added.isStored = true;
    };
    file.stored.then(done, done);
    this.#files.push(added);
  }

  /** Finishes the files that are stored, up to the first that is not. */
  async finishStored(): Promise<void> {
    // Lets the handlers in `add` run for promises that have settled already.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#files[0]?.isStored === true) await this.#finishFirst();
  }

  /** Waits for every file, and finishes it. */
  async finishAll(): Promise<void> {
    while (this.#files.length > 0) await this.#finishFirst();
  }

  async #finishFirst(): Promise<void> {
    const file = this.#files.shift();
    if (file === undefined) return;
    const outcomes = await file.stored;
    this.left.push(...(await file.finish(outcomes)));
    this.outcomes.push(...outcomes);
  }
}
