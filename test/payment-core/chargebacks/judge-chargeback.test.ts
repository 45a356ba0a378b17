import { expect, test } from 'vitest';
import { judgeChargeback } from '../../../src/payment-core/chargebacks/judge-chargeback.js';
import type { FamilyMember } from '../../../src/payment-core/payments/payment-family.js';

/** Which payments the back office can charge back (docs/payment-core.md). */

const member = (fields: Partial<FamilyMember>): FamilyMember => ({
  id: 'x',
  paymentType: 'DB',
  amountMinor: 100n,
  currency: 'EUR',
  resultCode: '000.000.000',
  referencedPaymentId: null,
  numberOfCaptures: null,
  sequence: null,
  industryPractice: null,
  ...fields,
});

test.each<[name: string, target: Partial<FamilyMember>, expected: string]>([
  ['a debit', {}, 'ok'],
  ['a capture', { paymentType: 'CP' }, 'ok'],
  ['a preauthorisation', { paymentType: 'PA' }, '700.400.550'],
  ['a refund', { paymentType: 'RF' }, '700.400.550'],
  ['a pending debit', { resultCode: '000.200.000' }, '700.400.570'],
  ['a debit that waits for days', { resultCode: '800.400.500' }, '700.400.570'],
  ['a debit of which the outcome is not known', { resultCode: '900.100.300' }, '700.400.570'],
  ['a declined debit', { resultCode: '800.100.155' }, '700.300.200'],
])('a chargeback of %s', (_name, fields, expected) => {
  const target = member(fields);
  const verdict = judgeChargeback({ amountMinor: 1n, currency: 'EUR' }, target, [target]);
  expect(verdict.allowed ? 'ok' : verdict.code).toBe(expected);
});
