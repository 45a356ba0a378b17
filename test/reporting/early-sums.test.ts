import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunScope } from '../../src/db/run-scope.js';
import { EarlySums } from '../../src/reporting/early-sums.js';
import type { AcceptedTotals } from '../../src/reporting/totals/accepted-totals.js';
import { sumAcceptedRows } from '../../src/reporting/totals/sum-accepted-rows.js';
import { runId } from '../../src/values/ids.js';
import { arbitraryRows, filesOf } from './arbitrary-files.js';
import { facts, first, second } from './night.js';
import { runScope } from './reporting-defaults.js';
import { createWorld, folderContent, settlementFile, type World } from './world.js';

let world: World;

beforeEach(async () => {
  world = await createWorld();
});

afterEach(() => world.end());

function earlySums(scope: RunScope): EarlySums {
  const early = new EarlySums(world.sql, scope, 1_000_000);
  early.begin();
  return early;
}

const listed = ({ controlTotals, ...rest }: AcceptedTotals) => ({
  controlTotals: [...controlTotals],
  ...rest,
});

test('the sums are the same, whatever the matching decides after they were read', async () => {
  let run = 0;
  const input = fc.record({ file: arbitraryRows, uncounted: fc.uniqueArray(fc.nat({ max: 11 })) });
  await fc.assert(
    fc.asyncProperty(input, async ({ file, uncounted }) => {
      run += 1;
      await world.store(filesOf(run, file).flatMap((each) => settlementFile(each).facts));
      const scope: RunScope = { kind: 'run', runId: runId(run), asOf: '2026-11-20' };
      const sums = await earlySums(scope).take();
      const lines = uncounted.filter((index) => index < file.rows.length).map((index) => index + 2);
      await world.store(
        lines.map((line) => [
          'uncounted_records',
          { file_id: 2 * run, line, reason: 'SUPERSEDED', run_id: run },
        ]),
      );
      expect(sums?.files).toContain(2 * run);
      const [usual, separated] = await world.transact(async (tx) => [
        listed(await sumAcceptedRows(tx, scope)),
        listed(await sumAcceptedRows(tx, scope, sums)),
      ]);
      expect(separated).toEqual(usual);
    }),
    { numRuns: 60 },
  );
});

test('the sums are the same if an earlier file, whose rows the files repeat, is withdrawn meanwhile', async () => {
  let run = 0;
  const input = fc.record({
    file: arbitraryRows.filter(({ repeated }) => repeated > 0),
    uncounted: fc.uniqueArray(fc.nat({ max: 2 })),
    isWithdrawn: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(input, async ({ file, uncounted, isWithdrawn }) => {
      run += 1;
      const [earlier, repeating] = filesOf(run, file);
      if (earlier === undefined || repeating === undefined) throw new Error('nothing is repeated');
      await world.store(settlementFile({ ...earlier, finishedRunId: 1_000_000 + run }).facts);
      await world.store(settlementFile(repeating).facts);
      const scope: RunScope = { kind: 'run', runId: runId(run), asOf: '2026-11-20' };
      const sums = await earlySums(scope).take();
      const lines = uncounted.filter((index) => index < file.rows.length).map((index) => index + 2);
      await world.store([
        ...(isWithdrawn
          ? [['withdrawn_files', { file_id: 2 * run, run_id: run }] as [string, Record<string, unknown>]]
          : []),
        ...lines.map((line): [string, Record<string, unknown>] => [
          'uncounted_records',
          { file_id: 2 * run, line, reason: 'SUPERSEDED', run_id: run },
        ]),
      ]);
      expect(sums?.files).toEqual([2 * run + 1]);
      const [usual, separated] = await world.transact(async (tx) => [
        listed(await sumAcceptedRows(tx, scope)),
        listed(await sumAcceptedRows(tx, scope, sums)),
      ]);
      expect(separated).toEqual(usual);
      await world.transact((tx) => tx`delete from withdrawn_files`);
    }),
    { numRuns: 40 },
  );
});

test('a report with sums that were read before is the same as one without', async () => {
  world.archive(first);
  world.archive(second);
  await world.store(facts);
  const usual = folderContent((await world.publish()).directory);
  const earlier = earlySums(runScope);
  rmSync(world.reports, { recursive: true });
  expect(folderContent((await world.publish({ earlySums: earlier })).directory)).toEqual(usual);
  // Whoever takes them adds to them, so a report that is repeated adds up everything itself.
  expect(await earlier.take()).toBeNull();
  rmSync(world.reports, { recursive: true });
  expect(folderContent((await world.publish({ earlySums: earlier })).directory)).toEqual(usual);
});

test('sums of other files than those of the report are not used', async () => {
  await world.store(facts);
  const sums = await earlySums(runScope).take();
  expect(sums?.files).toContain(1);
  await world.store([['withdrawn_files', { file_id: 1, run_id: 1 }]]);
  const [usual, separated] = await world.transact(async (tx) => [
    listed(await sumAcceptedRows(tx, runScope)),
    listed(await sumAcceptedRows(tx, runScope, sums)),
  ]);
  expect(separated).toEqual(usual);
});

test('sums that are given up, never begun or of a few records are missing', async () => {
  const never = new EarlySums(world.sql, runScope, 1_000_000);
  expect(await never.take()).toBeNull();
  const few = new EarlySums(world.sql, runScope, 49_999);
  few.begin();
  expect(await few.take()).toBeNull();
  const givenUp = new EarlySums(world.sql, runScope, 1_000_000);
  givenUp.begin();
  await givenUp.end();
  expect(await givenUp.take()).toBeNull();
});
