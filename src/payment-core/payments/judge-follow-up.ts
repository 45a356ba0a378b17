import { highestAmount } from '../values/amounts.js';
import {
  heldChildren,
  isClosedForCaptures,
  isIncrement,
  leftOfAuthorisation,
  total,
  type FamilyMember,
} from './payment-family.js';
import { judgeState } from './verdict.js';

/** A stand-alone payment that follows another payment. */
export interface FollowUp {
  readonly paymentType: 'PA' | 'DB' | 'CD';
  readonly amountMinor: bigint;
  readonly currency: string;
}

/** The total would be an amount that no field can hold, so nobody could capture or reverse all of it. */
const tooLarge = '100.550.301';

/**
 * Whether a follow-up by referenceUuid is allowed (operations 2.2, 2.3). An INCREMENTAL_AUTH adds to a PA that may
 * still be captured, even if all of it was captured; a PA that was reversed in full is gone. Every other practice is
 * a separate payment, linked to a payment in the same currency.
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
  const wrongState = judgeState(target);
  if (wrongState !== undefined) return wrongState;
  const reversed = heldChildren(family, target, 'RV').length > 0 && leftOfAuthorisation(family, target) <= 0n;
  if (reversed || isClosedForCaptures(family, target)) return '700.300.300';
  const added = total(heldChildren(family, target, 'PA').filter(isIncrement)) + followUp.amountMinor;
  return target.amountMinor + added > highestAmount ? tooLarge : undefined;
}
