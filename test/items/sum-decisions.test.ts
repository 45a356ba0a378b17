import { expect, test } from 'vitest';
import type { Decidable } from '../../src/items/decidable.js';
import { heldRows } from '../../src/items/in-batches.js';
import type { MadeDecision } from '../../src/items/store-decisions.js';
import { sumDecisions, withdrawnRemarks, type DecisionSums } from '../../src/items/sum-decisions.js';
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

test.each([
  [
    1,
    1,
    0,
    'a0.csv is withdrawn: the decision changes nothing until the file is restored (recon files restore).',
  ],
  [
    3,
    1,
    0,
    'Of the 3 decisions, 2 change nothing until the withdrawn file a0.csv is restored (recon files restore).',
  ],
  [
    3,
    2,
    0,
    'Of the 3 decisions, 2 change nothing until withdrawn files are restored (recon files restore): a0.csv, a1.csv.',
  ],
  [
    3,
    2,
    5,
    'Of the 3 decisions, 2 change nothing until withdrawn files are restored (recon files restore): a0.csv, a1.csv and 5 more.',
  ],
])(
  'of %i decisions, about %i withdrawn files and %i more, a sentence',
  async (decisions, named, more, text) => {
    const withdrawn = {
      count: Math.min(decisions, 2),
      files: Array.from({ length: named }, (_, index) => `a${index}.csv`),
      moreFiles: more,
    };
    expect(withdrawnRemarks({ ...(await sumsOf()), decisions, withdrawn })).toEqual([text]);
  },
);
