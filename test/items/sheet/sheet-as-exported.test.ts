import { expect, test } from 'vitest';
import type { PastDecision } from '../../../src/items/past-decisions.js';
import { givenOut } from '../../../src/items/sheet/sheet-as-exported.js';

const past = (number: bigint, changes: Partial<PastDecision>): PastDecision => ({
  item: 'i',
  number,
  kind: 'accept',
  until: null,
  linkTo: null,
  linkKey: null,
  assignee: null,
  reason: 'ok',
  note: null,
  needsApproval: true,
  refersTo: null,
  basis: 'facts',
  author: 'anna',
  decidedOn: '2026-11-20',
  ...changes,
});

/** An accept that was approved and taken back twice over, and one that waits. */
const history = [
  past(1n, {}),
  past(2n, { kind: 'approve', refersTo: 1n }),
  past(3n, { kind: 'wait', until: '2026-12-01', needsApproval: false }),
  past(4n, { reason: 'again' }),
  past(5n, { kind: 'approve', refersTo: 4n }),
  past(6n, { kind: 'undo', refersTo: 5n }),
];

test.each([
  [0n, 'facts', '', false],
  [1n, 'facts', 'accept (pending)', false],
  [2n, 'facts', 'accept', false],
  [3n, 'facts', 'wait', false],
  // The approval is that of the former accept.
  [4n, 'facts', 'accept (pending)', false],
  [5n, 'facts', 'accept', false],
  [6n, 'facts', 'accept (pending)', false],
  // What lapsed waits for nobody.
  [4n, 'other facts', 'accept', true],
  [3n, 'other facts', 'wait', false],
])('after decision %s, a sheet of the %s showed "%s"', (upTo, facts, decision, acceptLapsed) => {
  expect(givenOut(history, upTo, facts)).toMatchObject({ cells: { Decision: decision }, acceptLapsed });
});
