import fc from 'fast-check';
import { expect } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import { runId } from '../../src/values/ids.js';
import { brokenInvariants } from './chargeback-invariants.js';
import { matchRun, matchScope, settings as standard } from './findings.js';
import {
  acceptOld,
  arbitraryRemovalHistory,
  asOfRun,
  decide,
  decideRedelivered,
  DeliveredWorld,
  due,
  months,
  paymentsOfWorld,
  removedFiles,
  removeMonths,
  sourceOf,
  storeMonth,
  type RemovalHistory,
} from './removed-months.js';
import { storePayments } from './scenario.js';
import { namedState } from './stored-judgement.js';

/** How months are removed after a run. */
interface Removal {
  readonly by: 'retire' | 'purge';
  /** Whether somebody accepts before that what keeps old months. */
  readonly accepts: boolean;
}

const arbitraryRemoval: fc.Arbitrary<Removal> = fc.record({
  by: fc.constantFrom('retire', 'purge'),
  accepts: fc.constantFrom(true, true, false),
});

/** The histories of one database, and how months are removed after each of them. */
export interface PlayedRemovals {
  readonly histories: readonly RemovalHistory[];
  readonly removals: readonly (Removal | null)[];
}

/** A few worlds whose months are removed from the third one on. */
export const arbitraryRemovals: fc.Arbitrary<PlayedRemovals> = fc.record({
  histories: fc.array(arbitraryRemovalHistory, { minLength: 1, maxLength: 12, size: 'max' }),
  removals: fc.tuple(...months.map((month) => (month < 3 ? fc.constant(null) : fc.option(arbitraryRemoval)))),
});

/**
 * Plays the months of all worlds, and expects after each that nothing is broken, and that a removal changes nothing
 * that stays.
 *
 * @returns how many files were removed, and what was stored after each run
 */
export async function playMonths(
  tx: Tx,
  { histories, removals }: PlayedRemovals,
): Promise<{ readonly removed: number; readonly states: readonly (readonly object[])[] }> {
  await storePayments(
    tx,
    histories.flatMap((_, index) => paymentsOfWorld(index)),
  );
  const played = new PlayedMonths(tx, histories);
  for (const month of months) await played.play(month, removals[month - 1]);
  return played;
}

/** No record has two ids, wherever it is stored or was stored before its month was removed. */
async function heldTwice(tx: Tx, worlds: readonly DeliveredWorld[]): Promise<readonly string[]> {
  const links = await tx<{ place: string }[]>`
    select file_id || ':' || line as place from chargeback_links where active`;
  const places = new Map(worlds.flatMap((world) => [...world.places]));
  const holders = links.map(({ place }) => places.get(place) ?? '');
  return holders.filter((name, index) => holders.indexOf(name) !== index);
}

interface StateRow {
  readonly kind: string;
  readonly what: string;
}

/**
 * What is stored, as comparable lines. A sum is shown on the last record of a payment that is still there, and which of
 * several later records replaces another one may change when one of them is removed.
 */
const linesOf = (state: readonly object[]): string[] =>
  (state as readonly StateRow[])
    .map((row) => {
      if (row.kind === 'finding' && row.what.includes('"AMOUNT_MISMATCH"')) {
        const { kind, what } = row;
        return JSON.stringify({ kind, what: what.replaceAll(/"(?:line|file_id)": \d+, /g, '') });
      }
      if (row.kind === 'uncounted' && row.what.includes('"SUPERSEDED"')) {
        return JSON.stringify({ ...row, what: 'SUPERSEDED' });
      }
      return JSON.stringify(row);
    })
    .sort();

/** Plays the months of the worlds in one database. */
class PlayedMonths {
  readonly #tx: Tx;
  readonly #worlds: readonly DeliveredWorld[];
  readonly #settings;
  #run = 0;
  /** The files that were removed, and how many of their records may come again. */
  removed = 0;
  /** What was stored after each run. */
  readonly states: (readonly object[])[] = [];

  constructor(tx: Tx, histories: readonly RemovalHistory[]) {
    this.#tx = tx;
    this.#worlds = histories.map((history, index) => new DeliveredWorld(history, index));
    const corrections = histories.map((history, index) => [sourceOf(index), history.corrections] as const);
    this.#settings = { ...standard, ...due, corrections: Object.fromEntries(corrections) };
  }

  async play(month: number, removal: Removal | null | undefined): Promise<void> {
    const [tx, asOf] = [this.#tx, asOfRun(month)];
    const view = { asOf, timezone: 'UTC' };
    await storeMonth(tx, { month, run: this.#run + 1 }, this.#worlds);
    await this.#match(asOf);
    for (const [index, { acts }] of this.#worlds.entries()) {
      await decide(tx, view, index, acts[month - 1] ?? []);
    }
    await this.#match(asOf);
    if (removal === null || removal === undefined) return;
    if (removal.accepts) {
      await decideRedelivered(tx, view);
      await this.#match(asOf);
      await acceptOld(tx, view, month);
    }
    const before = await this.#match(asOf);
    await removeMonths(tx, view, { until: month, by: removal.by });
    const files = await removedFiles(tx);
    this.removed += files.size;
    for (const world of this.#worlds) world.forget((file) => files.has(file));
    expect(await this.#match(asOf)).toEqual(before);
    const range = { kind: 'range', from: `${asOf.slice(0, 8)}01`, to: '2025-12-31', asOf } as const;
    await matchScope(tx, range, { ...this.#settings, runId: runId(this.#run) });
    expect(linesOf(await namedState(tx))).toEqual(before);
  }

  async #match(asOf: string): Promise<readonly string[]> {
    this.#run += 1;
    await matchRun(this.#tx, this.#run, { ...this.#settings, asOf });
    expect(await brokenInvariants(this.#tx)).toEqual([]);
    expect(await heldTwice(this.#tx, this.#worlds)).toEqual([]);
    const state = await namedState(this.#tx);
    this.states.push(state);
    return linesOf(state);
  }
}
