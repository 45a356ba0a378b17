import { toReconError } from '../db/database-errors.js';
import { fencedTransactions, type FencedTransactions } from '../db/fence.js';
import { endsWithin } from '../ends-within.js';
import { ClaimLost, handBackFile, isOwner, renewClaims } from '../intake/claims/file-claim.js';
import { claimNextFile, type ClaimedFile } from '../intake/claims/next-file.js';
import { renewOften } from '../intake/claims/renew-often.js';
import { ReconError, messageOf } from '../errors.js';
import { loadClaimed } from './load-claimed.js';
import { WorkerDownloads } from './worker-downloads.js';
import type { OpenRun } from './worker-presence.js';
import type { WorkerSettings } from './worker-settings.js';

/** A file that is being loaded. */
interface FileInProgress {
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

/** A statement in progress is not waited for when a worker stops, but its connection is closed after this time. */
const giveUpMs = 2_000;
/** For handing files back after that, on another connection. Without an answer, the lease ends. */
const handBackMs = 2_000;

/** One run that a worker has joined: it writes with the permission of that run. */
export class JoinedRun {
  readonly token: bigint;
  readonly #run: OpenRun;
  readonly #settings: WorkerSettings;
  readonly #fenced: FencedTransactions;
  readonly #giveUp = new AbortController();
  readonly #files = new Map<number, FileInProgress>();
  readonly #wake: () => void;
  readonly #downloads: WorkerDownloads;
  #renewal: NodeJS.Timeout | undefined;

  /** @param wake lets the worker look for the next file at once */
  constructor(settings: WorkerSettings, run: OpenRun, wake: () => void) {
    this.#settings = settings;
    this.#run = run;
    this.token = run.token;
    this.#wake = () => {
      settings.counts.inProgress = this.filesInProgress;
      wake();
    };
    this.#fenced = fencedTransactions(
      settings.database,
      { runId: run.id, token: run.token },
      this.#giveUp.signal,
    );
    this.#downloads = new WorkerDownloads(settings, run.id, this.#fenced.transact, this.#wake);
  }

  get filesInProgress(): number {
    return this.#files.size + this.#downloads.filesInProgress;
  }

  /** Claims files to download as long as there is room. */
  async takeDownloads(): Promise<void> {
    await this.#downloads.take();
    this.#settings.counts.inProgress = this.filesInProgress;
  }

  /** Claims files to load as long as there is room. */
  async takeFiles(): Promise<void> {
    const { worker } = this.#settings;
    while (this.#files.size < worker.filesAtOnce && !this.#settings.signal.aborted) {
      const claimed = await this.#fenced.transact(
        (tx) => claimNextFile(tx, this.#run.id, worker.id),
        'what is committed',
      );
      if (claimed === null) return;
      this.#start(claimed);
    }
  }

  async finished(): Promise<void> {
    await Promise.all([this.#downloads.finished(), ...[...this.#files.values()].map(({ done }) => done)]);
  }

  /** Stops what is in progress, hands it back, and closes the connections. Never throws. */
  async end(): Promise<void> {
    for (const { stop } of this.#files.values()) stop.abort();
    const timer = setTimeout(() => this.#giveUp.abort(), giveUpMs);
    const handedBack = (async () => {
      await this.#downloads.end();
      await this.finished();
    })();
    await endsWithin(handedBack, giveUpMs + handBackMs);
    clearTimeout(timer);
    clearInterval(this.#renewal);
    await this.#fenced.end();
  }

  #start(claimed: ClaimedFile): void {
    const stop = new AbortController();
    this.#renewal ??= renewOften(claimed.leaseSeconds, () => this.#renew());
    const { place } = claimed.claim;
    const done = this.#load(claimed, stop.signal).finally(() => {
      this.#files.delete(place);
      this.#wake();
    });
    this.#files.set(place, { stop, done });
    this.#settings.counts.inProgress = this.filesInProgress;
  }

  /** Never throws: what cannot be loaded here is handed back. */
  async #load(claimed: ClaimedFile, signal: AbortSignal): Promise<void> {
    const { counts } = this.#settings;
    const { name, sha256 } = claimed.file;
    const logger = this.#settings.logger.child({ runId: this.#run.id, file: name, sha256 });
    try {
      const { status, rows } = await loadClaimed(this.#settings, this.#fenced.transact, claimed, signal);
      counts[status] += 1;
      counts.rows += rows.total;
      logger.info({ ...rows, attempt: claimed.claim.attempt }, `file ${status}`);
    } catch (thrown) {
      const error = toReconError(thrown) ?? thrown;
      if (thrown instanceof ClaimLost || !(await this.#handBack(claimed, signal))) {
        counts.lost += 1;
        logger.warn('Somebody else loads this file now; nothing of it was stored here.');
      } else if (signal.aborted) {
        logger.info('The file was handed back.');
      } else {
        counts.handedBack += 1;
        const code = error instanceof ReconError ? { code: error.code } : { err: error };
        logger.error(code, `The file was handed back: ${messageOf(error)}`);
      }
    }
  }

  /** Whether it was still this worker's to hand back. */
  async #handBack({ claim }: ClaimedFile, { aborted }: AbortSignal): Promise<boolean> {
    try {
      return await this.#fenced.transact(async (tx) => {
        if (!(await isOwner(tx, claim))) return false;
        await handBackFile(tx, claim, { declines: !aborted });
        return true;
      }, 'what is committed');
    } catch {
      // Its lease ends, and then somebody else gets the file.
      return false;
    }
  }

  /** Stops the loading of files that are no longer this worker's. */
  async #renew(): Promise<void> {
    if (this.#files.size === 0) return;
    const { worker } = this.#settings;
    const before = [...this.#files.keys()];
    const kept = await this.#fenced.transact(
      (tx) => renewClaims(tx, this.#run.id, worker.id),
      'what is committed',
    );
    // One that has just been finished is not renewed either, and then has nothing left to stop.
    for (const place of before) if (!kept.has(place)) this.#files.get(place)?.stop.abort(new ClaimLost());
  }
}
