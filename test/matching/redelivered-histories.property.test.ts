import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { databaseForAllTests } from '../support/database.js';
import { namesOf } from './arbitrary-input.js';
import { brokenInvariants } from './chargeback-invariants.js';
import { matchRange, openFindings } from './findings.js';
import { arbitraryRedeliveries, play, type AfterRun } from './play-histories.js';
import { rolledBack } from './scenario.js';
import { settingsOf, storedState } from './stored-judgement.js';
import { recordsOf } from './worlds.js';

/** Few payments, many chargebacks and reversals, and files that bring most of them several times. */

vi.setConfig({ testTimeout: 300_000 });

const testDatabase = databaseForAllTests();

const changesNothingAgain: AfterRun = async (tx, known) => {
  const now = known.at(-1) ?? [];
  expect(await brokenInvariants(tx)).toEqual([]);
  const stored = await storedState(tx);
  await matchRange(tx, 90, undefined, settingsOf(now));
  expect(await storedState(tx)).toEqual(stored);
  return openFindings(tx, namesOf(recordsOf(now)));
};

/** RECON_PROPERTY_SEED makes other worlds, and RECON_PROPERTY_RUNS more. */
test('a re-run after any run changes nothing: no finding, no message, no link and no booking', () =>
  fc.assert(
    fc.asyncProperty(arbitraryRedeliveries, async (played) => {
      await rolledBack(testDatabase.database.sql, (tx) => play(tx, played, changesNothingAgain));
    }),
    {
      numRuns: Number(process.env['RECON_PROPERTY_RUNS'] ?? 2),
      seed: Number(process.env['RECON_PROPERTY_SEED'] ?? 7),
      endOnFailure: true,
    },
  ));
