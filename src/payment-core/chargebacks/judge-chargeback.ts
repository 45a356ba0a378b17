import { storedOutcomeOf } from '../results/classify-result-code.js';
import type { Verdict } from '../payments/judge-reference.js';
import {
  heldChildren,
  openChargebacks,
  reversalsOf,
  total,
  type FamilyMember,
} from '../payments/payment-family.js';

export interface ChargebackRequest {
  /** Undefined: all that is left. */
  readonly amountMinor: bigint | undefined;
  readonly currency: string | undefined;
}

const refused = (code: string): Verdict => ({ allowed: false, code });

/**
 * Whether the back office may book a chargeback: on a successful DB or CP, in its currency, up to what is left
 * after reversals, and only one at a time. A refund does not count: the customer's bank may charge back what was
 * refunded. A reversed payment was never booked, so it cannot be charged back. This check does not apply to the
 * reconciliation: a chargeback that the acquirer settled is a fact.
 */
export function judgeChargeback(
  { amountMinor, currency }: ChargebackRequest,
  target: FamilyMember,
  family: readonly FamilyMember[],
): Verdict {
  if (target.paymentType !== 'DB' && target.paymentType !== 'CP') return refused('700.400.550');
  const outcome = storedOutcomeOf(target.resultCode);
  if (outcome === 'PENDING') return refused('700.400.570');
  if (outcome !== 'SUCCESS') return refused('700.300.200');
  if (openChargebacks(family, target) > 0n) return refused('700.300.500');
  const left = target.amountMinor - total(heldChildren(family, target, 'RV'));
  if (left <= 0n) return refused('700.300.300');
  return decide({ amountMinor, currency }, target, left, '700.100.300');
}

/** Whether a chargeback may be reversed: up to the amount that is not reversed yet. */
export function judgeChargebackReversal(
  request: ChargebackRequest,
  target: FamilyMember,
  family: readonly FamilyMember[],
): Verdict {
  if (target.paymentType !== 'CB') return refused('700.400.420');
  const left = target.amountMinor - total(reversalsOf(family, target));
  return left <= 0n ? refused('700.400.410') : decide(request, target, left, '700.400.411');
}

function decide(
  { amountMinor, currency }: ChargebackRequest,
  target: FamilyMember,
  left: bigint,
  exceeded: string,
): Verdict {
  if (currency !== undefined && currency !== target.currency) return refused('700.100.500');
  if (amountMinor !== undefined && amountMinor <= 0n) return refused('100.550.300');
  if (amountMinor !== undefined && amountMinor > left) return refused(exceeded);
  return { allowed: true, targetId: target.id, amountMinor: amountMinor ?? left, currency: target.currency };
}
