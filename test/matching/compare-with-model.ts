import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { judge, type MatchingInput } from './model.js';
import {
  arbitraryInput,
  due,
  namesOf,
  rearranged,
  reversalsOf,
  withoutChargebacks,
} from './arbitrary-input.js';
import { matchRun, matchRange, matchesOf, openFindings } from './findings.js';
import { storePayments, storeRecords, rolledBack } from './scenario.js';

/** Each day of the records apart: a re-run of one must judge those of the others again whose payments gain or lose room. */
const days = ['2026-11-18', '2026-11-19', '2026-11-20'].map((day) => ({ from: day, to: day }));

/** Matches in the database without the chargeback ids, which the model does not have. */
function withoutIds(matches: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(matches).map(([key, line]) => [key, line.replace(/ [0-9a-f]{32}$/, '')]),
  );
}

/**
 * Compares the matching in SQL with the plain model on random sets of payments and records. `npm test` checks a few
 * sets, `npm run test:all` many more.
 */
export function compareWithModel(numRuns: number): void {
  const runs = { numRuns };
  let testDatabase: TestDatabase;
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
  });
  afterAll(() => testDatabase.drop());

  describe('matching and assessing', () => {
    it('agree with the simple model, whatever the order and the files of the records', async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryInput, fc.infiniteStream(fc.nat()), async (input, shuffle) => {
          const records = rearranged(input.records, shuffle);
          await rolledBack(testDatabase.database.sql, async (tx) => {
            await storePayments(tx, rearranged(input.payments, shuffle));
            await storeRecords(tx, 1, records);
            await matchRun(tx, 1);
            const names = namesOf(input);
            const model = judge(input, due);
            expect(withoutIds(await matchesOf(tx, names))).toEqual(model.matches);
            expect(await openFindings(tx, names)).toEqual(model.findings);
            expect(await reversalsOf(tx, names)).toEqual(model.reversals);
          });
        }),
        runs,
      );
    });

    it('give the same result over several runs as in one, and a re-run of the whole range changes nothing', async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryInput, fc.infiniteStream(fc.nat()), async (any, shuffle) => {
          const input: MatchingInput = withoutChargebacks(any);
          await rolledBack(testDatabase.database.sql, async (tx) => {
            await storePayments(tx, input.payments);
            const records = rearranged(input.records, shuffle);
            const files = [...new Set(records.map((record) => record.file))];
            let run = 0;
            for (const file of files) {
              run += 1;
              await storeRecords(
                tx,
                run,
                records.filter((record) => record.file === file),
              );
              await matchRun(tx, run);
            }
            if (run === 0) await matchRun(tx, 1);
            const model = judge(input, due);
            expect(await matchesOf(tx, namesOf(input))).toEqual(model.matches);
            expect(await openFindings(tx, namesOf(input))).toEqual(model.findings);
            const stored = await storedState(tx);
            await matchRange(tx, 90);
            expect(await storedState(tx)).toEqual(stored);
          });
        }),
        runs,
      );
    });

    it('find late payments as soon as the range is run again', async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryInput, fc.infiniteStream(fc.nat()), async (any, shuffle) => {
          const input = withoutChargebacks(any);
          await rolledBack(testDatabase.database.sql, async (tx) => {
            const payments = rearranged(input.payments, shuffle);
            const half = Math.floor(payments.length / 2);
            await storePayments(tx, payments.slice(0, half));
            await storeRecords(tx, 1, rearranged(input.records, shuffle));
            await matchRun(tx, 1);
            await storePayments(tx, payments.slice(half));
            for (const day of rearranged(days, shuffle)) await matchRange(tx, 2, day);
            await matchRun(tx, 3);
            const model = judge(input, due);
            expect(await matchesOf(tx, namesOf(input))).toEqual(model.matches);
            expect(await openFindings(tx, namesOf(input))).toEqual(model.findings);
          });
        }),
        runs,
      );
    });
  });
}

type MatchTx = Parameters<typeof matchRun>[0];

/** Every result with the physical version of its row, so that an update which changes nothing is visible. */
async function storedState(tx: MatchTx): Promise<unknown> {
  return tx`
    select 'match' as kind, ctid::text, m::text from record_matches m
    union all select 'candidate', ctid::text, c::text from match_candidates c
    union all select 'discrepancy', ctid::text, d::text from discrepancies d
    order by 1, 3`;
}
