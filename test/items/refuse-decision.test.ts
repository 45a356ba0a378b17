import { describe, expect, test } from 'vitest';
import type { Decidable } from '../../src/items/decidable.js';
import { asStored } from '../../src/items/decision-request.js';
import { refusalOf } from '../../src/items/refuse-decision.js';
import { paymentKey } from '../../src/values/ids.js';

/** An open item of a record that matched nothing. */
const item: Decidable = {
  item: 'i',
  name: 'i',
  code: 'NOT_MATCHED',
  status: 'OPEN',
  pending: false,
  facts: 'f',
  lastNumber: 0n,
  undoable: null,
  undoableKind: null,
  standing: null,
  decision: null,
  decidedBy: null,
  fileId: 1,
  line: 2,
  isRetired: false,
  date: '2026-11-19',
  matchedPaymentKey: null,
  matchingStatus: 'NOT_MATCHED',
  unlinked: false,
  atRiskMinor: 100n,
  currency: 'EUR',
};
const matched: Partial<Decidable> = { matchedPaymentKey: paymentKey(7n), matchingStatus: 'MATCHED' };

const refused = (kind: Parameters<typeof refusalOf>[0], changes: Partial<Decidable>, author = 'anna') =>
  refusalOf(kind, { ...item, ...changes }, author);

test('the second person has another name, not another spelling of it', () => {
  const accepted = { pending: true, decidedBy: 'Anna Berg' };
  for (const author of ['Anna Berg', ' anna  BERG', 'Anna\tBerg'])
    expect(refused('approve', accepted, author)).toContain('another person has to approve it');
  expect(refused('approve', accepted, 'Anna Berger')).toBeNull();
});

test.each(['accept', 'wait', 'assign', 'note', 'approve', 'supersede', 'keep-both'] as const)(
  'a record without a finding has nothing to %s',
  (kind) => {
    expect(refused(kind, { code: '', ...matched })).toContain('has nothing open');
  },
);

describe('a link', () => {
  test('is not about a payment', () => {
    const payment = { code: 'MISSING_SETTLEMENT', fileId: null, line: null, matchingStatus: null };
    expect(refused('link', payment)).toContain('is about a payment');
  });

  test('of a matched record needs its unlink', () => {
    expect(refused('link', matched)).toContain('--unlink it first');
    expect(refused('link', { ...matched, unlinked: true })).toBeNull();
    expect(refused('link', { matchingStatus: 'MULTIPLE_MATCHES' })).toBeNull();
  });
});

test('only a record with one payment can be taken from it', () => {
  expect(refused('unlink', matched)).toBeNull();
  for (const matchingStatus of ['MULTIPLE_MATCHES', 'NOT_MATCHED', null])
    expect(refused('unlink', { matchingStatus })).toContain('has no record that is matched');
});

test('no text of a decision keeps a card number', () => {
  const card = 'of 4111111111111111';
  const request = {
    kind: 'assign',
    until: null,
    linkTo: null,
    assignee: card,
    reason: card,
    note: card,
  } as const;
  const masked = 'of 411111******1111';
  expect(asStored(request)).toMatchObject({ assignee: masked, reason: masked, note: masked });
});

test.each([
  [' anna\t', 'anna'],
  // As an empty name, nobody: a name of blanks would be one that nobody sees or finds.
  ['  ', ''],
])('the assignee %j is %j', (assignee, stored) => {
  const request = { kind: 'assign', until: null, linkTo: null, assignee, reason: null, note: null } as const;
  expect(asStored(request).assignee).toBe(stored);
});
