import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import type { Database } from '../../src/db/connect.js';
import { namesOf } from '../matching/arbitrary-input.js';
import { brokenInvariants } from '../matching/chargeback-invariants.js';
import { openFindings } from '../matching/findings.js';
import { arbitraryPlayed, play, type PlayedHistories } from '../matching/play-histories.js';
import { rolledBack } from '../matching/scenario.js';
import { namedState } from '../matching/stored-judgement.js';
import { recordsOf } from '../matching/worlds.js';
import { oneAndSeveral } from './one-and-several.js';

/** The histories of `test/matching/mixed-histories.property.test.ts`, on one server and on two shards. */

const databases = Number(process.env['RECON_PROPERTY_RUNS'] ?? 1);

vi.setConfig({ testTimeout: 300_000 * databases });

const { one, several } = oneAndSeveral();

/** Everything that is stored after each run. People decide about what was found on this server. */
const played = (database: Database, histories: PlayedHistories): Promise<unknown[]> =>
  rolledBack(database.sql, async (tx) => {
    const states: unknown[] = [];
    const { stored, again } = await play(tx, histories, async (_tx, known) => {
      states.push(await namedState(tx));
      expect(await brokenInvariants(tx)).toEqual([]);
      return openFindings(tx, namesOf(recordsOf(known.at(-1) ?? [])));
    });
    expect(again).toEqual(stored);
    return [...states, await namedState(tx)];
  });

/**
 * The same worlds each time, so that a failure comes from the change that is tested. RECON_PROPERTY_SEED makes others,
 * and RECON_PROPERTY_RUNS more.
 */
it('results, findings and chargebacks are the same on one server and on shards after each run', () =>
  fc.assert(
    fc.asyncProperty(arbitraryPlayed(), async (histories) => {
      const expected = await played(one(), histories);
      const actual = await played(several(), histories);
      for (const [index, state] of expected.entries()) expect(actual[index]).toEqual(state);
    }),
    {
      numRuns: databases,
      seed: Number(process.env['RECON_PROPERTY_SEED'] ?? 7),
    },
  ));
