import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { MatchingSettings } from '../../src/matching/run-matching.js';
import { databaseForAllTests, type TestDatabase } from '../support/database.js';
import { judge, keyOf, type Judged, type MatchingInput } from './model.js';
import {
  arbitraryInput,
  arbitraryLinkedInput,
  due,
  rearranged,
  withoutChargebacks,
} from './arbitrary-input.js';
import { arbitraryFates, Fated } from './fates.js';
import { arbitraryHistory, runs, World, type History } from './histories.js';
import { matchRun, matchRange } from './findings.js';
import { fingerprintOf, storePayments, storeRecords, rolledBack, type TestPayment } from './scenario.js';
import {
  days,
  judgementOfRuns,
  settingsOf,
  storedJudgement,
  storedState,
  type MatchTx,
} from './stored-judgement.js';
import {
  arbitraryWorlds,
  databasesOf,
  merged,
  paymentsOf,
  rearrangedRecords,
  recordsOf,
  runsOf,
  type Worlds,
} from './worlds.js';

/** The worlds of one database take a second or two; on a machine with much other work, they took fifteen. */
const databaseTimeLimitMs = 60_000;

/** What the model says about worlds that arrived in one run. */
const judgement = (worlds: Worlds): Judged => merged(worlds.map((input) => judge(input, due)));

/**
 * Compares the matching in SQL with the plain model on random worlds of payments, records and settings. `npm test`
 * checks a few worlds, `npm run test:all` many more.
 *
 * @param numWorlds about how many for each property
 * @param seed of the worlds; default: new worlds each time
 * @param createDatabase the database to match in; default: an empty one
 */
export function compareWithModel(
  numWorlds: number,
  seed?: number,
  createDatabase?: () => Promise<TestDatabase>,
): void {
  const timeLimitMs = databaseTimeLimitMs * Math.max(5, databasesOf(numWorlds));
  vi.setConfig({ testTimeout: timeLimitMs });
  const testDatabase = databaseForAllTests(createDatabase);

  /** Checks a property of random worlds in a transaction that is rolled back. */
  const check = <Input extends MatchingInput>(
    property: (tx: MatchTx, worlds: readonly Input[], shuffle: Iterable<number>) => Promise<void>,
    inputs: fc.Arbitrary<Input>,
  ) =>
    fc.assert(
      fc.asyncProperty(arbitraryWorlds(inputs), fc.infiniteStream(fc.nat()), (worlds, shuffle) =>
        rolledBack(testDatabase.database.sql, (tx) => property(tx, worlds, shuffle)),
      ),
      {
        numRuns: databasesOf(numWorlds),
        ...(seed === undefined ? {} : { seed }),
        // Ends the search for a smaller example in time, so that the example is printed.
        interruptAfterTimeLimit: timeLimitMs - 30_000,
        // A search for new worlds that finds nothing until then has succeeded.
        markInterruptAsFailure: seed !== undefined,
      },
    );

  // No second try: other worlds would hide what the first have found.
  describe('matching and assessing', { retry: 0 }, () => {
    it('agree with the simple model, whatever the order and the files of the records', () =>
      check(async (tx, any, shuffle) => {
        const worlds = rearrangedRecords(any, shuffle);
        await storePayments(tx, rearranged(paymentsOf(worlds), shuffle));
        await storeRecords(tx, 1, recordsOf(worlds));
        await matchRun(tx, 1, settingsOf(worlds));
        expect(await storedJudgement(tx, worlds)).toEqual(judgement(worlds));
      }, arbitraryInput));

    it('agree with it over several runs, and a re-run of the whole range changes nothing', () =>
      check(async (tx, any, shuffle) => {
        const worlds = rearrangedRecords(any, shuffle);
        const runs = runsOf(worlds);
        await storePayments(tx, paymentsOf(worlds));
        for (const [index, { added }] of runs.entries()) {
          await storeRecords(tx, index + 1, added);
          await matchRun(tx, index + 1, settingsOf(worlds));
        }
        expect(await storedJudgement(tx, worlds)).toEqual(judgementOfRuns(runs.map(({ known }) => known)));
        const stored = await storedState(tx);
        await matchRange(tx, 90, undefined, settingsOf(worlds));
        expect(await storedState(tx)).toEqual(stored);
      }, arbitraryInput));

    it('follow the links and unlinks of people, made before the first run', () =>
      check(async (tx, worlds) => {
        await storePayments(tx, paymentsOf(worlds));
        await storeRecords(tx, 1, recordsOf(worlds));
        await storeLinks(tx, worlds);
        await matchRun(tx, 1, settingsOf(worlds));
        expect(await storedJudgement(tx, worlds)).toEqual(judgement(worlds));
      }, arbitraryLinkedInput));

    it('follow links and unlinks that are made after a run, and return when they are taken back', () =>
      check(async (tx, any, shuffle) => {
        const worlds = rearrangedRecords(any.map(withoutChargebacks), shuffle);
        const settings = settingsOf(any);
        await storePayments(tx, paymentsOf(worlds));
        await storeRecords(tx, 1, recordsOf(worlds));
        await matchRun(tx, 1, settings);
        const numbers = await storeLinks(tx, worlds);
        for (const [run, expected] of [
          [2, worlds],
          [5, worlds.map((input) => ({ ...input, links: [] }))],
        ] as const) {
          if (run === 5) await takeBack(tx, numbers);
          for (const day of rearranged(days, shuffle)) await matchRange(tx, run, day, settings);
          await matchRun(tx, run + 1, settings);
          expect(await storedJudgement(tx, worlds)).toEqual(judgement(expected));
          const stored = await storedState(tx);
          await matchRange(tx, run + 2, undefined, settings);
          expect(await storedState(tx)).toEqual(stored);
        }
      }, arbitraryLinkedInput));

    it('follow decisions about deliveries, withdrawals and restorations between runs', () =>
      check(
        async (tx, any, shuffle) =>
          live(tx, { settings: settingsOf(any), histories: rearrangedRecords(any, shuffle) }),
        arbitraryHistory,
      ));

    it('follow them whichever days are run again in between', () =>
      check(
        async (tx, any, shuffle) =>
          live(tx, {
            settings: settingsOf(any),
            // A re-run of a day links the reversals of that day, so it may give other chargeback ids.
            histories: rearrangedRecords(any.map(withoutChargebacks), shuffle),
            daysBefore: (run) => rearranged(days, shuffle).slice(1 + (run % 3)),
          }),
        arbitraryHistory,
      ));

    it('find late payments as soon as the range is run again', () =>
      check(async (tx, any, shuffle) => {
        const worlds = rearrangedRecords(any.map(withoutChargebacks), shuffle);
        const payments = rearranged(paymentsOf(worlds), shuffle);
        const half = Math.floor(payments.length / 2);
        await storePayments(tx, payments.slice(0, half));
        await storeRecords(tx, 1, recordsOf(worlds));
        await matchRun(tx, 1, settingsOf(worlds));
        await storePayments(tx, payments.slice(half));
        for (const day of rearranged(days, shuffle)) await matchRange(tx, 2, day, settingsOf(worlds));
        await matchRun(tx, 3, settingsOf(worlds));
        expect(await storedJudgement(tx, worlds)).toEqual(judgement(worlds));
      }, arbitraryInput));

    it('find in the next run what happened to payments, as a re-run of everything does', () =>
      check(async (tx, any, shuffle) => {
        const worlds = rearrangedRecords(any, shuffle);
        const fated = worlds.map((input) => new Fated(input));
        for (const world of fated) await world.begin(tx);
        const parts = [...runsOf(worlds), { added: [], known: worlds }];
        const known: Worlds[] = [];
        for (const [index, part] of parts.entries()) {
          const run = index + 1;
          for (const world of fated) await world.before(tx, run);
          await storeRecords(tx, run, part.added);
          await matchRun(tx, run, settingsOf(worlds));
          known.push(
            part.known.map((input, place) => ({ ...input, payments: fated[place]?.payments ?? [] })),
          );
        }
        expect(await storedJudgement(tx, worlds)).toEqual(judgementOfRuns(known));
        const stored = await storedState(tx);
        await matchRange(tx, 90, undefined, settingsOf(worlds));
        expect(await storedState(tx)).toEqual(stored);
      }, arbitraryFates));

    it('keep chargeback ids and their payments when late payments are stored', () =>
      check(async (tx, any, shuffle) => {
        const worlds = rearrangedRecords(any, shuffle).map((input) => ({
          ...input,
          payments: rearranged(input.payments, shuffle),
        }));
        const early = worlds.map((input) => ({
          ...input,
          payments: input.payments.slice(0, Math.floor(input.payments.length / 2)),
        }));
        const parts = [...runsOf(early).slice(0, -1), ...runsOf(worlds).slice(-1)];
        let stored: readonly TestPayment[] = [];
        for (const [index, { added, known }] of parts.entries()) {
          const payments = paymentsOf(known);
          await storePayments(
            tx,
            payments.filter((each) => !stored.includes(each)),
          );
          stored = payments;
          await storeRecords(tx, index + 1, added);
          await matchRange(tx, index + 1, undefined, settingsOf(worlds));
        }
        expect(await storedJudgement(tx, worlds)).toEqual(judgementOfRuns(parts.map(({ known }) => known)));
      }, arbitraryInput));
  });
}

interface Life {
  readonly settings: Partial<MatchingSettings>;
  readonly histories: readonly History[];
  /** Which days are run again before a run. */
  readonly daysBefore?: (run: number) => readonly { readonly from: string; readonly to: string }[];
}

/** Compares with the model after every run of the worlds; a re-run of the whole range then changes nothing. */
async function live(tx: MatchTx, { settings, histories, daysBefore = () => [] }: Life): Promise<void> {
  await storePayments(tx, paymentsOf(histories));
  const worlds = histories.map((history, index) => new World(history, index));
  const known: Worlds[] = [];
  for (const run of runs) {
    for (const world of worlds) await world.act(tx);
    const arriving = worlds.map((world) => world.arriving());
    await storeRecords(
      tx,
      run,
      arriving.flatMap(({ records }) => records),
      arriving.flatMap(({ repeats }) => repeats),
    );
    await storeLinks(
      tx,
      worlds.map((world, index) => ({ ...world.input, records: arriving[index]?.records ?? [] })),
    );
    for (const day of daysBefore(run)) await matchRange(tx, run, day, settings);
    await matchRun(tx, run, settings);
    const now = worlds.map((world) => world.input);
    known.push(now);
    const expected = judgementOfRuns(known);
    expect(await storedJudgement(tx, now)).toEqual(expected);
    for (const world of worlds) world.found(expected.findings);
  }
  const stored = await storedState(tx);
  await matchRange(tx, 90, undefined, settings);
  expect(await storedState(tx)).toEqual(stored);
}

/** @returns the numbers of the decisions */
async function storeLinks(tx: MatchTx, worlds: Worlds): Promise<bigint[]> {
  const records = recordsOf(worlds);
  const numbers: bigint[] = [];
  for (const { record: key, kind, payment } of worlds.flatMap(({ links = [] }) => links)) {
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
