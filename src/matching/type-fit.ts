import { textArray, type Fragment, type Tx } from './fragment.js';

/** The payment types that a record can be matched to; never a booked chargeback (CB, CR) (design 4.4). */
export const candidateTypes = ['PA', 'DB', 'CD', 'CP', 'RV', 'RF'] as const;
type CandidateType = (typeof candidateTypes)[number];

/** The kinds of records that the payment core books on their payment (design 4.5). */
export const bookedTypes = ['CHARGEBACK', 'CHARGEBACK REVERSAL'] as const;

/** Whether a record of this ReconciliationType is booked on its payment. */
export function isBooked(reconciliationType: string): boolean {
  return bookedTypes.some((type) => type === reconciliationType);
}

interface FitRule {
  readonly reconciliationTypes: readonly string[] | null;
  readonly recordType: string | null;
  readonly fits: readonly CandidateType[];
}

/** Design 4.4 (a): the first rule that applies to a record decides; without one, every type fits. */
const fitRules: readonly FitRule[] = [
  {
    reconciliationTypes: bookedTypes,
    recordType: null,
    fits: ['DB', 'CP'],
  },
  { reconciliationTypes: ['SETTLED'], recordType: 'DEBIT', fits: ['DB', 'CP'] },
  { reconciliationTypes: ['SETTLED'], recordType: 'CREDIT', fits: ['CD'] },
  { reconciliationTypes: ['SETTLED'], recordType: 'REFUND', fits: ['RF'] },
  { reconciliationTypes: null, recordType: 'AUTH_FEE', fits: ['PA', 'DB'] },
  { reconciliationTypes: null, recordType: 'CAPTURE_FEE', fits: ['CP', 'DB'] },
  { reconciliationTypes: null, recordType: 'CANCEL_FEE', fits: ['RV'] },
  { reconciliationTypes: null, recordType: 'REFUND_FEE', fits: ['RF'] },
];

/** The payment types that fit record `r` (settlement_records), as an array. */
export function fittingTypesOf(tx: Tx): Fragment {
  const cases = fitRules.map((rule) => {
    const reconciliation =
      rule.reconciliationTypes === null
        ? tx`true`
        : tx`r.reconciliation_type in ${tx([...rule.reconciliationTypes])}`;
    const recordType = rule.recordType === null ? tx`true` : tx`r.payment_type = ${rule.recordType}`;
    return tx`when ${reconciliation} and ${recordType} then ${textArray(tx, rule.fits)}`;
  });
  return tx`(case ${cases} else ${textArray(tx, candidateTypes)} end)`;
}

/**
 * Whether payment `p`, or one of the given type, is of a type that fits record `r`; false without a type. With
 * `coalesce`, the planner expects it of half of the rows; without it, of one in twenty, although nearly all fit.
 */
export function typeFits(tx: Tx, paymentType = tx`p.payment_type`): Fragment {
  return tx`coalesce(${paymentType} = any (${fittingTypesOf(tx)}), false)`;
}

/**
 * The type of the payment of result `n` (new_matches), which UniqueID found and nothing has replaced since. A look-up
 * only where the fast path did not note it, which is when a chargeback keeps its payment.
 */
export function typeOfFound(tx: Tx): Fragment {
  return tx`coalesce(n.found_type, (select p.payment_type from payments p where p.key = n.payment_key))`;
}
