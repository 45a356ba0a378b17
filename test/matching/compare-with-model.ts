import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { MatchingSettings } from '../../src/matching/run-matching.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { judge, judgeRuns, keyOf, type Judged, type MatchingInput, type Rules } from './model.js';
import {
  arbitraryInput,
  arbitraryLinkedInput,
  due,
  namesOf,
  rearranged,
  reversalsOf,
  withoutChargebacks,
} from './arbitrary-input.js';
import { matchRun, matchRange, matchesOf, openFindings, toleratedOf } from './findings.js';
import { fingerprintOf, storePayments, storeRecords, rolledBack } from './scenario.js';

/** Each day of the records apart: a re-run of one must judge those of the others again whose payments gain or lose room. */
const days = ['2026-11-18', '2026-11-19', '2026-11-20'].map((day) => ({ from: day, to: day }));

const timeLimitMs = 300_000;

type MatchTx = Parameters<typeof matchRun>[0];

/** What the model states, as it is stored. Chargeback ids are left out, and so is the key of a record that does not count. */
async function storedJudgement(tx: MatchTx, input: MatchingInput): Promise<Judged> {
  const names = namesOf(input);
  const matches = Object.entries(await matchesOf(tx, names)).map(([key, line]) => [
    key,
    line.startsWith('NOT_APPLICABLE') ? 'NOT_APPLICABLE' : line.replace(/ [0-9a-f]{32}$/, ''),
  ]);
  return {
    matches: Object.fromEntries(matches) as Record<string, string>,
    findings: await openFindings(tx, names),
    reversals: await reversalsOf(tx, names),
    tolerated: await toleratedOf(tx, names),
  };
}

function settingsOf({ corrections, tolerance, brandAliases }: Rules): Partial<MatchingSettings> {
  return { corrections: { test: corrections }, allowances: { tolerance, brandAliases } };
}

/** The records file by file, in the order of receipt. */
function byFile({ records }: MatchingInput): MatchingInput['records'][] {
  const files = [...new Set(records.map((record) => record.file))].sort((a, b) => a - b);
  return files.map((file) => records.filter((record) => record.file === file));
}

/**
 * Compares the matching in SQL with the plain model on random sets of payments, records and settings. `npm test` checks
 * a few sets, `npm run test:all` many more.
 */
export function compareWithModel(numRuns: number): void {
  vi.setConfig({ testTimeout: timeLimitMs });
  let testDatabase: TestDatabase;
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
  });
  afterAll(() => testDatabase.drop());

  /** Checks a property of random input in a transaction that is rolled back. */
  const check = (
    property: (tx: MatchTx, input: MatchingInput, shuffle: Iterable<number>) => Promise<void>,
    { inputs = arbitraryInput, runs = numRuns } = {},
  ) =>
    fc.assert(
      fc.asyncProperty(inputs, fc.infiniteStream(fc.nat()), (input, shuffle) =>
        rolledBack(testDatabase.database.sql, (tx) => property(tx, input, shuffle)),
      ),
      // Ends the search for a smaller example in time, so that the example is printed.
      { numRuns: runs, interruptAfterTimeLimit: timeLimitMs - 30_000, markInterruptAsFailure: true },
    );

  describe('matching and assessing', () => {
    it('agree with the simple model, whatever the order and the files of the records', () =>
      check(async (tx, any, shuffle) => {
        const input = { ...any, records: rearranged(any.records, shuffle) };
        await storePayments(tx, rearranged(input.payments, shuffle));
        await storeRecords(tx, 1, input.records);
        await matchRun(tx, 1, settingsOf(input.rules));
        expect(await storedJudgement(tx, input)).toEqual(judge(input, due));
      }));

    it('agree with it over several runs, and a re-run of the whole range changes nothing', () =>
      check(async (tx, any, shuffle) => {
        const input = { ...any, records: rearranged(any.records, shuffle) };
        await storePayments(tx, input.payments);
        const known: MatchingInput[] = [{ ...input, records: [] }];
        for (const records of byFile(input)) {
          await storeRecords(tx, known.length, records);
          await matchRun(tx, known.length, settingsOf(input.rules));
          known.push({ ...input, records: [...(known.at(-1)?.records ?? []), ...records] });
        }
        if (known.length === 1) await matchRun(tx, 1, settingsOf(input.rules));
        expect(await storedJudgement(tx, input)).toEqual(judgeRuns(known, due));
        const stored = await storedState(tx);
        await matchRange(tx, 90, undefined, settingsOf(input.rules));
        expect(await storedState(tx)).toEqual(stored);
      }));

    it('follow the links and unlinks of people, made before the first run', () =>
      check(
        async (tx, input) => {
          await storePayments(tx, input.payments);
          await storeRecords(tx, 1, input.records);
          await storeLinks(tx, input);
          await matchRun(tx, 1, settingsOf(input.rules));
          expect(await storedJudgement(tx, input)).toEqual(judge(input, due));
        },
        { inputs: arbitraryLinkedInput },
      ));

    it('follow links and unlinks that are made after a run, and return when they are taken back', () =>
      check(
        async (tx, any, shuffle) => {
          const input = withoutChargebacks({ ...any, records: rearranged(any.records, shuffle) });
          const settings = settingsOf(input.rules);
          await storePayments(tx, input.payments);
          await storeRecords(tx, 1, input.records);
          await matchRun(tx, 1, settings);
          const numbers = await storeLinks(tx, input);
          for (const [run, expected] of [
            [2, input],
            [5, { ...input, links: [] }],
          ] as const) {
            if (run === 5) await takeBack(tx, numbers);
            for (const day of rearranged(days, shuffle)) await matchRange(tx, run, day, settings);
            await matchRun(tx, run + 1, settings);
            expect(await storedJudgement(tx, input)).toEqual(judge(expected, due));
            const stored = await storedState(tx);
            await matchRange(tx, run + 2, undefined, settings);
            expect(await storedState(tx)).toEqual(stored);
          }
        },
        // Eight matchings each.
        { inputs: arbitraryLinkedInput, runs: Math.ceil(numRuns / 3) },
      ));

    it('find late payments as soon as the range is run again', () =>
      check(async (tx, any, shuffle) => {
        const input = withoutChargebacks({ ...any, records: rearranged(any.records, shuffle) });
        const payments = rearranged(input.payments, shuffle);
        const half = Math.floor(payments.length / 2);
        await storePayments(tx, payments.slice(0, half));
        await storeRecords(tx, 1, input.records);
        await matchRun(tx, 1, settingsOf(input.rules));
        await storePayments(tx, payments.slice(half));
        for (const day of rearranged(days, shuffle)) await matchRange(tx, 2, day, settingsOf(input.rules));
        await matchRun(tx, 3, settingsOf(input.rules));
        expect(await storedJudgement(tx, input)).toEqual(judge(input, due));
      }));

    it('keep chargeback ids and their payments when late payments are stored', () =>
      check(async (tx, any, shuffle) => {
        const input = { ...any, records: rearranged(any.records, shuffle) };
        const payments = rearranged(input.payments, shuffle);
        const half = Math.floor(payments.length / 2);
        const known: MatchingInput[] = [];
        const files = byFile(input);
        for (const [index, records] of files.entries()) {
          const isLast = index === files.length - 1;
          const late = index === 0 ? payments.slice(0, half) : isLast ? payments.slice(half) : [];
          const stored = known.at(-1) ?? { ...input, payments: [], records: [] };
          await storePayments(tx, late);
          await storeRecords(tx, index + 1, records);
          await matchRange(tx, index + 1, undefined, settingsOf(input.rules));
          known.push({
            ...input,
            payments: [...stored.payments, ...late],
            records: [...stored.records, ...records],
          });
        }
        if (known.length > 0) expect(await storedJudgement(tx, input)).toEqual(judgeRuns(known, due));
      }));
  });
}

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
    union all select 'link', ctid::text, l::text from chargeback_links l
    union all select 'uncounted', ctid::text, u::text from uncounted_records u
    order by 1, 3`;
}
