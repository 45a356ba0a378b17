import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { Sql } from '../../src/db/client.js';
import { decisionKinds, type DecisionKind } from '../../src/values/decision-kinds.js';
import { itemRows } from '../../src/items/item-rows.js';
import { itemState, type StateDecision } from './item-state.js';
import { databaseForAllTests } from '../support/database.js';

/** What a random world says about one item; `saw` tells whether the decision was made on the facts as they are now. */
interface Step {
  readonly kind: DecisionKind;
  readonly until: string;
  readonly needsApproval: boolean;
  readonly saw: 'now' | 'before';
  /** Which of the earlier decisions an approve or undo refers to. */
  readonly back: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...decisionKinds),
  until: fc.constantFrom('2026-11-20', '2026-11-21', '2026-11-22'),
  needsApproval: fc.boolean(),
  saw: fc.constantFrom('now', 'now', 'before'),
  back: fc.nat(5),
});
const item = fc.record({ resolved: fc.boolean(), steps: fc.array(step, { maxLength: 6 }) });
const asOf = '2026-11-21';

const testDatabase = databaseForAllTests();
let sql: Sql;

beforeAll(() => {
  sql = testDatabase.database.sql;
});

const view = { asOf, timezone: 'UTC', isOnShards: false, looksUpRecords: true };
const stateNow = (id: string) => sql<
  { status: string; lapsed: boolean; pending: boolean; standing: bigint | null; facts: string }[]
>`
  select status, lapsed, pending, standing, facts from (${itemRows(sql, view, { wanted: sql`d.id = ${id}` })}) i`;

let items = 0;

async function storeFinding(resolved: boolean): Promise<string> {
  items += 1;
  const id = `item-${items}`;
  await sql.begin(async (tx) => {
    await tx`select set_config('recon.fence', (select token::text from run_fence), true)`;
    await tx`insert into discrepancies (id, code, severity, expected, actual, difference_minor, message,
      first_seen_run, resolved_run)
      values (${id}, 'AMOUNT_MISMATCH', 'error', '1.00', '2.00', 100, 'a message', 1, ${resolved ? 2 : null})`;
  });
  return id;
}

/** Stores the decisions that make sense (an undo of a decision that was taken back is refused by the database). */
async function storeDecisions(id: string, steps: readonly Step[], facts: string): Promise<StateDecision[]> {
  const stored: StateDecision[] = [];
  for (const { kind, until, needsApproval, saw, back } of steps) {
    const refersBack = kind === 'undo' || kind === 'approve';
    const open = stored.filter(
      ({ kind: of, number }) =>
        of !== 'undo' && !stored.some((one) => one.kind === 'undo' && one.refersTo === number),
    );
    const refersTo = refersBack ? (open.at(-1 - (back % Math.max(open.length, 1)))?.number ?? null) : null;
    if (refersBack && refersTo === null) continue;
    const basis = saw === 'now' ? facts : 'other facts';
    const [row] = await sql<{ number: bigint }[]>`
      insert into decisions (item, kind, until, needs_approval, refers_to, basis, author, decided_on, decided_at, origin)
      values (${id}, ${kind}, ${kind === 'wait' ? until : null}, ${kind === 'accept' && needsApproval}, ${refersTo},
        ${basis}, 'anna', '2026-11-20', now(), 'command')
      returning number`;
    stored.push({
      number: row?.number ?? 0n,
      kind,
      until: kind === 'wait' ? until : null,
      needsApproval: kind === 'accept' && needsApproval,
      refersTo,
      basis,
    });
  }
  return stored;
}

test('the state of an item in SQL is that of the pure function', async () => {
  await fc.assert(
    fc.asyncProperty(item, async ({ resolved, steps }) => {
      const id = await storeFinding(resolved);
      const [before] = await stateNow(id);
      const basis = before?.facts ?? '';
      const decisions = await storeDecisions(id, steps, basis);
      const [found] = await stateNow(id);
      const { facts, ...state } = found ?? { facts: '' };
      expect(facts).toBe(basis);
      expect(state).toEqual(itemState({ resolved, basis }, decisions, asOf));
    }),
    { numRuns: 150 },
  );
});
