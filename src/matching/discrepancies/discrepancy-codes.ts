/**
 * Everything that matching can find wrong (design 4.6). `remedy` is what finance should do about it.
 */
export const discrepancyCodes = {
  NOT_MATCHED: {
    severity: 'error',
    remedy:
      'Find out which payment the record belongs to; one that is stored late is matched by the next run.',
  },
  MULTIPLE_MATCHES: {
    severity: 'error',
    remedy:
      'Decide which of the listed payments was settled and ask the sender for a reference that names it.',
  },
  CURRENCY_MISMATCH: {
    severity: 'error',
    remedy: 'Ask the clearing institute why it settled in a currency in which nobody paid.',
  },
  DUPLICATE_SETTLEMENT: {
    severity: 'error',
    remedy: 'The money came (or went) twice: agree with the clearing institute on its return.',
  },
  AMOUNT_MISMATCH: {
    severity: 'error',
    remedy: 'Claim the missing part, or expect that the surplus is claimed back.',
  },
  TYPE_MISMATCH: { severity: 'error', remedy: 'Check whether the record names the right payment.' },
  PAYMENT_NOT_SUCCESSFUL: {
    severity: 'error',
    remedy: 'Money moved for a payment that we do not know as a success: find out which side is wrong.',
  },
  PAYMENT_REVERSED: {
    severity: 'error',
    remedy: 'Money moved for a payment that was reversed: expect or make a return.',
  },
  MERCHANT_ACCOUNT_MISMATCH: {
    severity: 'error',
    remedy: 'Have the money moved to the merchant account that took the payment.',
  },
  ACCOUNT_MISMATCH: { severity: 'warning', remedy: 'Check whether the record names the right payment.' },
  BRAND_MISMATCH: { severity: 'warning', remedy: 'Check whether the record names the right payment.' },
  CASHFLOW_MISMATCH: {
    severity: 'warning',
    remedy: 'Ask the clearing institute whether the money came or went.',
  },
  SETTLEMENT_FAILED: {
    severity: 'error',
    remedy: 'The money did not move: ask the clearing institute for the reason and a new settlement.',
  },
  FX_MISMATCH: {
    severity: 'warning',
    remedy: 'Ask for the exact rate and the fees; amount and rate do not give the settled amount.',
  },
  CHARGEBACK_EXCEEDS_PAYMENT: {
    severity: 'error',
    remedy: 'More was charged back than was paid: contest the surplus.',
  },
  REVERSAL_WITHOUT_CHARGEBACK: {
    severity: 'error',
    remedy: 'Ask for the chargeback record; a later run links the two.',
  },
  CHARGEBACK_WITHOUT_REASON: {
    severity: 'warning',
    remedy: 'Ask for the reason code; it is needed to contest the chargeback.',
  },
  CLAIM_DIFFERS: {
    severity: 'info',
    remedy: 'Nothing to do: our own result counts. Many of them are worth a word with the sender.',
  },
  MISSING_SETTLEMENT: {
    severity: 'error',
    remedy: 'Ask the clearing institute for the settlement of this payment.',
  },
} as const satisfies Record<string, { severity: 'error' | 'warning' | 'info'; remedy: string }>;

export type DiscrepancyCode = keyof typeof discrepancyCodes;
export type Severity = (typeof discrepancyCodes)[DiscrepancyCode]['severity'];

/** Codes judged over all records of a payment together: a new record may change what is true of an older one. */
export const paymentWideCodes = [
  'DUPLICATE_SETTLEMENT',
  'AMOUNT_MISMATCH',
  'CHARGEBACK_EXCEEDS_PAYMENT',
] as const satisfies readonly DiscrepancyCode[];
