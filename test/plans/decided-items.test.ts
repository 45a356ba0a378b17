import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import { closedItems } from '../../src/items/closed-items.js';
import { countItems } from '../../src/items/count-items.js';
import { firstDecisions, makeDecisions } from '../../src/items/decide.js';
import type { ReadInBatches } from '../../src/items/in-batches.js';
import { itemFigures } from '../../src/items/item-figures.js';
import { listFilteredIds, listItemsToDecide } from '../../src/items/items-to-decide.js';
import { everyOpenItem, readItems, type ItemFilter } from '../../src/items/list-items.js';
import { noteAccepted } from '../../src/items/note-accepted.js';
import { listPatterns } from '../../src/items/patterns.js';
import type { MadeDecision } from '../../src/items/store-decisions.js';
import { fillMarks, fillSortedItems } from '../../src/items/sorted-items.js';
import { readFileStates } from '../../src/retention/file-states.js';
import type { DecisionKind } from '../../src/values/decision-kinds.js';
import { runId } from '../../src/values/ids.js';
import { rolledBack } from '../matching/scenario.js';
import { databaseForAllTests } from '../support/database.js';
import { knowledge, setStatistics, type Knowledge } from './crowded-quarter.js';
import {
  mostRowsComparedWithList,
  mostRowsHandled,
  plansOf,
  recordPlans,
  type PlanRecorder,
} from './record-plans.js';

/**
 * No list of items may cost the product of findings and decisions, whatever the planner knows about them. It expects
 * that a run that is still active resolved one finding, and once read all 7,000 decisions for each of 650 resolved
 * findings: 3.5 of the 6.9 s that the server needed for the night. Rows are counted and not seconds, so a busy
 * machine changes nothing.
 */
const findings = 4_000;
const view = { asOf: '2026-11-20', timezone: 'UTC' } as const;
const run = runId(9);

/** A join of everything with everything handles 16,000,000 rows. */
const mostRows = 25 * findings;

const testDatabase = databaseForAllTests();
let recorder: PlanRecorder;

beforeAll(async () => {
  await testDatabase.database.sql.begin(async (tx) => {
    await tx`select set_config('recon.fence', (select token::text from run_fence), true)`;
    await storeDecidedFindings(tx);
  });
  recorder = await recordPlans(testDatabase);
});

afterAll(() => recorder.end());

/**
 * Findings about a payment each. Of four, the run that is active resolved one that somebody had accepted; and of the
 * others, one is open, one was accepted with these facts, and one waits for another day. All were assigned to a person,
 * which was taken back, and an import changed the amounts of all payments.
 */
async function storeDecidedFindings(tx: Tx): Promise<void> {
  await tx`
    insert into payments (id, payment_type, payment_brand, amount_minor, currency, result_code, entity_id, requested_at)
    select lpad(n::text, 32, 'p'), 'DB', 'VISA', 10000, 'EUR', '000.000.000', lpad((n % 7)::text, 32, 'a'),
      '2026-11-01T10:00:00Z'
    from generate_series(1, ${findings}) n`;
  await tx`
    insert into discrepancies (id, code, severity, payment_key, expected, actual, difference_minor, message,
      first_seen_run, resolved_run)
    select md5(n::text), 'MISSING_SETTLEMENT', 'error', p.key, null, null, null, 'is missing', 1,
      case n % 4 when 0 then ${run}::int end
    from generate_series(1, ${findings}) n join payments p on p.id = lpad(n::text, 32, 'p')`;
  await tx`
    insert into decisions (item, kind, until, basis, author, decided_on, decided_at, origin)
    select md5(n::text), (case n % 4 when 3 then 'wait' else 'accept' end)::decision_kind,
      case n % 4 when 3 then '2026-12-01'::date end,
      left(encode(sha256(convert_to(concat_ws(chr(31), '', '', '', lpad(n::text, 32, 'p')), 'UTF8')), 'hex'), 16),
      'finance', '2026-11-19', now(), 'command'
    from generate_series(1, ${findings}) n where n % 4 <> 1`;
  await tx`
    insert into payment_changes (payment_id, column_name, kind, old_value, new_value, file_name, file_sha256, line)
    select id, 'Amount', 'CONTRADICTION', '90.00', '100.00', 'payments.csv', '', 2 from payments`;
  await tx`
    with assigned as (
      insert into decisions (item, kind, assignee, basis, author, decided_on, decided_at, origin)
      select md5(n::text), 'assign', 'Ann', '', 'finance', '2026-11-19', now(), 'command'
      from generate_series(1, ${findings}) n
      returning number, item)
    insert into decisions (item, kind, refers_to, basis, author, decided_on, decided_at, origin)
    select item, 'undo', number, '', 'finance', '2026-11-19', now(), 'command' from assigned`;
}

const drain = async (tx: Tx, filter: Partial<ItemFilter>) => {
  let items = 0;
  for await (const batch of readItems(tx, view, { ...everyOpenItem, ...filter })) items += batch.length;
  return items;
};

/** The sums of the items that nothing is noted about, then of those that are noted. */
const afterNotes = (work: (tx: Tx) => Promise<number>) => async (tx: Tx) => {
  await noteAccepted(tx, view);
  return work(tx);
};

const sum = (groups: readonly { readonly count: number }[]) =>
  groups.reduce((total, { count }) => total + count, 0);

const quarter = findings / 4;

const lists: readonly [what: string, work: (tx: Tx) => Promise<number>, items: number][] = [
  [
    'the items of the morning page that a run resolved',
    async (tx) => sum((await closedItems(tx, view, run)).resolved),
    quarter,
  ],
  [
    'the accepted items of the morning page',
    async (tx) => sum((await closedItems(tx, view, run)).accepted),
    quarter,
  ],
  [
    'the accepted items after a run noted them',
    afterNotes(async (tx) => sum((await closedItems(tx, view, run)).accepted)),
    quarter,
  ],
  ['the numbers of the summary', async (tx) => (await countItems(tx, view, run)).waiting, quarter],
  ['the figures of the metrics', async (tx) => (await itemFigures(tx, view, run))[0]?.waiting ?? 0, quarter],
  ['the list of open items', (tx) => drain(tx, {}), 2 * quarter],
  [
    'the list of open items after a run noted the accepted ones',
    afterNotes((tx) => drain(tx, {})),
    2 * quarter,
  ],
  ['the list of accepted items', (tx) => drain(tx, { status: 'ACCEPTED' }), quarter],
  ['the list of resolved items', (tx) => drain(tx, { status: 'RESOLVED' }), quarter],
  ['the patterns', async (tx) => sum(await listPatterns(tx, view)), 2 * quarter],
];

describe.each<Knowledge>([...knowledge])('when the statistics are %s', (kind) => {
  it.each(lists)('%s handles rows in proportion to the findings', async (_what, work, items) => {
    await rolledBack(recorder.sql, async (tx) => {
      await setStatistics(tx, kind);
      expect(await bounded(tx, () => work(tx))).toBe(items);
    });
  });

  it('a run about whose findings nobody decided since the last one compares none with its decisions', async () => {
    await rolledBack(recorder.sql, async (tx) => {
      await setStatistics(tx, kind);
      await tx`delete from payment_changes`;
      const comparisons = async () => {
        const { plans } = await plansOf(recorder, tx, () => noteAccepted(tx, view));
        return plans.filter(({ statement }) => statement.trim().startsWith('update discrepancies'));
      };
      expect(await comparisons()).toHaveLength(1);
      expect(await comparisons()).toEqual([]);
    });
  });

  it('the page of the review sorts its items and finds their patterns in proportion to the findings', async () => {
    await rolledBack(recorder.sql, async (tx) => {
      await setStatistics(tx, kind);
      await bounded(tx, async () => {
        await fillSortedItems(tx, view, 'unresolved');
        await fillMarks(tx, view);
      });
    });
  });

  it.each([
    ['a note', 'note', 2 * quarter],
    ['an undo', 'undo', quarter],
  ] as const)('%s by filter handles rows in proportion to the findings', async (_what, decision, items) => {
    await rolledBack(recorder.sql, async (tx) => {
      await setStatistics(tx, kind);
      expect(await bounded(tx, () => decideAboutOpen(tx, decision))).toBe(items);
    });
  });

  it('retention reads the states of files in proportion to the findings', async () => {
    await rolledBack(recorder.sql, async (tx) => {
      await setStatistics(tx, kind);
      await bounded(tx, () => readFileStates(tx, view));
    });
  });
});

/** Makes a decision about all items that are open or waiting, and returns how many it applies to. */
async function decideAboutOpen(tx: Tx, kind: DecisionKind): Promise<number> {
  const deciding = {
    ...view,
    author: 'anna',
    now: 0,
    fourEyesAbove: new Map<string, bigint>(),
    dryRun: false,
  };
  const request = { kind, until: null, linkTo: null, assignee: null, reason: null, note: 'seen' };
  await listFilteredIds(tx, view, everyOpenItem);
  const read = await listItemsToDecide(tx, view, kind, everyOpenItem);
  const made: ReadInBatches<MadeDecision> = async function* (sql) {
    for await (const batch of read(sql))
      yield batch.map((item) => ({ item, request, linkKey: null, origin: { by: 'filter', name: '' } }));
  };
  const { decided } = (await makeDecisions(tx, made, deciding, {}))(tx);
  return (await firstDecisions(decided.decisions, Infinity)).length;
}

async function bounded<Result>(tx: Tx, work: () => Promise<Result>): Promise<Result> {
  const { result, plans } = await plansOf(recorder, tx, work);
  expect(plans.length).toBeGreaterThan(0);
  const beyond = plans
    .map(({ statement, root }) => ({
      rows: mostRowsHandled(root),
      comparedWithList: mostRowsComparedWithList(root),
      statement,
    }))
    .filter(({ rows, comparedWithList }) => rows > mostRows || comparedWithList > 0);
  expect(beyond).toEqual([]);
  return result;
}
