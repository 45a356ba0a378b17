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

export type ReferencingType = 'CP' | 'RV' | 'RF';

export interface ReferencingRequest {
  readonly paymentType: ReferencingType;
  /** Undefined: all that is left. */
  readonly amountMinor: bigint | undefined;
  readonly currency: string | undefined;
}

export type Verdict =
  | {
      readonly allowed: true;
      readonly targetId: string;
      readonly amountMinor: bigint;
      readonly currency: string;
    }
  | { readonly allowed: false; readonly code: string };

/** The highest number of captures, even for a payment that sets no number (operations 2.2). */
const mostCaptures = 98;

const refused = (code: string): Verdict => ({ allowed: false, code });

/**
 * Whether a capture, reversal or refund is allowed (operations 3.1). The decision uses every stored payment of the
 * family. The caller holds the lock of the family, so that the decision stays valid.
 */
export function judgeReference(
  request: ReferencingRequest,
  target: FamilyMember,
  family: readonly FamilyMember[],
): Verdict {
  const wrongType = judgeTypes(request.paymentType, target, family);
  if (wrongType !== undefined) return refused(wrongType);
  const wrongState = judgeState(target);
  if (wrongState !== undefined) return refused(wrongState);
  if (request.currency !== undefined && request.currency !== target.currency) return refused('700.100.500');
  if (request.amountMinor !== undefined && request.amountMinor <= 0n) return refused('100.550.300');
  switch (request.paymentType) {
    case 'CP':
      return judgeCapture(request, target, family);
    case 'RV':
      return judgeReversal(request, target, family);
    case 'RF':
      return target.paymentType === 'PA'
        ? judgeRefundOfCaptured(request, target, family)
        : judgeRefund(request, target, family);
  }
}

/**
 * Whether a request names another brand than the payment that it references. It would be stored with that brand, and
 * its settlement, which has the brand of the original, would differ from it.
 */
export function isOtherBrand(
  named: string | undefined,
  referenced: { readonly paymentBrand: string | null },
): boolean {
  return named !== undefined && referenced.paymentBrand !== null && named !== referenced.paymentBrand;
}

const allowedTypes: Readonly<Record<ReferencingType, readonly string[]>> = {
  CP: ['PA'],
  RV: ['PA', 'DB', 'CD'],
  RF: ['DB', 'CD', 'CP'],
};
const wrongTypeCodes: Readonly<Record<ReferencingType, string>> = {
  CP: '700.400.510',
  RV: '700.400.530',
  RF: '700.400.520',
};

function judgeTypes(
  type: ReferencingType,
  target: FamilyMember,
  family: readonly FamilyMember[],
): string | undefined {
  if (isIncrement(target)) return '700.300.100';
  if (allowedTypes[type].includes(target.paymentType)) return undefined;
  // The one documented extension: a captured PA is refunded through its capture.
  const captured = heldChildren(family, target, 'CP').length > 0;
  if (type === 'RF' && target.paymentType === 'PA' && captured) return undefined;
  return wrongTypeCodes[type];
}

function judgeState(target: FamilyMember): string | undefined {
  const disposition = dispositionOf(target.resultCode);
  if (disposition === 'pending' || disposition === 'uncertain') return '700.400.570';
  return storedOutcomeOf(target.resultCode) === 'SUCCESS' ? undefined : '700.300.200';
}

function judgeCapture(
  { amountMinor }: ReferencingRequest,
  target: FamilyMember,
  family: readonly FamilyMember[],
): Verdict {
  const captures = heldChildren(family, target, 'CP');
  const authorised = target.amountMinor + total(increments(family, target));
  const left = authorised - total(captures) - total(heldChildren(family, target, 'RV'));
  const closed = captures.some(isFinal) || captures.length >= (target.numberOfCaptures ?? mostCaptures);
  if (closed || left <= 0n) return refused('700.300.300');
  return within(left, amountMinor, '700.400.100', target);
}

function judgeReversal(
  { amountMinor }: ReferencingRequest,
  target: FamilyMember,
  family: readonly FamilyMember[],
): Verdict {
  if (openChargebacks(family, target) > 0n) return refused('700.300.600');
  const captures = heldChildren(family, target, 'CP');
  const reversals = heldChildren(family, target, 'RV');
  // A refunded DB or CD was already booked. Imported refunds of a PA are refunds of its captures.
  const refunded = target.paymentType !== 'PA' && heldChildren(family, target, 'RF').length > 0;
  // The amount that was not captured can be released, unless a FINAL capture closed the authorisation.
  const closed = [...captures, ...reversals].some(isFinal);
  const left = target.amountMinor + total(increments(family, target)) - total(captures) - total(reversals);
  if (refunded || closed || left <= 0n) return refused('700.300.300');
  return within(left, amountMinor, '700.400.300', target);
}

function judgeRefund(
  { amountMinor }: ReferencingRequest,
  target: FamilyMember,
  family: readonly FamilyMember[],
): Verdict {
  if (openChargebacks(family, target) > 0n) return refused('700.300.600');
  const refunds = heldChildren(family, target, 'RF');
  const left = refundable(target, family);
  if (refunds.some(isFinal) || left <= 0n) return refused('700.300.300');
  return within(left, amountMinor, '700.400.200', target);
}

/** The refund references the oldest capture with enough left, because a refund has only one reference. */
function judgeRefundOfCaptured(
  request: ReferencingRequest,
  target: FamilyMember,
  family: readonly FamilyMember[],
): Verdict {
  const verdicts = family
    .filter((member) => member.paymentType === 'CP' && member.referencedPaymentId === target.id)
    .filter((member) => judgeState(member) === undefined)
    .map((member) => judgeRefund(request, member, family));
  return verdicts.find(({ allowed }) => allowed) ?? verdicts.at(-1) ?? refused('700.400.570');
}

/** The amount of a DB, CD or CP that can still be refunded. */
function refundable(target: FamilyMember, family: readonly FamilyMember[]): bigint {
  const own =
    target.amountMinor -
    total(heldChildren(family, target, 'RF')) -
    total(heldChildren(family, target, 'RV'));
  if (target.paymentType !== 'CP') return own;
  // Imported refunds may reference the PA instead of a capture. They count against all of its captures.
  const authorisation = family.find(({ id }) => id === target.referencedPaymentId);
  if (authorisation === undefined) return own;
  const captures = heldChildren(family, authorisation, 'CP');
  const refunds = captures.flatMap((capture) => heldChildren(family, capture, 'RF'));
  const all = total(captures) - total(refunds) - total(heldChildren(family, authorisation, 'RF'));
  return all < own ? all : own;
}

function within(
  left: bigint,
  requested: bigint | undefined,
  exceeded: string,
  { id, currency }: FamilyMember,
): Verdict {
  if (requested !== undefined && requested > left) return refused(exceeded);
  return { allowed: true, targetId: id, amountMinor: requested ?? left, currency };
}

/** The chargebacks of a payment minus their reversals. */
export function openChargebacks(family: readonly FamilyMember[], target: FamilyMember): bigint {
  const chargebacks = family.filter(
    (member) => member.paymentType === 'CB' && member.referencedPaymentId === target.id,
  );
  return total(chargebacks) - total(chargebacks.flatMap((one) => reversalsOf(family, one)));
}

/** The reversals of a chargeback. */
export function reversalsOf(family: readonly FamilyMember[], chargeback: FamilyMember): FamilyMember[] {
  return family.filter(
    (member) => member.paymentType === 'CR' && member.referencedPaymentId === chargeback.id,
  );
}

/** The sum in hundredths. */
export function total(members: readonly FamilyMember[]): bigint {
  return members.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
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
  return family.filter((member) => {
    if (member.paymentType !== type || member.referencedPaymentId !== parent.id) return false;
    const disposition = dispositionOf(member.resultCode);
    return (
      storedOutcomeOf(member.resultCode) !== 'FAILED' ||
      disposition === 'pending' ||
      disposition === 'uncertain'
    );
  });
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

function isIncrement(member: FamilyMember): boolean {
  return (
    member.paymentType === 'PA' &&
    member.industryPractice === 'INCREMENTAL_AUTH' &&
    member.referencedPaymentId !== null
  );
}

function isFinal({ sequence }: FamilyMember): boolean {
  return sequence === 'FINAL';
}
