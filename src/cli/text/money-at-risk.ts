import type { AtRisk } from '../../items/at-risk.js';

/**
 * Such as `250.00 EUR missing, 190.00 EUR surplus`: missing and surplus are not offset. Empty when nothing is at risk.
 */
export function moneyAtRisk(sums: readonly (AtRisk & { readonly currency: string | null })[]): string {
  return sums
    .flatMap(({ currency, missing, surplus }) => [
      ...(isNone(missing) ? [] : [`${missing} ${currency ?? ''} missing`]),
      ...(isNone(surplus) ? [] : [`${surplus} ${currency ?? ''} surplus`]),
    ])
    .join(', ');
}

const isNone = (amount: string) => amount === '0.00';
