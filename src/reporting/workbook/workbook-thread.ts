import { Worker } from 'node:worker_threads';
import { ReconError } from '../../errors.js';
import { packageFile } from '../../package-files.js';
import type { WrittenFile } from '../folder/report-file.js';
import type { FilePlace } from '../folder/report-folder.js';

/** What the thread writes, and where. */
export interface WorkbookOrder {
  readonly place: FilePlace;
  readonly rowLimit: number;
}

/** What the thread is sent: texts of items (`src/findings/item-texts.ts`), and null after the last. */
export type WorkbookPart = readonly string[] | null;

/** What the thread answers to each part: null for a batch that it wrote, and the file at the end; or why it failed. */
export type WorkbookAnswer =
  { readonly done: WrittenFile | null } | { readonly failed: Pick<ReconError, 'code' | 'message'> };

/** The compiled module, even if tests run this one from the sources: a thread of Node.js cannot load those. */
const program = packageFile('dist/reporting/workbook/workbook-thread-program.js');

/**
 * At most this many batches are on their way: the thread always has one, and memory stays bounded when the thread is
 * the slower one.
 */
const mostOnTheWay = 8;

/** Young objects of the thread live for one batch, so they need little room. */
const resourceLimits = { maxYoungGenerationSizeMb: 3 };

interface Waiting {
  readonly resolve: (done: WrittenFile | null) => void;
  readonly reject: (thrown: unknown) => void;
}

/**
 * Writes `open-items.xlsx` in another thread (`workbook-thread-program.ts`). With very many findings, the report waited
 * for this process alone, which took 13 of 30 µs for the row of an item in the workbook. Items go there as the texts
 * that the server sent and are taken apart twice (3 µs), because copies of the objects would take longer.
 */
export class WorkbookThread {
  readonly #thread: Worker;
  /** One for each part that is not answered yet, the oldest first. */
  readonly #waiting: Waiting[] = [];
  readonly #onTheWay: Promise<unknown>[] = [];
  #failure: { readonly thrown: unknown } | undefined;

  constructor(order: WorkbookOrder, threadStarted: () => void) {
    this.#thread = new Worker(program, { workerData: order, resourceLimits });
    this.#thread.once('online', threadStarted);
    this.#thread.on('message', (answer: WorkbookAnswer) => {
      if ('done' in answer) this.#waiting.shift()?.resolve(answer.done);
      else this.#fail(new ReconError(answer.failed.code, answer.failed.message));
    });
    this.#thread.on('error', (thrown) => {
      this.#fail(thrown);
    });
    this.#thread.on('exit', () => {
      this.#fail(new Error('The thread of the workbook has ended'));
    });
  }

  /** Sends a batch, and waits if too many are on their way. */
  async write(texts: readonly string[]): Promise<void> {
    this.#onTheWay.push(this.#send(texts));
    if (this.#onTheWay.length > mostOnTheWay) await this.#onTheWay.shift();
  }

  /** @returns the file, once it is written whole and synced */
  async finish(): Promise<WrittenFile> {
    const file = await this.#send(null);
    if (file === null) throw new Error('The thread of the workbook answered too early');
    return file;
  }

  /** Ends the thread, even in the middle of its work. Its files are closed then. */
  async close(): Promise<void> {
    await this.#thread.terminate();
  }

  #send(part: WorkbookPart): Promise<WrittenFile | null> {
    const answered = new Promise<WrittenFile | null>((resolve, reject) => {
      if (this.#failure === undefined) this.#waiting.push({ resolve, reject });
      else throw this.#failure.thrown;
    });
    // Whoever sends a later part awaits it; until then a failure must not count as unhandled.
    answered.catch(() => undefined);
    this.#thread.postMessage(part);
    return answered;
  }

  #fail(thrown: unknown): void {
    this.#failure ??= { thrown };
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure.thrown);
  }
}
