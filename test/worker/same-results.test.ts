import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryNight, filesOf, install, runOn, seenOf } from '../run/overlapping-files.js';
import { startWorkers } from './workers.js';

/** How many workers a run has changes nothing that a person or a program sees. */
const worlds = Number(process.env['RECON_PROPERTY_RUNS'] ?? 1);

test('the same files give the same bytes without workers and with three', async () => {
  await fc.assert(
    fc.asyncProperty(fc.tuple(arbitraryNight, arbitraryNight), async (drawn) => {
      const alone = await install(1);
      const helped = await install(1);
      const workers = await startWorkers(helped, 3);
      for (const [night, files] of drawn.entries()) {
        const outcome = await runOn(helped, filesOf(night, files));
        expect(outcome.code, outcome.messages.join('\n')).toBe(4);
        expect(outcome).toEqual(await runOn(alone, filesOf(night, files)));
      }
      const ended = await workers.stop();
      // Which of them gets a file is chance; workers-fail.test.ts shows that they do.
      expect(ended.map(({ code }) => code)).toEqual([130, 130, 130]);
      expect(await seenOf(helped)).toEqual(await seenOf(alone));
      const { sql } = helped.database.database;
      expect(await sql`select place from file_claims`).toEqual([]);
      expect(await sql`select id from workers`).toEqual([]);
    }),
    { numRuns: worlds, seed: Number(process.env['SEED'] ?? 7), endOnFailure: true },
  );
}, 600_000);
