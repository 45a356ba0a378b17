import { describe, expect, test } from 'vitest';
import { judgeFollowUp } from '../../../src/payment-core/payments/judge-follow-up.js';
import { judgeReference } from '../../../src/payment-core/payments/judge-reference.js';
import type { FamilyMember } from '../../../src/payment-core/payments/payment-family.js';

function member(id: string, paymentType: string, amountMinor: bigint, more: Partial<FamilyMember> = {}) {
  return {
    id,
    paymentType,
    amountMinor,
    currency: 'EUR',
    resultCode: '000.000.000',
    referencedPaymentId: id === 'x' ? null : 'x',
    numberOfCaptures: null,
    sequence: null,
    industryPractice: null,
    ...more,
  };
}

describe('an incremental authorisation', () => {
  const final = { sequence: 'FINAL' };
  const declined = { resultCode: '800.100.100' };
  const pending = { resultCode: '000.200.000' };
  const captured = (amount: bigint, more?: Partial<FamilyMember>) => member('c', 'CP', amount, more);
  const reversed = (amount: bigint, more?: Partial<FamilyMember>) => member('v', 'RV', amount, more);
  test.each([
    ['of an untouched PA', {}, [], undefined],
    ['after a capture in part', {}, [captured(40n)], undefined],
    ['after a capture in full', {}, [captured(100n)], undefined],
    ['after a FINAL capture', {}, [captured(40n, final)], '700.300.300'],
    ['after a FINAL capture that was declined', {}, [captured(40n, { ...final, ...declined })], undefined],
    ['after all captures that the PA may have', { numberOfCaptures: 1 }, [captured(40n)], '700.300.300'],
    ['after a reversal in part', {}, [reversed(40n)], undefined],
    ['after a reversal in full', {}, [reversed(100n)], '700.300.300'],
    ['during a reversal in full', {}, [reversed(100n, pending)], '700.300.300'],
    ['after a reversal that was declined', {}, [reversed(100n, declined)], undefined],
    ['after a capture whose rest was reversed', {}, [captured(40n), reversed(60n)], '700.300.300'],
  ] as const)('%s', (_when, more, children, expected) => {
    const target = member('x', 'PA', 100n, more);
    const family = [target, ...children];
    const followUp = { paymentType: 'PA', amountMinor: 20n, currency: 'EUR' } as const;
    expect(judgeFollowUp(followUp, 'INCREMENTAL_AUTH', 'x', family)).toBe(expected);
    if (expected !== undefined) return;
    // What it adds can be captured.
    const increment = member('i', 'PA', 20n, { industryPractice: 'INCREMENTAL_AUTH' });
    const capture = { paymentType: 'CP', amountMinor: 20n, currency: 'EUR' } as const;
    expect(judgeReference(capture, target, [...family, increment])).toMatchObject({ allowed: true });
  });

  const practice = { industryPractice: 'INCREMENTAL_AUTH' };
  const almost = 999_999_999_979n;
  test.each([
    ['up to the highest amount', almost, [], undefined],
    ['above the highest amount', almost + 1n, [], '100.550.301'],
    [
      'together with an earlier one',
      900_000_000_000n,
      [member('i', 'PA', 99_999_999_980n, practice)],
      '100.550.301',
    ],
    [
      'together with one that may still succeed',
      900_000_000_000n,
      [member('i', 'PA', 99_999_999_980n, { ...practice, ...pending })],
      '100.550.301',
    ],
    [
      'beside one that was declined',
      900_000_000_000n,
      [member('i', 'PA', 99_999_999_980n, { ...practice, ...declined })],
      undefined,
    ],
  ] as const)('%s', (_what, amountMinor, increments, expected) => {
    const family = [member('x', 'PA', amountMinor), ...increments];
    const followUp = { paymentType: 'PA', amountMinor: 20n, currency: 'EUR' } as const;
    expect(judgeFollowUp(followUp, 'INCREMENTAL_AUTH', 'x', family)).toBe(expected);
  });
});
