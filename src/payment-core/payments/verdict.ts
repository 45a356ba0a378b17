import { storedOutcomeOf } from '../results/classify-result-code.js';
import { isOpen, type FamilyMember } from './payment-family.js';

/** The amount that a request about a payment names. */
export interface RequestedAmount {
  /** Undefined: all that is left. */
  readonly amountMinor: bigint | undefined;
  readonly currency: string | undefined;
}

/** Whether a request about a payment is allowed, and for which amount. */
export type Verdict =
  | {
      readonly allowed: true;
      readonly targetId: string;
      readonly amountMinor: bigint;
      readonly currency: string;
    }
  | { readonly allowed: false; readonly code: string };

/** Not allowed; the code is that of the answer. */
export const refused = (code: string): Verdict => ({ allowed: false, code });

/** The code that refuses to continue a payment that has no outcome yet, or failed; undefined if it succeeded. */
export function judgeState(target: FamilyMember): string | undefined {
  if (isOpen(target)) return '700.400.570';
  return storedOutcomeOf(target.resultCode) === 'SUCCESS' ? undefined : '700.300.200';
}

/** The code that refuses an amount whatever is left of the payment; undefined if none does. */
export function judgeAmount(
  { amountMinor, currency }: RequestedAmount,
  target: FamilyMember,
): string | undefined {
  if (currency !== undefined && currency !== target.currency) return '700.100.500';
  return amountMinor !== undefined && amountMinor <= 0n ? '100.550.300' : undefined;
}

/**
 * Allows what is requested, up to the amount that is left.
 *
 * @param exceeded the code that refuses more
 */
export function allowUpTo(
  left: bigint,
  requested: bigint | undefined,
  exceeded: string,
  { id, currency }: FamilyMember,
): Verdict {
  if (requested !== undefined && requested > left) return refused(exceeded);
  return { allowed: true, targetId: id, amountMinor: requested ?? left, currency };
}
