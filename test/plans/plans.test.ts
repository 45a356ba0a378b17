import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sql, Tx } from '../../src/db/client.js';
import type { RunScope } from '../../src/db/run-scope.js';
import { FileResults } from '../../src/reporting/reconciled/file-results.js';
import { rowsOfDays } from '../../src/reporting/reconciled/rows-of-days.js';
import { matchScope, settings } from '../matching/findings.js';
import { rolledBack } from '../matching/scenario.js';
import { databaseForAllTests } from '../support/database.js';
import { crowd, knowledge, setStatistics, storeCrowdedQuarter, type Knowledge } from './crowded-quarter.js';
import {
  mostRowsAtOnce,
  mostRowsHandled,
  plansOf,
  recordPlans,
  tablesRead,
  timesAsked,
  type PlanRecorder,
} from './record-plans.js';
import { readReport } from './read-report.js';
import { fileId, runId } from '../../src/values/ids.js';

/**
 * No statement of a run, a re-run or a report may cost the product of two tables, whatever the planner knows about
 * them: an UPDATE that closed no discrepancy once took 226 of the 246 seconds of a week's re-run. Rows are counted and
 * not seconds, so a busy machine changes nothing.
 */
const asOf = '2026-11-20';
const night: RunScope = { kind: 'run', runId: runId(1), asOf };
const week: RunScope = { kind: 'range', from: '2026-10-01', to: '2026-10-07', asOf };
const oneDay = { kind: 'range', from: '2026-09-21', to: '2026-09-21', asOf } as const;
const whole: RunScope = { kind: 'range', from: '2026-08-22', to: '2026-11-20', asOf };

/** A join of everything with everything handles millions of rows here. */
const mostRows = 20 * (crowd.payments + crowd.records);

const testDatabase = databaseForAllTests();
let recorder: PlanRecorder;

beforeAll(async () => {
  await testDatabase.database.sql.begin(async (tx) => {
    await tx`select set_config('recon.fence', (select token::text from run_fence), true)`;
    await matchedQuarter(tx);
  });
  // A run looks for what happened since the one before the last.
  for (const run of [3, 4]) {
    await testDatabase.database.sql.begin((tx) => laterNight(tx, run));
    await othersHaveEnded(testDatabase.database.sql);
  }
  recorder = await recordPlans(testDatabase);
});

/** Other tests use the same server, and a run looks again at what their open transactions might have stored. */
async function othersHaveEnded(sql: Sql): Promise<void> {
  const [next] = await sql<
    { id: bigint }[]
  >`select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as id`;
  const oldest = async () => {
    const [row] = await sql<
      { id: bigint }[]
    >`select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as id`;
    return row?.id;
  };
  while (((await oldest()) ?? 0n) < (next?.id ?? 0n))
    await new Promise((resolve) => setTimeout(resolve, 200));
}

afterAll(() => recorder.end());

async function expectBoundedPlans(tx: Tx, work: () => Promise<void>): Promise<void> {
  const { plans } = await plansOf(recorder, tx, work);
  expect(plans.length).toBeGreaterThan(3);
  const beyond = plans
    .map(({ statement, root }) => ({ rows: mostRowsHandled(root), statement }))
    .filter(({ rows }) => rows > mostRows);
  expect(beyond).toEqual([]);
}

const match = async (tx: Tx, scope: RunScope, run = 5) => {
  await matchScope(tx, scope, { ...settings, lookbackDays: 90, runId: runId(run) });
};

const report = async (tx: Tx, scope: RunScope) => {
  await readReport(tx, scope, { asOf, lookbackDays: 90, run: 2 });
  for (const known of [0, 1]) {
    const results = await FileResults.open(tx, scope, {
      id: fileId(1),
      rows_total: 10,
      rows_already_known: known,
      lists_rejected: true,
      has_many_candidates: known > 0,
    });
    await results.advance();
    await results.close();
  }
};

/** A quarter that was matched once, with a week's payments changed since: there is something to open and to close. */
async function matchedQuarter(tx: Tx): Promise<void> {
  await storeCrowdedQuarter(tx);
  await match(tx, night, 2);
  await tx`update payments set result_code = '000.000.000' where result_code = '000.200.000'`;
}

/** A run without new files. */
async function laterNight(tx: Tx, run: number): Promise<void> {
  await tx`select set_config('recon.fence', (select token::text from run_fence), true)`;
  await match(tx, { kind: 'run', runId: runId(run), asOf }, run);
}

/** How many payments are reported as missing. */
async function countMissing(tx: Tx): Promise<number> {
  const [missing] = await tx<{ count: number }[]>`select count(*)::integer from discrepancies
    where code = 'MISSING_SETTLEMENT' and resolved_run is null`;
  return missing?.count ?? 0;
}

describe.each<Knowledge>([...knowledge])('when the statistics are %s', (kind) => {
  it.each([
    ['a run', night],
    ['a re-run of a week', week],
    ['a re-run of everything', whole],
  ])('%s handles rows in proportion to what is stored', async (_what, scope) => {
    await rolledBack(recorder.sql, async (tx) => {
      await setStatistics(tx, kind);
      await expectBoundedPlans(tx, () => match(tx, scope));
    });
  });

  it.each([
    ['a run', night],
    ['a re-run of everything', whole],
  ])('%s reads the payments once to find those without a settlement', async (_what, scope) => {
    await rolledBack(recorder.sql, async (tx) => {
      await setStatistics(tx, kind);
      recorder.plans.length = 0;
      await match(tx, scope);
      const plansOf = (start: RegExp) =>
        recorder.plans.filter(({ statement }) => start.test(statement.trim())).map(({ root }) => root);
      const [due, ...moreDue] = plansOf(/^insert into due_payments/);
      const unsettled = plansOf(/^insert into unsettled_payments/);
      expect(moreDue).toEqual([]);
      expect(unsettled).toHaveLength(1);
      expect(unsettled.flatMap(tablesRead)).not.toContain('payments');
      // Those reported as missing are looked up besides.
      const most = crowd.payments + (await countMissing(tx));
      expect(due === undefined ? Infinity : mostRowsHandled(due)).toBeLessThanOrEqual(most);
    });
  });

  it('a later run does not look at payments that were settled before', async () => {
    await rolledBack(recorder.sql, async (tx) => {
      await setStatistics(tx, kind);
      recorder.plans.length = 0;
      await laterNight(tx, 5);
      const due = recorder.plans.filter(({ statement }) =>
        /^insert into due_payments/.test(statement.trim()),
      );
      expect(due).toHaveLength(1);
      // Those reported as missing are looked at again; nine of ten payments are due, and half of those were settled.
      const most = (await countMissing(tx)) + crowd.payments / 6;
      expect(Math.max(...due.map(({ root }) => mostRowsHandled(root)))).toBeLessThan(most);
    });
  });

  it('a later run does not look up the dates of open records in files whose days are all recent', async () => {
    await rolledBack(recorder.sql, async (tx) => {
      await setStatistics(tx, kind);
      const { plans } = await plansOf(recorder, tx, () => laterNight(tx, 5));
      const [selected] = plans.filter(({ statement }) => /^insert into run_rechecks/.test(statement.trim()));
      if (selected === undefined) throw new Error('the run selected no records');
      const [open] = await tx<
        { count: number }[]
      >`select count(*)::integer from run_rechecks where run_id = 5`;
      expect(open?.count).toBeGreaterThan(crowd.records / 10);
      expect(timesAsked(selected.root, 'settlement_records')).toBe(0);
    });
  });

  it('a later run does not read the statistics of every column to find out whether a table has any', async () => {
    await rolledBack(recorder.sql, async (tx) => {
      await setStatistics(tx, kind);
      const { plans } = await plansOf(recorder, tx, () => laterNight(tx, 5));
      const asked = plans.filter(({ statement }) => statement.includes('pg_stat_get_mod_since_analyze'));
      expect(asked.length).toBeGreaterThan(2);
      // The parts of a table are few; all columns of the database have hundreds of statistics.
      expect(Math.max(...asked.map(({ root }) => mostRowsHandled(root)))).toBeLessThan(50);
    });
  });

  it('a later run does not compare records with former deliveries if none waits for a decision', async () => {
    await rolledBack(recorder.sql, async (tx) => {
      await setStatistics(tx, kind);
      const { plans } = await plansOf(recorder, tx, () => laterNight(tx, 5));
      expect(plans.length).toBeGreaterThan(50);
      expect(plans.filter(({ statement }) => statement.includes('delivered this record before'))).toEqual([]);
    });
  });

  it('a later run reads new payments as a range, and looks up older ones only', async () => {
    await rolledBack(recorder.sql, async (tx) => {
      const imported = 500;
      await tx`
        insert into payments (id, payment_type, payment_brand, amount_minor, currency, result_code, entity_id, requested_at)
        select lpad(n::text, 32, 'q'), 'DB', 'VISA', 10000, 'EUR', '000.000.000', lpad('', 32, 'a'),
          '2026-11-10T10:00:00Z'
        from generate_series(1, ${imported}) n`;
      await setStatistics(tx, kind);
      const [pending] = await tx<{ count: number }[]>`select count(*)::integer from payments_to_check`;
      const older = (await countMissing(tx)) + (pending?.count ?? 0);
      recorder.plans.length = 0;
      await laterNight(tx, 5);
      const due = recorder.plans.filter(({ statement }) =>
        /^insert into due_payments/.test(statement.trim()),
      );
      const lookUps = due.reduce((sum, { root }) => sum + timesAsked(root, 'payments'), 0);
      expect(lookUps).toBeLessThan(older + imported / 2);
    });
  });

  it('the lists of the findings of one day do not read all records and payments', async () => {
    await rolledBack(recorder.sql, async (tx) => {
      await setStatistics(tx, kind);
      recorder.plans.length = 0;
      await report(tx, oneDay);
      const lists = recorder.plans.filter(({ statement }) =>
        /^select (t\.code, t\.severity|unnest\(case when octet_length(?![^]*with\s+unresolved))[^]* discrepancies d /.test(
          statement.trim(),
        ),
      );
      expect(lists).toHaveLength(2);
      for (const { root } of lists) {
        // Results are read in full for the findings that sum over a payment, which are half of them here.
        const stored = { settlement_records: crowd.records, payments: crowd.payments };
        for (const [table, rows] of Object.entries(stored)) {
          expect(mostRowsAtOnce(root, table)).toBeLessThan(2 * (rows / crowd.days));
        }
      }
    });
  });

  it('a re-run finds the rows of its day by their date', async () => {
    await rolledBack(recorder.sql, async (tx) => {
      await setStatistics(tx, kind);
      recorder.plans.length = 0;
      let found = 0;
      const file = { id: fileId(1), rows_already_known: 0 };
      for await (const rows of rowsOfDays(tx, oneDay, file)) found += rows.length;
      expect(found).toBeGreaterThan(0);
      const handled = recorder.plans.map(({ root }) => mostRowsHandled(root));
      expect(Math.max(...handled)).toBeLessThan(2 * (crowd.records / crowd.days));
    });
  });

  it.each([
    ['a run', night],
    ['a range', whole],
  ])('a report on %s handles rows in proportion to what is stored', async (_what, scope) => {
    await rolledBack(recorder.sql, async (tx) => {
      await setStatistics(tx, kind);
      await expectBoundedPlans(tx, () => report(tx, scope));
    });
  });
});
