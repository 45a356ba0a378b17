import { describe, expect, test } from 'vitest';
import type { DecisionKind } from '../../src/values/decision-kinds.js';
import { itemState, type StateDecision } from './item-state.js';

const asOf = '2026-11-21';
const open = { resolved: false, basis: 'facts' };

type Steps = readonly (readonly [DecisionKind, Partial<StateDecision>?])[];

/** Decisions numbered from 1, on the facts of `open` unless another basis is given. */
function made(...steps: Steps): StateDecision[] {
  return steps.map(([kind, more], index) => ({
    number: BigInt(index + 1),
    kind,
    until: null,
    needsApproval: false,
    refersTo: null,
    basis: 'facts',
    ...more,
  }));
}

const statusOf = (...steps: Steps) => itemState(open, made(...steps), asOf).status;

describe('an item', () => {
  test('without a decision is open, and resolved when its finding is', () => {
    expect(statusOf()).toBe('OPEN');
    expect(itemState({ ...open, resolved: true }, made(['accept']), asOf).status).toBe('RESOLVED');
  });

  test('is accepted, until the accept is taken back', () => {
    expect(statusOf(['accept'])).toBe('ACCEPTED');
    expect(statusOf(['accept'], ['undo', { refersTo: 1n }])).toBe('OPEN');
  });

  test('waits until the day before its date', () => {
    expect(statusOf(['wait', { until: '2026-11-22' }])).toBe('WAITING');
    expect(statusOf(['wait', { until: '2026-11-21' }])).toBe('OPEN');
  });

  test('is open again when the facts of its accept or wait changed, and says so', () => {
    const changed = { basis: 'other' };
    expect(itemState(open, made(['accept', changed]), asOf)).toMatchObject({ status: 'OPEN', lapsed: true });
    expect(itemState(open, made(['wait', { ...changed, until: '2026-12-01' }]), asOf)).toMatchObject({
      status: 'OPEN',
      lapsed: true,
    });
  });

  test('whose wait is over is open, and its decision did not lapse', () => {
    const over = made(['wait', { basis: 'other', until: '2026-11-20' }]);
    expect(itemState(open, over, asOf)).toMatchObject({ status: 'OPEN', lapsed: false, standing: 1n });
  });

  test('is open while its accept waits for a second person', () => {
    const first = ['accept', { needsApproval: true }] as const;
    expect(itemState(open, made(first), asOf)).toMatchObject({ status: 'OPEN', pending: true });
    expect(statusOf(first, ['approve', { refersTo: 1n }])).toBe('ACCEPTED');
    expect(statusOf(first, ['approve', { refersTo: 1n }], ['undo', { refersTo: 2n }])).toBe('OPEN');
  });

  test('keeps its state when somebody assigns or notes', () => {
    expect(statusOf(['accept'], ['assign'], ['note'])).toBe('ACCEPTED');
  });

  test('stays open with a link: the next run takes it', () => {
    expect(itemState(open, made(['accept'], ['link']), asOf)).toMatchObject({ status: 'OPEN', standing: 2n });
  });
});
