import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { judge, keyOf, type MatchingInput } from './model.js';
import {
  arbitraryInput,
  arbitraryLinkedInput,
  due,
  namesOf,
  rearranged,
  reversalsOf,
  withoutChargebacks,
} from './arbitrary-input.js';
import { matchRun, matchRange, matchesOf, openFindings } from './findings.js';
import { fingerprintOf, storePayments, storeRecords, rolledBack } from './scenario.js';

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

    it('follow the links and unlinks of people, made before the first run', async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryLinkedInput, async (input) => {
          await rolledBack(testDatabase.database.sql, async (tx) => {
            await storePayments(tx, input.payments);
            await storeRecords(tx, 1, input.records);
            await storeLinks(tx, input);
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

    it('follow links and unlinks that are made after a run, and return when they are taken back', async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryLinkedInput, fc.infiniteStream(fc.nat()), async (any, shuffle) => {
          const input = withoutChargebacks(any);
          await rolledBack(testDatabase.database.sql, async (tx) => {
            await storePayments(tx, input.payments);
            await storeRecords(tx, 1, rearranged(input.records, shuffle));
            await matchRun(tx, 1);
            const names = namesOf(input);
            const plain = { payments: input.payments, records: input.records };
            const numbers = await storeLinks(tx, input);
            for (const [run, expected] of [
              [2, input],
              [5, plain],
            ] as const) {
              if (run === 5) await takeBack(tx, numbers);
              for (const day of rearranged(days, shuffle)) await matchRange(tx, run, day);
              await matchRun(tx, run + 1);
              const model = judge(expected, due);
              expect(await matchesOf(tx, names)).toEqual(model.matches);
              expect(await openFindings(tx, names)).toEqual(model.findings);
              const stored = await storedState(tx);
              await matchRange(tx, run + 2);
              expect(await storedState(tx)).toEqual(stored);
            }
          });
        }),
        // Eight matchings each.
        { numRuns: Math.ceil(numRuns / 3) },
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

/** @returns the numbers of the decisions */
async function storeLinks(tx: MatchTx, { records, links = [] }: MatchingInput): Promise<bigint[]> {
  const numbers: bigint[] = [];
  for (const { record: key, kind, payment } of links) {
    const [name = '', occurrence = '1'] = key.split('/');
    if (!records.some((each) => keyOf(each) === key)) continue;
    const [row] = await tx<{ number: bigint }[]>`
      insert into decisions (item, file_id, line, kind, payment_key, basis, author, decided_on, decided_at, origin)
      select 'x', r.file_id, r.line, ${kind}, p.key, 'b', 'anna', '2026-11-22', now(), 'command'
      from settlement_records r, payments p
      where r.fingerprint = ${fingerprintOf(name)} and r.occurrence = ${Number(occurrence)} and p.id = ${payment}
      returning number`;
    if (row !== undefined) numbers.push(row.number);
  }
  return numbers;
}

async function takeBack(tx: MatchTx, numbers: readonly bigint[]): Promise<void> {
  for (const number of numbers) {
    await tx`
      insert into decisions (item, kind, refers_to, basis, author, decided_on, decided_at, origin)
      values ('x', 'undo', ${number.toString()}, 'b', 'anna', '2026-11-22', now(), 'command')`;
  }
}

/** Every result with the physical version of its row, so that an update which changes nothing is visible. */
async function storedState(tx: MatchTx): Promise<unknown> {
  return tx`
    select 'match' as kind, ctid::text, m::text from record_matches m
    union all select 'candidate', ctid::text, c::text from match_candidates c
    union all select 'discrepancy', ctid::text, d::text from discrepancies d
    order by 1, 3`;
}
