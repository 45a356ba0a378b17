import fc from 'fast-check';
import { rearranged } from './arbitrary-input.js';
import { Fated } from './fates.js';
import { matchRange, matchRun, type Finding } from './findings.js';
import { runs, World } from './histories.js';
import type { Rules } from './model.js';
import {
  arbitraryMixedHistory,
  arbitraryRedelivered,
  LinkBook,
  type MixedHistory,
} from './mixed-histories.js';
import { storeRecords } from './scenario.js';
import { days, settingsOf, storedState, type MatchTx } from './stored-judgement.js';
import { arbitraryWorlds, rearrangedRecords, type Worlds } from './worlds.js';

/** The histories of one database, and in which order days are matched again before each run. */
export interface PlayedHistories {
  readonly histories: readonly MixedHistory[];
  readonly shuffle: readonly number[];
  /** The settings from run 3 on, of all worlds. */
  readonly changed?: Partial<Rules>;
}

const shuffles = fc
  .infiniteStream(fc.nat())
  .map((shuffle) => [...shuffle.take(days.length * (runs.length + 1))]);

/** @param place changes each history before its records get their files and lines */
export const arbitraryPlayed = (
  place: (input: MixedHistory) => MixedHistory = (input) => input,
): fc.Arbitrary<PlayedHistories> =>
  fc.tuple(arbitraryWorlds(arbitraryMixedHistory), fc.infiniteStream(fc.nat())).map(([any, shuffle]) => ({
    histories: rearrangedRecords(any.map(place), shuffle),
    shuffle: [...shuffle.take(days.length * (runs.length + 1))],
  }));

/** Those of few payments, whose files bring most records several times. */
export const arbitraryRedeliveries: fc.Arbitrary<PlayedHistories> = fc.record({
  histories: arbitraryWorlds(arbitraryRedelivered),
  shuffle: shuffles,
});

/**
 * What is looked at after each run, with everything that was known in each run so far.
 *
 * @returns the findings, from which people choose what to decide about
 */
export type AfterRun = (tx: MatchTx, known: readonly Worlds[]) => Promise<readonly Finding[]>;

/**
 * Plays the histories run by run, and some days again before each run.
 *
 * @returns every result after the last run, and after a re-run of everything, which changes nothing
 */
export async function play(
  tx: MatchTx,
  { histories, shuffle, changed = {} }: PlayedHistories,
  afterRun: AfterRun,
): Promise<{ readonly stored: unknown; readonly again: unknown; readonly known: readonly Worlds[] }> {
  const [first, later] = [{}, changed].map((change) =>
    settingsOf(histories.map((history) => ({ ...history, rules: { ...history.rules, ...change } }))),
  );
  const worlds = histories.map((history, index) => ({
    world: new World(history, index),
    fated: new Fated(history),
    links: new LinkBook(history),
  }));
  for (const { fated } of worlds) await fated.begin(tx);
  const known: Worlds[] = [];
  for (const run of runs) {
    const settings = run < 3 ? first : later;
    for (const { world, fated, links } of worlds) {
      await world.act(tx);
      await links.act(tx, run - 1, { records: world.input.records, payments: fated.payments });
    }
    const arriving = worlds.map(({ world }) => world.arriving());
    await storeRecords(
      tx,
      run,
      arriving.flatMap(({ records }) => records),
      arriving.flatMap(({ repeats }) => repeats),
    );
    for (const { fated } of worlds) await fated.before(tx, run);
    const daysBefore =
      run === 1 ? [] : rearranged(days, shuffle.slice(days.length * run)).slice(1 + (run % 3));
    for (const day of daysBefore) await matchRange(tx, run, day, settings);
    await matchRun(tx, run, settings);
    known.push(
      worlds.map(({ world, fated, links }) => ({
        ...world.input,
        payments: fated.payments,
        links: links.inEffect,
        rules: { ...world.input.rules, ...(run < 3 ? {} : changed) },
      })),
    );
    const findings = await afterRun(tx, known);
    for (const { world } of worlds) world.found(findings);
  }
  const stored = await storedState(tx);
  await matchRange(tx, 90, undefined, later);
  return { stored, again: await storedState(tx), known };
}
