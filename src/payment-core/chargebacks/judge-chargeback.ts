import {
  heldChildren,
  leftOfChargeback,
  openChargebacks,
  total,
  type FamilyMember,
} from '../payments/payment-family.js';
import {
  judgeAmount,
  judgeState,
  refused,
  allowUpTo,
  type RequestedAmount,
  type Verdict,
} from '../payments/verdict.js';

/**
 * Whether the back office may book a chargeback: on a successful DB or CP, in its currency, up to what is left
 * after reversals, and only one at a time. A refund does not count: the customer's bank may charge back what was
 * refunded. A reversed payment was never booked, so it cannot be charged back. This check does not apply to the
 * reconciliation: a chargeback that the acquirer settled is a fact.
 */
export function judgeChargeback(
  request: RequestedAmount,
  target: FamilyMember,
  family: readonly FamilyMember[],
): Verdict {
  if (target.paymentType !== 'DB' && target.paymentType !== 'CP') return refused('700.400.550');
  const wrongState = judgeState(target);
  if (wrongState !== undefined) return refused(wrongState);
  if (openChargebacks(family, target) > 0n) return refused('700.300.500');
  const left = target.amountMinor - total(heldChildren(family, target, 'RV'));
  if (left <= 0n) return refused('700.300.300');
  return decide(request, target, left, '700.100.300');
}

/** Whether a chargeback may be reversed: up to the amount that is not reversed yet. */
export function judgeChargebackReversal(
  request: RequestedAmount,
  target: FamilyMember,
  family: readonly FamilyMember[],
): Verdict {
  if (target.paymentType !== 'CB') return refused('700.400.420');
  const left = leftOfChargeback(family, target);
  return left <= 0n ? refused('700.400.410') : decide(request, target, left, '700.400.411');
}

function decide(request: RequestedAmount, target: FamilyMember, left: bigint, exceeded: string): Verdict {
  const wrongAmount = judgeAmount(request, target);
  return wrongAmount === undefined
    ? allowUpTo(left, request.amountMinor, exceeded, target)
    : refused(wrongAmount);
}
