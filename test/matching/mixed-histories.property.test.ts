import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { namesOf, rearranged, withoutChargebacks } from './arbitrary-input.js';
import { brokenInvariants } from './chargeback-invariants.js';
import { Fated } from './fates.js';
import { matchRange, matchRun, openFindings, type Finding } from './findings.js';
import { runs, World } from './histories.js';
import { arbitraryMixedHistory, LinkBook, type MixedHistory } from './mixed-histories.js';
import { rolledBack, storeRecords } from './scenario.js';
import {
  days,
  judgementOfRuns,
  settingsOf,
  storedJudgement,
  storedState,
  type MatchTx,
} from './stored-judgement.js';
import { arbitraryWorlds, rearrangedRecords, recordsOf, type Worlds } from './worlds.js';

/** Everything that can happen between runs, in one history: nothing of it may hide what the rest does. */

vi.setConfig({ testTimeout: 300_000 });

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterAll(() => testDatabase.drop());

/** @returns the findings, from which people choose what to decide about */
type AfterRun = (tx: MatchTx, known: readonly Worlds[]) => Promise<readonly Finding[]>;

/** Plays the histories run by run, and some days again before each run. A re-run of everything then changes nothing. */
async function play(
  tx: MatchTx,
  { histories, shuffle }: { readonly histories: readonly MixedHistory[]; readonly shuffle: Iterable<number> },
  afterRun: AfterRun,
): Promise<void> {
  const settings = settingsOf(histories);
  const worlds = histories.map((history, index) => ({
    world: new World(history, index),
    fated: new Fated(history),
    links: new LinkBook(history),
  }));
  for (const { fated } of worlds) await fated.begin(tx);
  const known: Worlds[] = [];
  for (const run of runs) {
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
    const daysBefore = run === 1 ? [] : rearranged(days, shuffle).slice(1 + (run % 3));
    for (const day of daysBefore) await matchRange(tx, run, day, settings);
    await matchRun(tx, run, settings);
    known.push(
      worlds.map(({ world, fated, links }) => ({
        ...world.input,
        payments: fated.payments,
        links: links.inEffect,
      })),
    );
    const findings = await afterRun(tx, known);
    for (const { world } of worlds) world.found(findings);
  }
  const stored = await storedState(tx);
  await matchRange(tx, 90, undefined, settings);
  expect(await storedState(tx)).toEqual(stored);
}

/**
 * The same worlds each time, so that a failure comes from the change that is tested. RECON_PROPERTY_SEED makes others,
 * and RECON_PROPERTY_RUNS more.
 */
const check = (place: (input: MixedHistory) => MixedHistory, afterRun: AfterRun) =>
  fc.assert(
    fc.asyncProperty(arbitraryWorlds(arbitraryMixedHistory), fc.infiniteStream(fc.nat()), (any, shuffle) =>
      rolledBack(testDatabase.database.sql, (tx) =>
        play(tx, { histories: rearrangedRecords(any.map(place), shuffle), shuffle }, afterRun),
      ),
    ),
    {
      numRuns: Number(process.env['RECON_PROPERTY_RUNS'] ?? 4),
      seed: Number(process.env['RECON_PROPERTY_SEED'] ?? 7),
    },
  );

it('results and findings agree with the model after each run', () =>
  check(withoutChargebacks, async (tx, known) => {
    const now = known.at(-1) ?? [];
    const expected = judgementOfRuns(known);
    expect(await storedJudgement(tx, now)).toEqual(expected);
    return expected.findings;
  }));

it('chargebacks, their reversals and their bookings belong together after each run', () =>
  check(
    (input) => input,
    async (tx, known) => {
      expect(await brokenInvariants(tx)).toEqual([]);
      return openFindings(tx, namesOf(recordsOf(known.at(-1) ?? [])));
    },
  ));
