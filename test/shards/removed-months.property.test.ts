import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { arbitraryRemovals, playMonths, type PlayedRemovals } from '../matching/play-removed-months.js';
import { rolledBack } from '../matching/scenario.js';
import { oneAndSeveral } from './one-and-several.js';

/**
 * The histories of `test/matching/removed-months.property.test.ts`, on one server and on two shards. No month can be
 * removed from a shard, but months that were retired before the division are missing there.
 */

const databases = Number(process.env['RECON_PROPERTY_RUNS'] ?? 1);

vi.setConfig({ testTimeout: 600_000 * databases });

const { one, several } = oneAndSeveral();

/** A purge keeps what a later file repeats, and asks the shards for it: here, months are retired. */
const retired = ({ histories, removals }: PlayedRemovals): PlayedRemovals => ({
  // Each statement on shards takes several round trips.
  histories: histories.slice(0, 4),
  removals: removals.map((removal) => removal && { ...removal, by: 'retire' }),
});

/** RECON_PROPERTY_SEED makes other worlds, and RECON_PROPERTY_RUNS more. */
test('after months were removed, the same is stored on one server and on shards after each run', async () => {
  let removed = 0;
  await fc.assert(
    fc.asyncProperty(arbitraryRemovals.map(retired), async (histories) => {
      const expected = await rolledBack(one().sql, (tx) => playMonths(tx, histories));
      const actual = await rolledBack(several().sql, (tx) => playMonths(tx, histories));
      for (const [index, state] of expected.states.entries()) expect(actual.states[index]).toEqual(state);
      removed += actual.removed;
    }),
    {
      numRuns: databases,
      seed: Number(process.env['RECON_PROPERTY_SEED'] ?? 7),
      // A smaller example takes minutes to find.
      endOnFailure: true,
    },
  );
  expect(removed).toBeGreaterThan(0);
});
