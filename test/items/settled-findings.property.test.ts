import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Fragment, Tx } from '../../src/db/client.js';
import { ageGroup } from '../../src/findings/item-ages.js';
import { closedItems } from '../../src/items/closed-items.js';
import { countItems } from '../../src/items/count-items.js';
import { isActive, itemRows } from '../../src/items/item-rows.js';
import { everyOpenItem, selectItemIds, type ItemFilter } from '../../src/items/list-items.js';
import { noteAccepted } from '../../src/items/note-accepted.js';
import { unsettledFindings } from '../../src/items/settled-findings.js';
import { runId } from '../../src/values/ids.js';
import { arbitraryHistory, runs, World } from '../matching/histories.js';
import { asOf, matchRange, matchRun } from '../matching/findings.js';
import { rolledBack, storePayments, storeRecords } from '../matching/scenario.js';
import { arbitraryWorlds, paymentsOf, rearrangedRecords } from '../matching/worlds.js';
import { databaseForAllTests } from '../support/database.js';

/*
 * What a run noted about accepted findings, and the full comparison of every finding with its decisions, say the same,
 * whatever happens to findings, records, payments and decisions in between.
 */
const testDatabase = databaseForAllTests();

const view = { asOf, timezone: 'UTC', isOnShards: false, looksUpRecords: true };
const everyUnresolved = (tx: Tx) => itemRows(tx, view, { wanted: tx`d.resolved_run is null` });
/** One of three, by its id. */
const chosen = (tx: Tx, column: Fragment, which: number) => tx`abs(hashtext(${column})) % 3 = ${which}::int`;

const acts = {
  accept: (tx: Tx, which: number) => decide(tx, which, tx`'accept'`, tx`i.standing is null`),
  'accept for two': (tx: Tx, which: number) =>
    decide(tx, which, tx`'accept'`, tx`i.standing is null`, tx`true`),
  wait: (tx: Tx, which: number) => decide(tx, which, tx`'wait'`, tx`i.status = 'ACCEPTED'`),
  note: (tx: Tx, which: number) => decide(tx, which, tx`'note'`, tx`i.standing is not null`),
  approve: (tx: Tx, which: number) => decide(tx, which, tx`'approve'`, tx`i.pending`),
  undo: (tx: Tx, which: number) =>
    decide(tx, which, tx`'undo'`, tx`i.standing is not null and ${isActive(tx, tx`i.standing`)}`),
  // As an import with --allow-changes does it.
  'other amounts': async (tx: Tx, which: number) => {
    await tx`
      with changed as (
        update payments set amount_minor = amount_minor + 1
        where payment_type not in ('CB', 'CR') and ${chosen(tx, tx`id`, which)} returning id)
      insert into payment_changes (payment_id, column_name, kind, new_value, file_name, file_sha256, line)
      select id, 'Amount', 'CONTRADICTION', '', 'payments.csv', '', 2 from changed`;
  },
  'a run that stops before it notes anything': () => Promise.resolve(),
};
type Act = keyof typeof acts;

async function decide(
  tx: Tx,
  which: number,
  kind: Fragment,
  about: Fragment,
  needsApproval = tx`false`,
): Promise<void> {
  await tx`
    insert into decisions (item, file_id, line, kind, until, needs_approval, refers_to, basis, author, decided_on,
      decided_at, origin)
    select i.id, i.file_id, i.line, ${kind}::decision_kind, case when ${kind} = 'wait' then '2026-12-01'::date end,
      ${needsApproval}, case when ${kind} in ('undo', 'approve') then i.standing end, i.facts, 'anna', '2026-11-20',
      now(), 'command'
    from (${everyUnresolved(tx)}) i where ${chosen(tx, tx`i.id`, which)} and ${about}
    order by i.id`;
}

/** The findings that no list looks at any more: all of them are accepted, and noted with what is at risk in them. */
async function expectTrueNotes(tx: Tx): Promise<void> {
  const wrong = await tx`
    select i.id, i.code, i.status, i.at_risk_minor, i.currency, o.accepted_at_risk_minor, o.accepted_currency
    from (${itemRows(tx, view, { wanted: tx`d.resolved_run is null and d.id not in (select id from ${unsettledFindings(tx, view)} u)` })}) i
    join discrepancies o on o.id = i.id
    where i.status <> 'ACCEPTED'
      or (i.at_risk_minor, i.currency) is distinct from (o.accepted_at_risk_minor, o.accepted_currency)`;
  expect([...wrong]).toEqual([]);
}

interface Row {
  id: string;
  status: string;
  lapsed: boolean;
  severity: 'error' | 'warning' | 'info';
  minor: bigint;
  currency: string | null;
  run: number;
  age: number | null;
}

/** Counts, ages and the list, each compared with what all items say one by one. */
async function expectSameLists(tx: Tx, run: number): Promise<void> {
  const all = await tx<Row[]>`
    select id, status, lapsed, severity, at_risk_minor as minor, currency, first_seen_run as run, age_days as age
    from (${everyUnresolved(tx)}) i`;
  const of = (status: string) => all.filter((item) => item.status === status);
  const fresh = all.filter((item) => item.run === run);
  const counted = await countItems(tx, view, runId(run));
  expect(counted).toMatchObject({
    open: of('OPEN').length,
    waiting: of('WAITING').length,
    accepted: of('ACCEPTED').length,
    lapsed: all.filter(({ lapsed }) => lapsed).length,
    new: fresh.length,
    newBySeverity: Object.fromEntries(
      (['error', 'warning', 'info'] as const).map((each) => [
        each,
        fresh.filter(({ severity }) => severity === each).length,
      ]),
    ),
  });
  const { accepted } = await closedItems(tx, view, runId(run));
  const groups = new Map<string, { count: number; missing: bigint; surplus: bigint }>();
  for (const { currency, age, minor } of of('ACCEPTED')) {
    const key = `${currency ?? ''} ${ageGroup(age ?? 0)}`;
    const { count, missing, surplus } = groups.get(key) ?? { count: 0, missing: 0n, surplus: 0n };
    groups.set(key, {
      count: count + 1,
      missing: missing + (minor > 0n ? minor : 0n),
      surplus: surplus - (minor < 0n ? minor : 0n),
    });
  }
  expect(new Map(accepted.map(({ currency, age, ...sums }) => [`${currency ?? ''} ${age}`, sums]))).toEqual(
    groups,
  );
  const listed = await idsOf(tx, everyOpenItem);
  expect(listed).toEqual([...of('OPEN'), ...of('WAITING')].map(({ id }) => id).sort());
  const asked = await idsOf(tx, { ...everyOpenItem, status: 'ACCEPTED' });
  expect(asked).toEqual(
    of('ACCEPTED')
      .map(({ id }) => id)
      .sort(),
  );
}

async function idsOf(tx: Tx, filter: ItemFilter): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`${selectItemIds(tx, view, filter)}`;
  return rows.map(({ id }) => id).sort();
}

const oneAct = fc.record({
  kind: fc.constantFrom<Act[]>(
    'accept for two',
    'wait',
    'note',
    'approve',
    'undo',
    'other amounts',
    'a run that stops before it notes anything',
  ),
  which: fc.nat(2),
});

test('what a run noted as accepted is what a full comparison finds', async () => {
  let noted = 0;
  await fc.assert(
    fc.asyncProperty(
      arbitraryWorlds(arbitraryHistory),
      fc.infiniteStream(fc.nat()),
      fc.array(fc.array(oneAct, { maxLength: 2 }), {
        minLength: runs.length,
        maxLength: runs.length,
      }),
      (histories, shuffle, planned) =>
        rolledBack(testDatabase.database.sql, async (tx) => {
          const worlds = rearrangedRecords(histories, shuffle).map((each, index) => new World(each, index));
          const payments = paymentsOf(histories);
          await tx`insert into runs (id, kind, status, fence_token, as_of, started_at, heartbeat_at, host, process_id)
            select n, 'run', 'completed', 0, '2026-11-15'::date + n, now(), now(), 'here', 1
            from generate_series(1, 5) n`;
          for (const run of runs) {
            for (const world of worlds) await world.act(tx);
            // Some payments arrive late.
            await storePayments(
              tx,
              payments.filter((_, index) => index % runs.length === run - 1),
            );
            const arriving = worlds.map((world) => world.arriving());
            await storeRecords(
              tx,
              run,
              arriving.flatMap(({ records }) => records),
              arriving.flatMap(({ repeats }) => repeats),
            );
            await matchRun(tx, run);
            await expectTrueNotes(tx);
            const now = planned[run - 1] ?? [];
            const notes = now.every(({ kind }) => kind !== 'a run that stops before it notes anything');
            if (notes) await noteAccepted(tx, view);
            await expectTrueNotes(tx);
            await expectSameLists(tx, run);
            // Two thirds of what is open, or hardly anything would be noted.
            for (const which of [run % 3, (run + 1) % 3]) await acts.accept(tx, which);
            for (const { kind, which } of now) {
              await acts[kind](tx, which);
              await expectTrueNotes(tx);
            }
            await expectSameLists(tx, run);
            // As the next re-run does, before the next night changes anything.
            if (notes) await noteAccepted(tx, view);
          }
          await noteAccepted(tx, view);
          await matchRange(tx, 90);
          await expectTrueNotes(tx);
          await noteAccepted(tx, view);
          await expectSameLists(tx, 90);
          const [row] = await tx<{ count: number }[]>`select count(*)::int as count from discrepancies
            where accepted_at_risk_minor is not null`;
          noted += row?.count ?? 0;
        }),
    ),
    // A smaller example takes minutes to find.
    { numRuns: 3, seed: 20261123, endOnFailure: true },
  );
  expect(noted).toBeGreaterThan(10);
});
