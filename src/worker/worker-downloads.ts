import { setTimeout as sleep } from 'node:timers/promises';
import type { Transact } from '../db/fence.js';
import {
  claimNextDownload,
  finishDownload,
  handBackDownload,
  renewDownloads,
  type ClaimedDownload,
} from '../intake/claims/download-claim.js';
import { renewOften } from '../intake/claims/renew-often.js';
import { isNetworkSource, sharedSource, type NetworkSource } from '../intake/claims/shared-source.js';
import { receiveFile, type ReceivedBytes } from '../intake/fetch/receive-file.js';
import { SourceSessions } from '../intake/fetch/source-sessions.js';
import { isSourceFailure, messageOf, ReconError } from '../errors.js';
import { failPoint } from '../fail-point.js';
import type { Logger } from '../logger.js';
import { silentProgress } from '../progress.js';
import { RefusedLogins } from '../remote/refused-logins.js';
import { showName } from '../remote/file-names.js';
import type { RunId } from '../values/ids.js';
import type { WorkerSettings } from './worker-settings.js';

/** A session without work is closed after this time: a server may allow only a few. */
const idleMs = 900;

/** A source that this worker downloads from, in one run. */
interface OpenSource {
  readonly settings: NetworkSource;
  sessions: SourceSessions | undefined;
  inProgress: number;
  usedMs: number;
  /** It could not be opened from here: its files are left to others for the rest of the run. */
  isClosed: boolean;
}

/**
 * The downloads of one run that a worker takes part in. It tries each once: a file that it cannot download is handed
 * back, and the run reports what is wrong with it, if anything is.
 */
export class WorkerDownloads {
  readonly #settings: WorkerSettings;
  readonly #runId: RunId;
  readonly #transact: Transact;
  readonly #wake: () => void;
  readonly #logger: Logger;
  readonly #refusedLogins = new RefusedLogins();
  readonly #sources: ReadonlyMap<string, OpenSource>;
  readonly #inProgress = new Set<Promise<void>>();
  #hasEnded = false;
  #renewal: NodeJS.Timeout | undefined;

  /** @param wake lets the worker look for the next file at once */
  constructor(settings: WorkerSettings, runId: RunId, transact: Transact, wake: () => void) {
    this.#settings = settings;
    this.#runId = runId;
    this.#transact = transact;
    this.#wake = wake;
    this.#logger = settings.logger.child({ runId });
    this.#sources = new Map(
      settings.sources.filter(isNetworkSource).flatMap((source) => {
        const key = sharedSource(source, settings.archive.encryptsWith);
        if (!settings.worker.sources.includes(key)) return [];
        // The run tries again what fails.
        const opened = { ...source, attempts: 1 };
        return [[key, { settings: opened, sessions: undefined, inProgress: 0, usedMs: 0, isClosed: false }]];
      }),
    );
  }

  get filesInProgress(): number {
    return this.#inProgress.size;
  }

  /** Claims downloads as long as there are some and their sources allow more. */
  async take(): Promise<void> {
    const { worker, signal } = this.#settings;
    while (!signal.aborted && !this.#hasEnded) {
      const open = [...this.#sources].filter(
        ([, { isClosed, inProgress, settings }]) => !isClosed && inProgress < settings.downloadsAtOnce,
      );
      if (open.length === 0) break;
      const keys = open.map(([key]) => key);
      const claimed = await this.#transact(
        (tx) => claimNextDownload(tx, this.#runId, worker.id, keys),
        'what is committed',
      );
      if (claimed === null) break;
      this.#start(claimed);
    }
    await this.#closeIdle();
  }

  async finished(): Promise<void> {
    await Promise.all([...this.#inProgress]);
  }

  /** Stops what is in progress, and hands it back. Never throws. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await Promise.all([...this.#sources.values()].flatMap(({ sessions }) => sessions?.end() ?? []));
    await this.finished();
    clearInterval(this.#renewal);
  }

  #start(claimed: ClaimedDownload): void {
    const source = this.#sources.get(claimed.source);
    if (source === undefined) return;
    this.#renewal ??= renewOften(claimed.leaseSeconds, () => this.#renew());
    source.inProgress += 1;
    const done = this.#download(claimed, source).finally(() => {
      source.inProgress -= 1;
      source.usedMs = performance.now();
      this.#inProgress.delete(done);
      this.#wake();
    });
    this.#inProgress.add(done);
  }

  async #renew(): Promise<void> {
    if (this.#inProgress.size === 0) return;
    await this.#transact(
      (tx) => renewDownloads(tx, this.#runId, this.#settings.worker.id),
      'what is committed',
    );
  }

  /** Never throws: what cannot be downloaded here is handed back. */
  async #download(claimed: ClaimedDownload, source: OpenSource): Promise<void> {
    const { counts } = this.#settings;
    const file = showName(claimed.file.name);
    const logger = this.#logger.child({ source: source.settings.name, file });
    try {
      failPoint('worker.fetching');
      const received = await this.#receive(claimed, source);
      failPoint('worker.fetched');
      const isReported = await this.#transact(
        (tx) => finishDownload(tx, claimed.claim, received),
        'what is committed',
      );
      if (isReported) {
        counts.fetched += 1;
        logger.info({ sha256: received.sha256, attempt: claimed.claim.attempt }, 'file fetched');
      } else {
        counts.lost += 1;
        logger.warn('Somebody else has downloaded this file meanwhile.');
      }
    } catch (thrown) {
      await this.#giveBack(claimed, source, thrown, logger);
    }
  }

  async #receive(claimed: ClaimedDownload, source: OpenSource): Promise<ReceivedBytes> {
    const { archive, random } = this.#settings;
    source.sessions ??= new SourceSessions(source.settings, {
      random,
      sleep: async (ms) => {
        await sleep(ms);
      },
      // A worker that is stopped first finishes what it can.
      signal: new AbortController().signal,
      logger: this.#logger,
      refusedLogins: this.#refusedLogins,
    });
    const { file, maximumSizeBytes, minimumAgeMs, runClockMs } = claimed;
    const claimedMs = performance.now();
    const clock = () => runClockMs + performance.now() - claimedMs;
    const progress = silentProgress.begin(file.name, file.sizeBytes, 'bytes');
    return source.sessions.do((folder) =>
      receiveFile(folder, file, { archive, maximumSizeBytes, minimumAgeMs, clock, progress }),
    );
  }

  async #giveBack(
    { claim }: ClaimedDownload,
    source: OpenSource,
    thrown: unknown,
    logger: Logger,
  ): Promise<void> {
    const isStopped = this.#hasEnded;
    if (!isStopped) {
      this.#settings.counts.handedBack += 1;
      const code = thrown instanceof ReconError ? { code: thrown.code } : { err: thrown };
      logger.warn(code, `The file was handed back, and somebody else downloads it: ${messageOf(thrown)}`);
      this.#closeIfUnusable(source, thrown);
    }
    // Without an answer, the lease ends, and then somebody else downloads the file.
    await this.#transact((tx) => handBackDownload(tx, claim, { declines: !isStopped })).catch(
      () => undefined,
    );
  }

  /** A source that does not let this machine in, or an archive that it cannot write to, stays so for the next file. */
  #closeIfUnusable(source: OpenSource, thrown: unknown): void {
    if (source.isClosed) return;
    const couldNotOpen = source.sessions?.couldNotOpen(thrown) === true;
    const isOfSource = isSourceFailure(thrown) && thrown.of === 'source';
    const isOfDisk = thrown instanceof ReconError && thrown.of === 'run';
    if (!couldNotOpen && !isOfSource && !isOfDisk) return;
    source.isClosed = true;
    this.#logger.warn(
      { source: source.settings.name },
      'This worker downloads nothing more from this source until the next run.',
    );
  }

  async #closeIdle(): Promise<void> {
    const beforeMs = performance.now() - idleMs;
    for (const source of this.#sources.values()) {
      if (source.sessions === undefined || source.inProgress > 0 || source.usedMs > beforeMs) continue;
      const { sessions } = source;
      source.sessions = undefined;
      await sessions.end();
    }
  }
}
