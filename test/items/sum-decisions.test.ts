import { expect, test } from 'vitest';
import type { Decidable } from '../../src/items/decidable.js';
import { heldRows } from '../../src/items/in-batches.js';
import type { MadeDecision } from '../../src/items/store-decisions.js';
import { sumDecisions, type DecisionSums } from '../../src/items/sum-decisions.js';
import type { DecisionKind } from '../../src/values/decision-kinds.js';
import { databaseForAllTests } from '../support/database.js';

const testDatabase = databaseForAllTests();

const decided = (kind: DecisionKind, date: string, changes: Partial<Decidable> = {}): MadeDecision => ({
  item: {
    item: date,
    name: date,
    code: 'RECORD_REDELIVERED',
    status: 'OPEN',
    pending: false,
    facts: 'f',
    lastNumber: 1n,
    undoable: 1n,
    undoableKind: 'keep-both',
    standing: 1n,
    decision: 'keep-both',
    decidedBy: 'anna',
    fileId: 1,
    line: 2,
    isRetired: false,
    date,
    matchedPaymentKey: null,
    matchingStatus: 'NOT_MATCHED',
    unlinked: false,
    atRiskMinor: 100n,
    currency: 'EUR',
    ...changes,
  },
  request: { kind, until: null, linkTo: null, assignee: null, reason: null, note: null },
  linkKey: null,
  origin: { by: 'command' },
});

const sumsOf = (...made: MadeDecision[]): Promise<DecisionSums> =>
  testDatabase.database.sql.begin((tx) =>
    sumDecisions(tx, heldRows(made), {
      author: 'bo',
      asOf: '2026-11-20',
      timezone: 'UTC',
      now: 0,
      fourEyesAbove: new Map(),
      dryRun: true,
    }),
  );

test('the days to run again are those of all records whose matching changes', async () => {
  const days = ['2026-11-18', '2026-11-16', '2026-11-19'];
  const { rerun } = await sumsOf(
    decided('keep-both', days[0] ?? ''),
    decided('undo', days[1] ?? ''),
    decided('supersede', days[2] ?? ''),
    decided('accept', '2026-11-01'),
    decided('undo', '2026-11-30', { undoableKind: 'accept' }),
  );
  expect(rerun).toEqual({ from: '2026-11-16', to: '2026-11-19' });
});

test('the basis of a preview differs if an item, its facts or its latest decision differ', async () => {
  const bases = new Set<string>();
  for (const changes of [{}, { facts: 'g' }, { lastNumber: 2n }, { item: 'other' }])
    bases.add((await sumsOf(decided('note', '2026-11-18', changes))).basis);
  expect(bases.size).toBe(4);
});
