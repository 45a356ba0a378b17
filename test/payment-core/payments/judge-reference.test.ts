import { describe, expect, test } from 'vitest';
import { judgeReference } from '../../../src/payment-core/payments/judge-reference.js';
import type { FamilyMember } from '../../../src/payment-core/payments/payment-family.js';
import { rowsOf } from '../../support/rows-of.js';

const approved = '000.000.000';

function member(
  id: string,
  paymentType: string,
  amountMinor: bigint,
  more: Partial<FamilyMember> = {},
): FamilyMember {
  return {
    id,
    paymentType,
    amountMinor,
    currency: 'EUR',
    resultCode: approved,
    referencedPaymentId: null,
    numberOfCaptures: null,
    sequence: null,
    industryPractice: null,
    ...more,
  };
}

/** What was done to the payment before: each state of the exhaustive table. */
const children: Readonly<Record<string, readonly FamilyMember[]>> = {
  untouched: [],
  'captured in part': [member('c', 'CP', 40n, { referencedPaymentId: 'x' })],
  'captured and released': [
    member('c', 'CP', 40n, { referencedPaymentId: 'x' }),
    member('v', 'RV', 60n, { referencedPaymentId: 'x' }),
  ],
  'captured in full': [member('c', 'CP', 100n, { referencedPaymentId: 'x' })],
  'captured, FINAL': [member('c', 'CP', 40n, { referencedPaymentId: 'x', sequence: 'FINAL' })],
  'capture pending': [member('c', 'CP', 40n, { referencedPaymentId: 'x', resultCode: '000.200.000' })],
  'capture declined': [member('c', 'CP', 40n, { referencedPaymentId: 'x', resultCode: '800.100.100' })],
  'reversed in part': [member('v', 'RV', 40n, { referencedPaymentId: 'x' })],
  'reversed in full': [member('v', 'RV', 100n, { referencedPaymentId: 'x' })],
  'refunded in part': [member('f', 'RF', 40n, { referencedPaymentId: 'x' })],
  'refunded in full': [member('f', 'RF', 100n, { referencedPaymentId: 'x' })],
  'refund uncertain': [member('f', 'RF', 40n, { referencedPaymentId: 'x', resultCode: '900.100.300' })],
  'charged back': [member('b', 'CB', 100n, { referencedPaymentId: 'x', resultCode: '000.100.220' })],
  'chargeback reversed': [
    member('b', 'CB', 100n, { referencedPaymentId: 'x', resultCode: '000.100.220' }),
    member('r', 'CR', 100n, { referencedPaymentId: 'b' }),
  ],
};

/** What a request about a payment of 100 is answered, by type and state of the payment; `ok` is allowed. */
const table = `
  type | state                 | CP of 30    | CP of 100   | RV of 30    | RV of 100   | RF of 30    | RF of 100
  PA   | untouched             | ok          | ok          | ok          | ok          | 700.400.520 | 700.400.520
  PA   | captured in part      | ok          | 700.400.100 | ok          | 700.400.300 | ok          | 700.400.200
  PA   | captured in full      | 700.300.300 | 700.300.300 | 700.300.300 | 700.300.300 | ok          | ok
  PA   | captured, FINAL       | 700.300.300 | 700.300.300 | 700.300.300 | 700.300.300 | ok          | 700.400.200
  PA   | capture pending       | ok          | 700.400.100 | ok          | 700.400.300 | 700.400.570 | 700.400.570
  PA   | captured and released | 700.300.300 | 700.300.300 | 700.300.300 | 700.300.300 | ok          | 700.400.200
  PA   | capture declined      | ok          | ok          | ok          | ok          | 700.400.520 | 700.400.520
  PA   | reversed in part      | ok          | 700.400.100 | ok          | 700.400.300 | 700.400.520 | 700.400.520
  PA   | reversed in full      | 700.300.300 | 700.300.300 | 700.300.300 | 700.300.300 | 700.400.520 | 700.400.520
  DB   | untouched             | 700.400.510 | 700.400.510 | ok          | ok          | ok          | ok
  DB   | reversed in part      | 700.400.510 | 700.400.510 | ok          | 700.400.300 | ok          | 700.400.200
  DB   | reversed in full      | 700.400.510 | 700.400.510 | 700.300.300 | 700.300.300 | 700.300.300 | 700.300.300
  DB   | refunded in part      | 700.400.510 | 700.400.510 | 700.300.300 | 700.300.300 | ok          | 700.400.200
  DB   | refunded in full      | 700.400.510 | 700.400.510 | 700.300.300 | 700.300.300 | 700.300.300 | 700.300.300
  DB   | refund uncertain      | 700.400.510 | 700.400.510 | 700.300.300 | 700.300.300 | ok          | 700.400.200
  DB   | charged back          | 700.400.510 | 700.400.510 | 700.300.600 | 700.300.600 | 700.300.600 | 700.300.600
  DB   | chargeback reversed   | 700.400.510 | 700.400.510 | ok          | ok          | ok          | ok
  CD   | untouched             | 700.400.510 | 700.400.510 | ok          | ok          | ok          | ok
  CD   | reversed in full      | 700.400.510 | 700.400.510 | 700.300.300 | 700.300.300 | 700.300.300 | 700.300.300
  CP   | untouched             | 700.400.510 | 700.400.510 | 700.400.530 | 700.400.530 | ok          | ok
  CP   | refunded in part      | 700.400.510 | 700.400.510 | 700.400.530 | 700.400.530 | ok          | 700.400.200
  CP   | charged back          | 700.400.510 | 700.400.510 | 700.400.530 | 700.400.530 | 700.300.600 | 700.300.600
  RF   | untouched             | 700.400.510 | 700.400.510 | 700.400.530 | 700.400.530 | 700.400.520 | 700.400.520
  RV   | untouched             | 700.400.510 | 700.400.510 | 700.400.530 | 700.400.530 | 700.400.520 | 700.400.520
  CB   | untouched             | 700.400.510 | 700.400.510 | 700.400.530 | 700.400.530 | 700.400.520 | 700.400.520`;

const amounts = [30n, 100n];
const requests = (['CP', 'RV', 'RF'] as const).flatMap((request) =>
  amounts.map((amount) => [request, amount] as const),
);

const cases = rowsOf(table).flatMap(({ type = '', state = '', ...answers }) =>
  requests.map(
    ([request, amount]) => [request, amount, type, state, answers[`${request} of ${amount}`] ?? ''] as const,
  ),
);

describe('F121 every operation in every state', () => {
  test.each(cases)('%s of %s on a %s, %s: %s', (paymentType, amountMinor, type, state, expected) => {
    const target = member('x', type, 100n);
    const done = children[state];
    if (done === undefined) throw new Error(`the table has an unknown state, ${state}`);
    const family = [target, ...done];
    const verdict = judgeReference({ paymentType, amountMinor, currency: 'EUR' }, target, family);
    expect(verdict.allowed ? 'ok' : verdict.code).toBe(expected);
  });

  test.each([
    ['000.200.000', '700.400.570'],
    ['900.100.300', '700.400.570'],
    ['800.400.500', '700.400.570'],
    ['800.100.155', '700.300.200'],
    ['123.456.789', '700.300.200'],
  ])('a payment with %s can be neither captured, reversed nor refunded: %s', (resultCode, expected) => {
    for (const [paymentType, type] of [
      ['CP', 'PA'],
      ['RV', 'DB'],
      ['RF', 'DB'],
    ] as const) {
      const target = member('x', type, 100n, { resultCode });
      const verdict = judgeReference({ paymentType, amountMinor: 1n, currency: 'EUR' }, target, [target]);
      expect(verdict).toEqual({ allowed: false, code: expected });
    }
  });

  test('another currency, nothing and less than nothing are refused; no amount takes what is left', () => {
    const target = member('x', 'DB', 100n);
    const family = [target, member('f', 'RF', 40n, { referencedPaymentId: 'x' })];
    const judge = (amountMinor: bigint | undefined, currency: string) =>
      judgeReference({ paymentType: 'RF', amountMinor, currency }, target, family);
    expect(judge(1n, 'USD')).toEqual({ allowed: false, code: '700.100.500' });
    expect(judge(0n, 'EUR')).toEqual({ allowed: false, code: '100.550.300' });
    expect(judge(undefined, 'EUR')).toMatchObject({ allowed: true, amountMinor: 60n });
  });

  test('a reversal after a partial capture releases exactly the rest, increments included', () => {
    const target = member('x', 'PA', 100n);
    const increment = { referencedPaymentId: 'x', industryPractice: 'INCREMENTAL_AUTH' };
    const family = [
      target,
      member('i', 'PA', 20n, increment),
      member('c', 'CP', 70n, { referencedPaymentId: 'x' }),
    ];
    const judge = (amountMinor: bigint | undefined) =>
      judgeReference({ paymentType: 'RV', amountMinor, currency: 'EUR' }, target, family);
    expect(judge(undefined)).toMatchObject({ allowed: true, amountMinor: 50n });
    expect(judge(50n)).toMatchObject({ allowed: true });
    expect(judge(51n)).toEqual({ allowed: false, code: '700.400.300' });
  });

  test.each([
    ['succeeded', '000.000.000', 120n],
    ['is pending', '000.200.000', 100n],
    ['failed', '800.100.155', 100n],
  ])(
    'an increment that %s adds to what can be captured only after its success',
    (_name, resultCode, left) => {
      const target = member('x', 'PA', 100n);
      const increment = { referencedPaymentId: 'x', industryPractice: 'INCREMENTAL_AUTH', resultCode };
      const request = { paymentType: 'CP', amountMinor: undefined, currency: 'EUR' } as const;
      const verdict = judgeReference(request, target, [target, member('i', 'PA', 20n, increment)]);
      expect(verdict).toMatchObject({ allowed: true, amountMinor: left });
    },
  );

  test('a refund of a captured PA takes the oldest capture that has enough left', () => {
    const target = member('x', 'PA', 100n);
    const family = [
      target,
      member('c1', 'CP', 30n, { referencedPaymentId: 'x' }),
      member('c2', 'CP', 60n, { referencedPaymentId: 'x' }),
    ];
    const judge = (amountMinor: bigint) =>
      judgeReference({ paymentType: 'RF', amountMinor, currency: 'EUR' }, target, family);
    expect(judge(30n)).toMatchObject({ targetId: 'c1' });
    expect(judge(31n)).toMatchObject({ targetId: 'c2' });
    expect(judge(61n)).toEqual({ allowed: false, code: '700.400.200' });
  });

  test.each([
    ['the last capture that its number allows', 2, 1, 'ok'],
    ['one more than its number allows', 2, 2, '700.300.300'],
    ['the last of 98 captures without a number', null, 97, 'ok'],
    ['the 99th capture without a number', null, 98, '700.300.300'],
  ])('%s', (_name, numberOfCaptures, before, expected) => {
    const target = member('x', 'PA', 1000n, { numberOfCaptures });
    const captures = Array.from({ length: before }, (_, index) =>
      member(`c${index}`, 'CP', 1n, { referencedPaymentId: 'x' }),
    );
    const request = { paymentType: 'CP', amountMinor: 1n, currency: 'EUR' } as const;
    const verdict = judgeReference(request, target, [target, ...captures]);
    expect(verdict.allowed ? 'ok' : verdict.code).toBe(expected);
  });

  test.each([
    ['PA', 'RV'],
    ['DB', 'RV'],
    ['DB', 'RF'],
  ] as const)('after the FINAL one, a %s has no further %s', (type, paymentType) => {
    const target = member('x', type, 100n);
    const judge = (sequence: string | null) => {
      const former = member('f', paymentType, 40n, { referencedPaymentId: 'x', sequence });
      const request = { paymentType, amountMinor: 10n, currency: 'EUR' };
      return judgeReference(request, target, [target, former]);
    };
    expect(judge(null)).toMatchObject({ allowed: true });
    expect(judge('FINAL')).toEqual({ allowed: false, code: '700.300.300' });
  });

  test('a refund that references the PA itself does not keep what was not captured from being released', () => {
    const target = member('x', 'PA', 100n);
    const family = [
      target,
      member('c', 'CP', 40n, { referencedPaymentId: 'x' }),
      member('f', 'RF', 40n, { referencedPaymentId: 'x' }),
    ];
    const request = { paymentType: 'RV', amountMinor: undefined, currency: 'EUR' } as const;
    expect(judgeReference(request, target, family)).toMatchObject({ allowed: true, amountMinor: 60n });
  });

  test.each([
    ['the first', 'c1'],
    ['the last', 'c2'],
  ])(
    'a refund of more than is left of a captured PA exceeds it, though %s capture was refunded in full',
    (_name, of) => {
      const target = member('x', 'PA', 100n);
      const family = [
        target,
        member('c1', 'CP', 50n, { referencedPaymentId: 'x' }),
        member('c2', 'CP', 50n, { referencedPaymentId: 'x' }),
        member('f', 'RF', 50n, { referencedPaymentId: of }),
      ];
      const request = { paymentType: 'RF', amountMinor: 51n, currency: 'EUR' } as const;
      expect(judgeReference(request, target, family)).toEqual({ allowed: false, code: '700.400.200' });
    },
  );

  test('imported refunds that reference the PA itself count against its captures', () => {
    const authorisation = member('x', 'PA', 100n);
    const capture = member('c', 'CP', 100n, { referencedPaymentId: 'x' });
    const family = [authorisation, capture, member('f', 'RF', 80n, { referencedPaymentId: 'x' })];
    const verdict = judgeReference({ paymentType: 'RF', amountMinor: 21n, currency: 'EUR' }, capture, family);
    expect(verdict).toEqual({ allowed: false, code: '700.400.200' });
  });
});
