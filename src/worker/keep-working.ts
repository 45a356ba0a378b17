import { toReconError } from '../db/database-errors.js';
import { endsWithin } from '../ends-within.js';
import { ReconError } from '../errors.js';
import { claimChannel } from '../intake/claims/file-claim.js';
import { JoinedRun } from './joined-run.js';
import { SharedArchive } from './shared-archive.js';
import { unlessStopped } from './unless-stopped.js';
import { leave, lookForRun, noteArchive, removeKilledWorkers, type OpenRun } from './worker-presence.js';
import type { WorkerSettings } from './worker-settings.js';

/** How often a worker looks for a run, if nobody wakes it. Runs count on it for 20 seconds after each look. */
const idleMs = 5_000;
/** While a run is active: files may be free again because the lease of another worker has ended. */
const busyMs = 1_000;
/** After a failure: a database that is down must not fill the log. */
const failedMs = 5_000;
/** How long a look for a run may still take after the signal, and how long a worker tries to remove its entry. */
const answerMs = 2_000;

/**
 * Downloads and loads files of the active run until it is stopped. Any number of processes may do this, on any machine
 * that has the database and the archive. An idle worker costs a statement every five seconds, and a connection that
 * listens.
 */
export async function keepWorking(settings: WorkerSettings): Promise<void> {
  const { database, worker, logger, signal, graceSeconds } = settings;
  const pause = new Pause();
  const stop = () => pause.wake();
  signal.addEventListener('abort', stop);
  const listening = database.sql
    .listen(claimChannel, () => pause.wake())
    .catch((thrown: unknown) => {
      logger.warn(
        { err: toReconError(thrown) ?? thrown },
        'Runs cannot wake the worker; it looks every 5 seconds.',
      );
      return undefined;
    });
  const joining = new Joining(settings, () => pause.wake());
  try {
    // Without a database, the worker waits for one below.
    await unlessStopped(
      answerMs,
      signal,
      removeKilledWorkers(database.sql).catch(() => undefined),
    );
    while (!signal.aborted) {
      const pauseMs = await unlessStopped(answerMs, signal, joining.step());
      await pause.wait(pauseMs ?? 0);
    }
    logger.info({ files: joining.filesInProgress }, 'The worker stops: it finishes or hands back its files.');
    const isDone = await joining.finish(graceSeconds * 1000);
    if (!isDone) logger.info('The files that were not finished are handed back.');
  } finally {
    signal.removeEventListener('abort', stop);
    await joining.end();
    await endsWithin(
      Promise.allSettled([listening.then((each) => each?.unlisten()), leave(database.sql, worker)]),
      answerMs,
    );
  }
}

/** A pause that ends early when `wake` is called, also if that was before it began. */
class Pause {
  #isWoken = false;
  #end: () => void = () => undefined;

  wake(): void {
    this.#isWoken = true;
    this.#end();
  }

  async wait(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#end = resolve;
      if (this.#isWoken) resolve();
      else timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
    this.#isWoken = false;
  }
}

/** Joins the run that is active, and leaves it when it is over. */
class Joining {
  readonly #settings: WorkerSettings;
  readonly #wake: () => void;
  readonly #archive: SharedArchive;
  #archiveProblem: string | null = null;
  #joined: JoinedRun | undefined;
  #refused: bigint | undefined;
  #isFailing = false;

  constructor(settings: WorkerSettings, wake: () => void) {
    this.#settings = settings;
    this.#wake = wake;
    this.#archive = new SharedArchive(settings.database.sql, settings.archive);
  }

  get filesInProgress(): number {
    return this.#joined?.filesInProgress ?? 0;
  }

  /** Takes what there is to load. Returns how long to wait then. */
  async step(): Promise<number> {
    const { database, worker, logger, counts } = this.#settings;
    try {
      const run = await lookForRun(database.sql, worker);
      // A worker that loads files has just read the archive.
      if (this.filesInProgress === 0) await this.#checkArchive();
      if (this.#isFailing) logger.info('The database can be reached again.');
      this.#isFailing = false;
      if (this.#joined !== undefined && this.#joined.token !== run?.token) await this.end();
      counts.refusesRun = run !== null && this.#refuses(run);
      if (run === null || counts.refusesRun) return idleMs;
      this.#joined ??= new JoinedRun(this.#settings, run, this.#wake);
      if (this.#archiveProblem === null) await this.#joined.takeDownloads();
      await this.#joined.takeFiles();
      return busyMs;
    } catch (thrown) {
      const err = toReconError(thrown) ?? thrown;
      // The run ended meanwhile, or another one took its place.
      if (err instanceof ReconError && err.code === 'RUN_REPLACED') return busyMs;
      if (!this.#isFailing) logger.error({ err }, 'The worker cannot look for files; it tries again.');
      this.#isFailing = true;
      return failedMs;
    }
  }

  /** Reports a folder that is not mounted at once, and not only with the first file of the next run. */
  async #checkArchive(): Promise<void> {
    const { database, worker, logger } = this.#settings;
    const found = await this.#archive.check(performance.now());
    if (found === null) return;
    const problem = found.problem?.message ?? null;
    await noteArchive(database.sql, worker, problem);
    if (found.problem !== null && problem !== this.#archiveProblem)
      logger.error({ code: found.problem.code }, found.problem.message);
    else if (problem === null && this.#archiveProblem !== null)
      logger.info('The archive of the runs can be read again.');
    this.#archiveProblem = problem;
  }

  /** A file must be loaded in the same way whoever loads it, so only the same release may. */
  #refuses({ id, token, version }: OpenRun): boolean {
    const { worker, logger } = this.#settings;
    const refuses = version !== worker.version;
    if (refuses && this.#refused !== token) {
      this.#refused = token;
      const theirs = version === null ? 'is of a release without workers' : `has version ${version}`;
      logger.warn(
        { runId: id, version: worker.version },
        `This worker has version ${worker.version} and does not join run ${id}, which ${theirs}. Install the same release on both; the run loads its files without this worker.`,
      );
    }
    return refuses;
  }

  /** Waits for the files in progress. Returns whether they are done. */
  async finish(withinMs: number): Promise<boolean> {
    const joined = this.#joined;
    if (joined === undefined || joined.filesInProgress === 0) return true;
    return endsWithin(joined.finished(), withinMs);
  }

  /** Hands back what is not finished. */
  async end(): Promise<void> {
    const joined = this.#joined;
    this.#joined = undefined;
    await joined?.end();
  }
}
