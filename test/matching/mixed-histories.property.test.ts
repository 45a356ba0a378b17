import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { databaseForAllTests } from '../support/database.js';
import { namesOf, withoutChargebacks } from './arbitrary-input.js';
import { brokenInvariants } from './chargeback-invariants.js';
import { openFindings } from './findings.js';
import type { Rules } from './model.js';
import type { MixedHistory } from './mixed-histories.js';
import { arbitraryPlayed, play, type AfterRun } from './play-histories.js';
import { rolledBack } from './scenario.js';
import { judgementOfRuns, storedJudgement } from './stored-judgement.js';
import { recordsOf } from './worlds.js';

/** Everything that can happen between runs, in one history: nothing of it may hide what the rest does. */

vi.setConfig({ testTimeout: 300_000 });

const testDatabase = databaseForAllTests();

/**
 * The same worlds each time, so that a failure comes from the change that is tested. RECON_PROPERTY_SEED makes others,
 * and RECON_PROPERTY_RUNS more.
 */
const runsAndSeed = {
  numRuns: Number(process.env['RECON_PROPERTY_RUNS'] ?? 4),
  seed: Number(process.env['RECON_PROPERTY_SEED'] ?? 7),
};

const check = (place: (input: MixedHistory) => MixedHistory, afterRun: AfterRun) =>
  fc.assert(
    fc.asyncProperty(arbitraryPlayed(place), (played) =>
      rolledBack(testDatabase.database.sql, async (tx) => {
        const { stored, again } = await play(tx, played, afterRun);
        expect(again).toEqual(stored);
      }),
    ),
    runsAndSeed,
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

/** Other settings of all worlds. */
const changedRules: fc.Arbitrary<Partial<Rules>> = fc.record(
  {
    corrections: fc.constantFrom('ask', 'replace', 'add'),
    tolerance: fc.constantFrom(new Map<string, bigint>(), new Map([['EUR', 5000n]])),
    brandAliases: fc.constantFrom(new Map<string, string>(), new Map([['VISADEBIT', 'VISA']])),
    maxPaymentsPerKey: fc.constantFrom(1, 2, 1000),
  },
  { requiredKeys: [] },
);

it('a re-run of everything agrees with the model after a change of the settings', () =>
  fc.assert(
    fc.asyncProperty(arbitraryPlayed(withoutChargebacks), changedRules, (played, changed) =>
      rolledBack(testDatabase.database.sql, async (tx) => {
        const { known } = await play(tx, { ...played, changed }, (_tx, now) =>
          openFindings(tx, namesOf(recordsOf(now.at(-1) ?? []))),
        );
        expect(await storedJudgement(tx, known.at(-1) ?? [])).toEqual(judgementOfRuns(known));
      }),
    ),
    runsAndSeed,
  ));
