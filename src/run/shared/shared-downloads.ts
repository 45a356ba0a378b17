import type { Logger } from 'pino';
import type { Archive } from '../../archive/archive.js';
import type { Transact } from '../../db/fence.js';
import { renewDownloads } from '../../intake/claims/download-claim.js';
import {
  offerDownloads,
  readDownloads,
  takeDownload,
  withdrawDownloads,
  type DownloadState,
  type OfferedDownload,
} from '../../intake/claims/offered-downloads.js';
import { isNetworkSource, sharedSource } from '../../intake/claims/shared-source.js';
import type { Download, SharedReceiving } from '../../intake/fetch/fetched-file.js';
import type { ReceivedBytes } from '../../intake/fetch/receive-file.js';
import { showName } from '../../remote/file-names.js';
import { downloadsAtOnce, type SourceSettings } from '../../remote/source-settings.js';
import type { RunId } from '../../values/ids.js';
import { stopIfInterrupted } from '../run-interruption.js';
import { PollWhileNeeded } from './poll-while-needed.js';

/** How often the run looks at the state of the downloads that it shares. */
const lookEveryMs = 50;

/**
 * As long as workers take the others, the run downloads one file at a time. It also downloads those that nobody has
 * taken within this time.
 */
const giveUpAfterMs = 1_000;

/** What a run needs to offer its downloads to workers. */
export interface SharedDownloadOptions {
  readonly runId: RunId;
  readonly transact: Transact;
  readonly archive: Archive;
  readonly leaseSeconds: number;
  readonly signal: AbortSignal;
  readonly logger: Logger;
  /** The clock of the run decides about the age of a file. */
  readonly clock: () => number;
  /** Whether a worker is there that downloads from this source. */
  readonly hasDownloaders: (source: string) => Promise<boolean>;
}

interface Waiting extends Omit<OfferedDownload, 'runClockMs'> {
  /** When it was offered, by a clock that only goes forward. */
  readonly sinceMs: number;
  isOffered: boolean;
  readonly here: () => Promise<ReceivedBytes>;
  readonly resolve: (received: ReceivedBytes | Promise<ReceivedBytes>) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * The downloads that a run shares with workers. It always downloads the first file that nobody has taken, so it never
 * waits for a worker that takes none. It takes over the files of a worker whose lease ends. Bytes that a worker
 * archived are compared with their SHA-256 before they are registered. A failure is reported only if this process could
 * not download the file either.
 */
export class SharedDownloads {
  readonly #options: SharedDownloadOptions;
  readonly #owner: string;
  readonly #waiting = new Map<number, Waiting>();
  /** The places of the files that this process downloads. */
  readonly #here = new Set<number>();
  #withdrawn: number[] = [];
  #lastPlace = 0;
  #begun: Promise<void> | undefined;
  #hasLost = false;
  /** False once a worker has archived a file in another folder: the next file would be downloaded twice too. */
  #isTrusted = true;
  #renewedMs = 0;
  readonly #poll = new PollWhileNeeded({
    everyMs: lookEveryMs,
    isNeeded: () => this.#waiting.size > 0 || this.#here.size > 0,
    look: () => this.#look(),
    fail: (reason) => this.#rejectAll(reason),
  });

  constructor(options: SharedDownloadOptions) {
    this.#options = options;
    this.#owner = `run-${options.runId}`;
  }

  /** Shares the downloads of a source; undefined where no worker could have them. */
  of(source: SourceSettings): SharedReceiving | undefined {
    if (!isNetworkSource(source)) return undefined;
    const { archive, hasDownloaders } = this.#options;
    const key = sharedSource(source, archive.encryptsWith);
    let isShared = false;
    let isGivenUp = false;
    const alone = new Set<Promise<unknown>>();
    const look = async () => {
      if (isShared || !(await hasDownloaders(key))) return;
      await this.#begin();
      isShared = true;
    };
    return {
      look,
      isShared: () => isShared,
      receive: async (download, here) => {
        await look();
        if (!isShared || !this.#isTrusted) return during(alone, here());
        // These were begun before a worker came, and count towards the downloads that the source allows at once.
        await Promise.allSettled(alone);
        if (isGivenUp) throw givenUp();
        return this.#receive(download, key, downloadsAtOnce(source), here);
      },
      giveUp: () => {
        isGivenUp = true;
        this.#giveUp();
      },
    };
  }

  /** Withdraws the offers. A worker that still downloads one of the files is refused. Never throws. */
  async end(): Promise<void> {
    this.#giveUp();
    if (this.#begun === undefined) return;
    const { transact, archive } = this.#options;
    // It may still offer files, in a transaction that the next one does not see.
    await this.#poll.looked();
    await transact((tx) => withdrawDownloads(tx)).catch(() => undefined);
    // Removes the incoming files of workers that died.
    if (this.#hasLost) await archive.removeIncoming().catch(() => undefined);
  }

  #begin(): Promise<void> {
    // Removes the offers of a run that died.
    return (this.#begun ??= this.#options.transact((tx) => withdrawDownloads(tx)));
  }

  #receive(
    { file, maximumSizeBytes, minimumAgeMs }: Download,
    source: string,
    atOnce: number,
    here: () => Promise<ReceivedBytes>,
  ): Promise<ReceivedBytes> {
    this.#lastPlace += 1;
    const place = this.#lastPlace;
    const offer = { place, source, atOnce, file, maximumSizeBytes, minimumAgeMs };
    return new Promise((resolve, reject) => {
      const sinceMs = performance.now();
      this.#waiting.set(place, { ...offer, sinceMs, isOffered: false, here, resolve, reject });
      this.#poll.begin();
    });
  }

  #giveUp(): void {
    this.#hasLost ||= this.#waiting.size > 0;
    this.#withdrawn.push(...this.#waiting.keys());
    this.#rejectAll(givenUp());
    this.#poll.wake();
  }

  #rejectAll(reason: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }

  async #look(): Promise<void> {
    const { runId, transact, signal, leaseSeconds, clock } = this.#options;
    stopIfInterrupted(signal);
    const waiting = [...this.#waiting.values()].sort((a, b) => a.place - b.place);
    const places = waiting.map(({ place }) => place);
    const fresh = waiting.filter(({ isOffered }) => !isOffered);
    const withdrawn = this.#withdrawn.splice(0);
    const nowMs = performance.now();
    const renews = this.#here.size > 0 && nowMs - this.#renewedMs > (leaseSeconds * 1000) / 3;
    if (waiting.length === 0 && withdrawn.length === 0 && !renews) return;
    const found = await transact(async (tx) => {
      if (withdrawn.length > 0) await withdrawDownloads(tx, { runId, places: withdrawn });
      if (renews) await renewDownloads(tx, runId, this.#owner);
      const offers = fresh.map((offer) => ({ ...offer, runClockMs: clock() }));
      if (offers.length > 0) await offerDownloads(tx, runId, leaseSeconds, offers);
      const states = places.length === 0 ? new Map<number, never>() : await readDownloads(tx, runId, places);
      const chosen = this.#choose(waiting, states, nowMs);
      for (const { place } of chosen) await takeDownload(tx, runId, place, this.#owner);
      return { states, chosen };
    }, 'what is committed');
    if (renews) this.#renewedMs = nowMs;
    for (const offer of fresh) offer.isOffered = true;
    for (const each of found.chosen) if (this.#waiting.has(each.place)) this.#downloadHere(each);
    for (const each of waiting) this.#takeFinished(each, found.states.get(each.place));
  }

  /** The files that this process downloads next. */
  #choose(
    waiting: readonly Waiting[],
    states: ReadonlyMap<number, DownloadState>,
    nowMs: number,
  ): readonly Waiting[] {
    const chosen: Waiting[] = [];
    for (const each of waiting) {
      const state = states.get(each.place)?.state ?? 'free';
      const inProgress = this.#here.size + chosen.length;
      const isLeft = state === 'late' || nowMs - each.sinceMs > giveUpAfterMs;
      if (state === 'taken' || state === 'finished') continue;
      if (inProgress === 0 || (isLeft && inProgress < each.atOnce)) chosen.push(each);
      this.#hasLost ||= state === 'late';
    }
    return chosen;
  }

  #takeFinished(each: Waiting, found: DownloadState | undefined): void {
    if (found?.state !== 'finished' || !this.#waiting.has(each.place)) return;
    this.#waiting.delete(each.place);
    this.#withdrawn.push(each.place);
    each.resolve(this.#verified(each, found));
  }

  async #verified(
    each: Waiting,
    { received, owner }: Extract<DownloadState, { state: 'finished' }>,
  ): Promise<ReceivedBytes> {
    const { archive, logger } = this.#options;
    // Bytes that cannot be read count as missing.
    if (await archive.isIntact(received.sha256).catch(() => false)) return received;
    this.#isTrusted = false;
    const file = showName(each.file.name);
    logger.warn(
      { code: 'ARCHIVE_NOT_SHARED', file, worker: owner, sha256: received.sha256 },
      `A worker downloaded ${file}, and the archive of this run does not have it or has other bytes. The run downloads it itself; the worker needs the same data folder.`,
    );
    return each.here();
  }

  #downloadHere(each: Waiting): void {
    this.#waiting.delete(each.place);
    this.#here.add(each.place);
    const received = each.here().finally(() => {
      this.#here.delete(each.place);
      this.#withdrawn.push(each.place);
      this.#poll.wake();
    });
    received.catch(() => undefined);
    each.resolve(received);
  }
}

const givenUp = () => new Error('The download was given up.');

/** Lists work as long as it is in progress. */
async function during<T>(inProgress: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
  inProgress.add(work);
  try {
    return await work;
  } finally {
    inProgress.delete(work);
  }
}
