import {
  heldChildren,
  isClosedForCaptures,
  isFinal,
  isIncrement,
  leftOfAuthorisation,
  openChargebacks,
  total,
  type FamilyMember,
} from './payment-family.js';
import {
  judgeAmount,
  judgeState,
  refused,
  allowUpTo,
  type RequestedAmount,
  type Verdict,
} from './verdict.js';

/** Capture, reversal, refund (operations 3.1). */
export type ReferencingType = 'CP' | 'RV' | 'RF';

/** What is to be captured, reversed or refunded. */
export interface ReferencingRequest extends RequestedAmount {
  readonly paymentType: ReferencingType;
}

/** A refund of more than is left. */
const refundExceeded = '700.400.200';

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
  const wrongAmount = judgeAmount(request, target);
  if (wrongAmount !== undefined) return refused(wrongAmount);
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

function judgeCapture(
  { amountMinor }: ReferencingRequest,
  target: FamilyMember,
  family: readonly FamilyMember[],
): Verdict {
  const left = leftOfAuthorisation(family, target);
  if (isClosedForCaptures(family, target) || left <= 0n) return refused('700.300.300');
  return allowUpTo(left, amountMinor, '700.400.100', target);
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
  const left = leftOfAuthorisation(family, target);
  if (refunded || closed || left <= 0n) return refused('700.300.300');
  return allowUpTo(left, amountMinor, '700.400.300', target);
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
  return allowUpTo(left, amountMinor, refundExceeded, target);
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
  return (
    verdicts.find(({ allowed }) => allowed) ??
    // Something is left of this capture, though not enough: the payment is not refunded in full.
    verdicts.find((verdict) => !verdict.allowed && verdict.code === refundExceeded) ??
    verdicts.at(-1) ??
    refused('700.400.570')
  );
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
