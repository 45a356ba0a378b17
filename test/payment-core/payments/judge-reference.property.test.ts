import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeReference, type ReferencingType } from '../../../src/payment-core/payments/judge-reference.js';
import type { FamilyMember } from '../../../src/payment-core/payments/payment-family.js';

const outcomes = ['000.000.000', '000.000.000', '000.200.000', '900.100.300', '800.100.100'] as const;

const steps = fc.array(
  fc.record({
    type: fc.constantFrom<ReferencingType>('CP', 'RV', 'RF'),
    amountMinor: fc.bigInt({ min: 1n, max: 120n }),
    resultCode: fc.constantFrom(...outcomes),
    final: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
    /** Which payment of the family it references. */
    of: fc.nat(),
  }),
  { maxLength: 40 },
);

const failed = '800.100.100';

function sum(family: readonly FamilyMember[], type: string, of: string): bigint {
  return family
    .filter((one) => one.paymentType === type && one.referencedPaymentId === of && one.resultCode !== failed)
    .reduce((total, { amountMinor }) => total + amountMinor, 0n);
}

test.each(['PA', 'DB', 'CD'])('no amount of a %s is taken twice, whatever is tried', (paymentType) => {
  fc.assert(
    fc.property(steps, (tried) => {
      const root: FamilyMember = {
        id: 'root',
        paymentType,
        amountMinor: 100n,
        currency: 'EUR',
        resultCode: '000.000.000',
        referencedPaymentId: null,
        numberOfCaptures: null,
        sequence: null,
        industryPractice: null,
      };
      const family = [root];
      for (const { type, amountMinor, resultCode, final, of } of tried) {
        const target = family[of % family.length] ?? root;
        const verdict = judgeReference({ paymentType: type, amountMinor, currency: 'EUR' }, target, family);
        if (!verdict.allowed) continue;
        family.push({
          ...root,
          id: `child ${family.length}`,
          paymentType: type,
          amountMinor: verdict.amountMinor,
          resultCode,
          referencedPaymentId: verdict.targetId,
          sequence: final ? 'FINAL' : null,
        });
      }
      for (const member of family) {
        const taken =
          sum(family, 'CP', member.id) + sum(family, 'RV', member.id) + sum(family, 'RF', member.id);
        expect(taken <= member.amountMinor).toBe(true);
      }
      // A FINAL capture closes the authorisation, and what was refunded is not reversed any more.
      const held = family.filter(({ resultCode }) => resultCode !== failed);
      const ofRoot = held.filter((one) => one.referencedPaymentId === 'root');
      const closing = ofRoot.findIndex((one) => one.paymentType === 'CP' && one.sequence === 'FINAL');
      const after = closing === -1 ? [] : ofRoot.slice(closing + 1);
      expect(after.filter((one) => one.paymentType === 'CP' || one.paymentType === 'RV')).toEqual([]);
      const firstRefund = ofRoot.findIndex((one) => one.paymentType === 'RF');
      const lastReversal = ofRoot.findLastIndex((one) => one.paymentType === 'RV');
      expect(firstRefund === -1 || lastReversal < firstRefund).toBe(true);
    }),
  );
});
