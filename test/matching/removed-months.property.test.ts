import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { databaseForAllTests } from '../support/database.js';
import { arbitraryRemovals, playMonths } from './play-removed-months.js';
import { rolledBack } from './scenario.js';

/** Months of records are removed between runs, and later files bring some of these records again. */

vi.setConfig({ testTimeout: 600_000 });

const testDatabase = databaseForAllTests();

/** RECON_PROPERTY_SEED makes other worlds, and RECON_PROPERTY_RUNS more. */
test('the removal of months changes nothing that stays, and what comes back ends no run', async () => {
  let removed = 0;
  await fc.assert(
    fc.asyncProperty(arbitraryRemovals, async (played) => {
      removed += (await rolledBack(testDatabase.database.sql, (tx) => playMonths(tx, played))).removed;
    }),
    {
      numRuns: Number(process.env['RECON_PROPERTY_RUNS'] ?? 2),
      seed: Number(process.env['RECON_PROPERTY_SEED'] ?? 7),
      // A smaller example takes minutes to find.
      endOnFailure: true,
    },
  );
  expect(removed).toBeGreaterThan(0);
});
