import type { Transact } from '../../db/fence.js';
import type { LoadSettings } from '../../intake/load-archived.js';
import {
  ClaimLost,
  claimedTransactions,
  isOwner,
  renewClaims,
  type FileClaim,
} from '../../intake/claims/file-claim.js';
import {
  endStuckClaims,
  freeLateOffer,
  offerFile,
  readOffers,
  takeOffer,
  withdrawOffers,
  type CurrentOffer,
  type OfferedFile,
} from '../../intake/claims/offered-files.js';
import { renewOften } from '../../intake/claims/renew-often.js';
import type { RegisteredFile } from '../../intake/register-file.js';
import type { Turn } from '../../intake/commit-turn.js';
import type { RunId } from '../../values/ids.js';
import { stopIfInterrupted } from '../run-interruption.js';
import type { LoadQueue } from '../load-queue.js';
import { PollWhileNeeded } from './poll-while-needed.js';

/** How often the run looks at the state of the files that it shares. */
const lookEveryMs = 100;

/** This many files are fetched before the first of them is finished, so that workers have files to take. */
const filesAhead = 64;

interface SharingOptions {
  readonly runId: RunId;
  readonly transact: Transact;
  readonly loads: LoadQueue;
  /** How many files this process loads at once. */
  readonly filesAtOnce: number;
  readonly leaseSeconds: number;
  readonly signal: AbortSignal;
  /** Whether a worker is there that can join this run. */
  readonly hasWorkers: () => Promise<boolean>;
}

/** What happens next with a shared file: this process loads it, or a worker did. */
type Next = { readonly claim: FileClaim } | { readonly elapsedMs: number };

interface Waiting {
  readonly offer: OfferedFile;
  /** Every file before it is finished. */
  isFirst: boolean;
  readonly resolve: (next: Next) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * The files that a run shares with workers. The run loads its files like a worker: it claims the first that nobody has,
 * as long as it loads fewer than `filesAtOnce`. It claims the first file of all in any case, so that it never waits for
 * a worker. If a worker no longer responds, its lease ends and somebody else gets its file.
 */
export class SharedFiles {
  readonly #options: SharingOptions;
  readonly #owner: string;
  readonly #waiting = new Map<number, Waiting>();
  /** The places of the files that this process loads. */
  readonly #here = new Set<number>();
  #lastPlace = 0;
  #isSharing = false;
  #renewal: NodeJS.Timeout | undefined;
  readonly #poll = new PollWhileNeeded({
    everyMs: lookEveryMs,
    isNeeded: () => this.#waiting.size > 0,
    look: () => this.#look(),
    fail: (reason) => {
      for (const { reject } of this.#waiting.values()) reject(reason);
      this.#waiting.clear();
    },
  });

  constructor(options: SharingOptions) {
    this.#options = options;
    this.#owner = `run-${options.runId}`;
  }

  /**
   * Offers a file to workers. The first one is only offered when every file before it is finished, because workers know
   * only the order of the files that are offered.
   *
   * @returns null when no worker is there, and none was there earlier in the run
   */
  async offer(
    { id }: Pick<RegisteredFile, 'id'>,
    { timezone, maxRejectedShare }: LoadSettings,
  ): Promise<OfferedFile | null> {
    const { transact, runId, leaseSeconds } = this.#options;
    if (!this.#isSharing && !(await this.#begin())) return null;
    this.#lastPlace += 1;
    const place = this.#lastPlace;
    const offer = { runId, place, fileId: id, timezone, maxRejectedShare, leaseSeconds };
    await transact((tx) => offerFile(tx, offer));
    return offer;
  }

  async #begin(): Promise<boolean> {
    const { hasWorkers, loads, transact } = this.#options;
    if (!(await hasWorkers())) return false;
    await loads.drain();
    await loads.room();
    // Removes the offers of a run that died.
    await transact(withdrawOffers);
    loads.widen(filesAhead);
    this.#isSharing = true;
    return true;
  }

  /**
   * Waits until an offered file is finished, by this process or by a worker.
   *
   * @param here loads it with these transactions
   * @param elsewhere returns what a worker stored
   */
  async store<T>(
    offer: OfferedFile,
    turn: Turn,
    here: (transact: Transact) => Promise<T>,
    elsewhere: (elapsedMs: number) => Promise<T>,
  ): Promise<T> {
    for (;;) {
      const next = await this.#next(offer, turn);
      if ('elapsedMs' in next) {
        await turn.come();
        return elsewhere(next.elapsedMs);
      }
      try {
        return await here(claimedTransactions(this.#options.transact, next.claim));
      } catch (thrown) {
        if (!(await this.#isLost(next.claim, thrown))) throw thrown;
      } finally {
        this.#here.delete(offer.place);
        this.#poll.wake();
      }
    }
  }

  /**
   * Withdraws the offers, when no file is being loaded any more. A worker that still loads one is refused. Never
   * throws.
   */
  async end(): Promise<void> {
    clearInterval(this.#renewal);
    this.#renewal = undefined;
    if (!this.#isSharing) return;
    // If this run can no longer write, nobody takes its files: its heartbeat ends, and the next run has another token.
    await this.#options.transact(withdrawOffers).catch(() => undefined);
  }

  #next(offer: OfferedFile, turn: Turn): Promise<Next> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { offer, isFirst: false, resolve, reject };
      this.#waiting.set(offer.place, waiting);
      turn.come().then(
        () => {
          waiting.isFirst = true;
          this.#poll.wake();
        },
        (thrown: unknown) => {
          this.#waiting.delete(offer.place);
          waiting.reject(thrown);
        },
      );
      this.#poll.begin();
    });
  }

  async #look(): Promise<void> {
    const { runId, transact, signal, filesAtOnce } = this.#options;
    stopIfInterrupted(signal);
    const waiting = [...this.#waiting.values()].sort((a, b) => a.offer.place - b.offer.place);
    const places = waiting.map(({ offer }) => offer.place);
    const found = await transact(async (tx) => {
      const offers = await readOffers(tx, runId, this.#owner, places);
      const claims = new Map<number, FileClaim>();
      let isStuck = false;
      for (const { offer, isFirst } of waiting) {
        const current = offers.get(offer.place);
        const isFree = current?.isLate === true ? await freeLateOffer(tx, offer) : current?.state === 'free';
        const mayTake = isFirst || this.#here.size + claims.size < filesAtOnce;
        const claim = isFree && mayTake ? await takeOffer(tx, offer, this.#owner) : null;
        if (claim !== null) claims.set(offer.place, claim);
        // A worker holds its lock: a free file could not be taken, or a late one could not be freed.
        const isLocked = isFree ? mayTake && claim === null : current?.isLate === true;
        isStuck ||= isLocked;
      }
      if (isStuck) await endStuckClaims(tx, runId, this.#owner);
      return { offers, claims };
    }, 'what is committed');
    for (const each of waiting) this.#answer(each, found.claims, found.offers);
  }

  #answer(
    { offer: { place }, resolve }: Waiting,
    claims: ReadonlyMap<number, FileClaim>,
    offers: ReadonlyMap<number, CurrentOffer>,
  ): void {
    const claim = claims.get(place);
    const current = offers.get(place);
    if (claim !== undefined) {
      this.#here.add(place);
      this.#renewal ??= renewOften(this.#options.leaseSeconds, () =>
        this.#options.transact(
          (tx) => renewClaims(tx, this.#options.runId, this.#owner),
          'what is committed',
        ),
      );
    } else if (current?.state !== 'finished') return;
    this.#waiting.delete(place);
    resolve(claim === undefined ? { elapsedMs: current?.elapsedMs ?? 0 } : { claim });
  }

  /**
   * Whether the loading failed because a worker has the file now: this process was stopped for longer than its lease.
   */
  async #isLost(claim: FileClaim, thrown: unknown): Promise<boolean> {
    if (thrown instanceof ClaimLost) return true;
    if (this.#options.signal.aborted) return false;
    return this.#options
      .transact((tx) => isOwner(tx, claim))
      .then(
        (isStillOwner) => !isStillOwner,
        () => false,
      );
  }
}
