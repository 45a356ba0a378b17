import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { runReconciliation } from '../../src/run/run-reconciliation.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { runContext } from '../support/run-context.js';
import { folderForEachTest } from '../support/test-folder.js';

/** The clock of the machine is set while a run is active: what is stored and reported must not depend on it. */
const inbound = path.resolve(import.meta.dirname, '../../fixtures/demo/inbound');
const files = readdirSync(inbound)
  .sort()
  .map((name) => path.join(inbound, name));
const hour = 3_600_000;
const noon = Date.UTC(2026, 10, 20, 12);

let testDatabase: TestDatabase;
const directory = folderForEachTest();

beforeEach(async () => {
  testDatabase = await createTestDatabase();
});

afterEach(() => testDatabase.drop());

/** Runs over the sample files with a clock that is set once, when it has been read `looks` times. */
async function runByClock(jumpMs: number, looks: number): Promise<RunOutcome> {
  let asked = 0;
  const clock = () => {
    asked += 1;
    return noon + asked + (asked > looks ? jumpMs : 0);
  };
  const context = runContext(testDatabase.database, directory.path, { clock });
  return runReconciliation(context, { sources: null, files, asOf: '2026-11-20', dryRun: false });
}

/** Reports without the time of reception, which stands where a row has none. */
function reportsOf({ reports }: RunOutcome): string[] {
  const all = [reports?.discrepancies, reports?.rejectedRows, reports?.chargebacks].concat(
    reports?.reconciled,
  );
  return all.map((file) =>
    readFileSync(file ?? '', 'utf8').replaceAll(/2026-11-(19|20|21) 1[123]:00:00\+0000/g, 'received'),
  );
}

describe('F97 a clock that is set while a run is active', () => {
  let baseline: { outcome: RunOutcome; reports: string[] } | undefined;

  test.each([
    ['not at all', 0],
    ['an hour forward', hour],
    ['an hour back', -hour],
    ['a day forward', 24 * hour],
    ['a day back', -24 * hour],
  ])('%s: the same findings, no run that ends before it began', async (_name, jumpMs) => {
    // It is read when the run is opened, twice for each file, and when the run is closed.
    for (const looks of jumpMs === 0 ? [0] : [1, 3]) {
      const outcome = await runByClock(jumpMs, looks);
      const reports = reportsOf(outcome);
      baseline ??= { outcome, reports };
      expect(outcome.status).toBe('completed');
      expect(outcome.matching).toEqual(baseline.outcome.matching);
      expect(outcome.discrepancies).toEqual(baseline.outcome.discrepancies);
      expect(outcome.files).toEqual(baseline.outcome.files);
      expect(reports).toEqual(baseline.reports);
      const { sql } = testDatabase.database;
      const [run] = await sql`select finished_at >= started_at as forward from runs`;
      expect(run).toEqual({ forward: true });
      await testDatabase.drop();
      rmSync(directory.path, { recursive: true });
      testDatabase = await createTestDatabase();
    }
  });

  test('the later run is the later one, whatever the clock says; a dead one does not end before it began', async () => {
    let nowMs = noon;
    const context = runContext(testDatabase.database, directory.path, { clock: () => nowMs });
    const { sql } = testDatabase.database;
    const run = (asOf: string) => runReconciliation(context, { sources: null, files, asOf, dryRun: false });
    expect((await run('2026-11-20')).runId).toBe(1);
    await sql`update runs set status = 'running', finished_at = null`;
    nowMs -= 24 * hour;
    expect((await run('2026-11-21')).runId).toBe(2);
    const rows = await sql`
      select id, status, as_of, finished_at >= started_at as forward from runs order by id`;
    expect(rows).toEqual([
      { id: 1, status: 'abandoned', as_of: '2026-11-20', forward: true },
      { id: 2, status: 'completed', as_of: '2026-11-21', forward: true },
    ]);
    const [moved] =
      await sql`select count(*)::int as late from discrepancies where resolved_run < first_seen_run`;
    expect(moved).toEqual({ late: 0 });
  });
});
