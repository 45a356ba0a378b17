import { dispositionOf, storedOutcomeOf } from '../results/classify-result-code.js';
import { isIncrement, type FamilyMember } from './payment-family.js';

/** A stand-alone payment that follows another payment. */
export interface FollowUp {
  readonly paymentType: 'PA' | 'DB' | 'CD';
  readonly currency: string;
}

/**
 * Whether a follow-up by referenceUuid is allowed (operations 2.2, 2.3). An INCREMENTAL_AUTH adds to a PA that
 * can still be captured. Every other practice is a separate payment, linked to a payment in the same currency.
 *
 * @returns the code that refuses it, or undefined when it is allowed
 */
export function judgeFollowUp(
  followUp: FollowUp,
  practice: string | undefined,
  referencedId: string,
  family: readonly FamilyMember[],
): string | undefined {
  const target = family.find(({ id }) => id === referencedId);
  if (target === undefined) return '700.400.580';
  if (target.currency !== followUp.currency) return '700.100.500';
  if (practice !== 'INCREMENTAL_AUTH') return undefined;
  if (followUp.paymentType !== 'PA' || target.paymentType !== 'PA' || isIncrement(target))
    return '700.100.700';
  const disposition = dispositionOf(target.resultCode);
  if (disposition === 'pending' || disposition === 'uncertain') return '700.400.570';
  if (storedOutcomeOf(target.resultCode) !== 'SUCCESS') return '700.300.200';
  const closed = family.some(
    (member) =>
      member.referencedPaymentId === target.id &&
      dispositionOf(member.resultCode) !== 'failed' &&
      (member.paymentType === 'RV' || (member.paymentType === 'CP' && member.sequence === 'FINAL')),
  );
  return closed ? '700.300.300' : undefined;
}
