import { dispositionOf, storedOutcomeOf } from '../results/classify-result-code.js';

/** A payment of a family (a payment and everything that references it), with the fields that the rules need. */
export interface FamilyMember {
  readonly id: string;
  readonly paymentType: string;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly resultCode: string;
  readonly referencedPaymentId: string | null;
  readonly numberOfCaptures: number | null;
  readonly sequence: string | null;
  readonly industryPractice: string | null;
}

/** The chargebacks of a payment minus their reversals. */
export function openChargebacks(family: readonly FamilyMember[], target: FamilyMember): bigint {
  return family
    .filter((member) => member.paymentType === 'CB' && member.referencedPaymentId === target.id)
    .reduce((sum, chargeback) => sum + leftOfChargeback(family, chargeback), 0n);
}

/**
 * What is left of a chargeback to be reversed. If a settlement file returned it in another currency, nothing is left:
 * it is unknown how much of it that was.
 */
export function leftOfChargeback(family: readonly FamilyMember[], chargeback: FamilyMember): bigint {
  const reversals = family.filter(
    ({ paymentType, referencedPaymentId, amountMinor }) =>
      paymentType === 'CR' && referencedPaymentId === chargeback.id && amountMinor > 0n,
  );
  const isElsewhere = reversals.some(({ currency }) => currency !== chargeback.currency);
  return isElsewhere ? 0n : chargeback.amountMinor - total(reversals);
}

/** The sum in hundredths. */
export function total(members: readonly FamilyMember[]): bigint {
  return members.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
}

/** Whether a payment has no final outcome yet. */
export function isOpen({ resultCode }: Pick<FamilyMember, 'resultCode'>): boolean {
  const disposition = dispositionOf(resultCode);
  return disposition === 'pending' || disposition === 'uncertain';
}

/**
 * The children whose amount counts: successful and pending ones, and those with an unknown outcome, because they
 * may have moved money. The amount of a failed one is available again.
 */
export function heldChildren(
  family: readonly FamilyMember[],
  parent: FamilyMember,
  type: string,
): FamilyMember[] {
  return family.filter(
    (member) =>
      member.paymentType === type &&
      member.referencedPaymentId === parent.id &&
      (storedOutcomeOf(member.resultCode) !== 'FAILED' || isOpen(member)),
  );
}

/** INCREMENTAL_AUTH adds to the authorised total without replacing the original (operations 2.3). */
function increments(family: readonly FamilyMember[], target: FamilyMember): FamilyMember[] {
  return family.filter(
    (member) =>
      isIncrement(member) &&
      member.referencedPaymentId === target.id &&
      storedOutcomeOf(member.resultCode) === 'SUCCESS',
  );
}

/** Whether a payment adds to the authorised total of another one. */
export function isIncrement(member: FamilyMember): boolean {
  return (
    member.paymentType === 'PA' &&
    member.industryPractice === 'INCREMENTAL_AUTH' &&
    member.referencedPaymentId !== null
  );
}

/** The highest number of captures, even for a payment that sets no number (operations 2.2). */
const mostCaptures = 98;

/** Whether the captures of a PA forbid any other one: one was FINAL, or there are as many as it may have. */
export function isClosedForCaptures(family: readonly FamilyMember[], target: FamilyMember): boolean {
  const captures = heldChildren(family, target, 'CP');
  return captures.some(isFinal) || captures.length >= (target.numberOfCaptures ?? mostCaptures);
}

/** The authorised total of a PA, without what was captured or reversed. */
export function leftOfAuthorisation(family: readonly FamilyMember[], target: FamilyMember): bigint {
  const authorised = target.amountMinor + total(increments(family, target));
  return authorised - total(heldChildren(family, target, 'CP')) - total(heldChildren(family, target, 'RV'));
}

/** Whether a capture is the last one of its PA (operations 2.2, `sequence`). */
export function isFinal({ sequence }: FamilyMember): boolean {
  return sequence === 'FINAL';
}
