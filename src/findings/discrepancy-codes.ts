/** How severe a discrepancy can be, the most severe first; the catalogue gives each code its severity. */
export const severities = ['error', 'warning', 'info'] as const;

/** One of {@link severities}. */
export type Severity = (typeof severities)[number];

/**
 * Everything that matching can find wrong (design 4.6). `when` says what was found, `remedy` what finance should do
 * about it; docs/codes.md shows both.
 */
export const discrepancyCodes = {
  NOT_MATCHED: {
    severity: 'error',
    when: 'a record that should have a payment has none',
    remedy: 'Find the payment and link the record to it; one that is stored late is matched by the next run.',
  },
  MULTIPLE_MATCHES: {
    severity: 'error',
    when: 'several payments fit and cannot be distinguished',
    remedy:
      'Link the record to the listed payment that was settled, and ask the sender for a reference that names it.',
  },
  CURRENCY_MISMATCH: {
    severity: 'error',
    when: 'settled in a currency other than the payment’s',
    remedy: 'Ask the clearing institute why it settled in a currency other than the payment’s.',
  },
  DUPLICATE_SETTLEMENT: {
    severity: 'error',
    when: 'earlier records have settled the payment in full already',
    remedy: 'The money was paid (or charged) twice: agree with the clearing institute on its return.',
  },
  AMOUNT_MISMATCH: {
    severity: 'error',
    when: 'what was settled for the payment is not its amount; `info` within `matching.tolerance`',
    remedy: 'Claim the missing part, or expect that the surplus is claimed back.',
  },
  TYPE_MISMATCH: {
    severity: 'error',
    when: 'the payment’s type does not fit the record’s',
    remedy: 'Check whether the record names the right payment; its amount counts in no sum of that payment.',
  },
  PAYMENT_NOT_SUCCESSFUL: {
    severity: 'error',
    when: 'settled, but the payment failed or is pending',
    remedy: 'Find out which is wrong: the settlement, or the stored result of the payment.',
  },
  PAYMENT_REVERSED: {
    severity: 'error',
    when: 'settled, but the payment was reversed in full',
    remedy: 'Agree with the clearing institute on the return of the money.',
  },
  MERCHANT_ACCOUNT_MISMATCH: {
    severity: 'error',
    when: 'a merchant account other than the payment’s',
    remedy: 'Have the money moved to the merchant account that took the payment.',
  },
  ACCOUNT_MISMATCH: {
    severity: 'warning',
    when: 'last four digits other than the payment’s',
    remedy: 'Check whether the record names the right payment.',
  },
  BRAND_MISMATCH: {
    severity: 'warning',
    when: 'a brand other than the payment’s',
    remedy: 'Check whether the record names the right payment.',
  },
  CASHFLOW_MISMATCH: {
    severity: 'warning',
    when: 'POS or NEG contradicts the type of the record',
    remedy: 'Ask the clearing institute whether the money came in or went out.',
  },
  SETTLEMENT_FAILED: {
    severity: 'error',
    when: 'SettlementStatus is FAILED, and no later record has settled the payment',
    remedy: 'Ask the clearing institute for the reason, and for a new settlement.',
  },
  FX_MISMATCH: {
    severity: 'warning',
    when: 'Amount × SettlementFxRate is not SettlementAmount, with or without the fee',
    remedy: 'Ask the clearing institute for the exact rate and the fees.',
  },
  CHARGEBACK_EXCEEDS_PAYMENT: {
    severity: 'error',
    when: 'chargebacks less reversals are more than was paid',
    remedy: 'Contest what was charged back beyond the amount of the payment.',
  },
  CHARGEBACK_BOOKED_TWICE: {
    severity: 'warning',
    when: 'a chargeback of a payment that the back office had charged back by hand before',
    remedy:
      'If both are the same chargeback, reverse the one that was booked by hand (`recon chargebacks reverse`); otherwise accept the item.',
  },
  REVERSAL_WITHOUT_CHARGEBACK: {
    severity: 'error',
    when: 'a chargeback reversal for which no open chargeback record is known',
    remedy:
      'Ask the clearing institute for the chargeback; once it arrives, the next run links the two. If it was booked by hand, reverse it with `recon chargebacks reverse`; once it is reversed by hand, accept the item.',
  },
  CHARGEBACK_WITHOUT_REASON: {
    severity: 'warning',
    when: 'a chargeback without ReasonCode',
    remedy: 'Ask the clearing institute for the reason code; it is needed to contest the chargeback.',
  },
  RECORD_REDELIVERED: {
    severity: 'error',
    when: 'a later file delivers the record again with other cells',
    remedy:
      'Decide which of the two counts (`recon decide ID --supersede` or `--keep-both`); until then the later one takes part in no sum.',
  },
  CLAIM_DIFFERS: {
    severity: 'info',
    when: 'the sender’s own column 34 or 35 differs from our result',
    remedy: 'Nothing to do: our own result counts. If there are many, contact the sender.',
  },
  MISSING_SETTLEMENT: {
    severity: 'error',
    when: 'a successful payment that is due and for which no settlement has arrived, not even a failed one',
    remedy: 'Ask the clearing institute for the settlement of this payment.',
  },
} as const satisfies Record<string, { severity: Severity; when: string; remedy: string }>;

/** What is wrong with a record or payment; docs/codes.md lists the codes. */
export type DiscrepancyCode = keyof typeof discrepancyCodes;

/**
 * What finance should do about a finding; empty for a code that an older version stored. An AMOUNT_MISMATCH that has
 * only the severity `info` is within `matching.tolerance`, so there is nothing to claim.
 */
export function remedyOf(code: string, severity: string): string {
  if (code === ('AMOUNT_MISMATCH' satisfies DiscrepancyCode) && severity === 'info') {
    return 'Nothing: the difference is within matching.tolerance. Accept it to take it off the list.';
  }
  const known: Readonly<Record<string, { readonly remedy: string }>> = discrepancyCodes;
  return known[code]?.remedy ?? '';
}

/**
 * Codes that are checked over all records of a payment together, with the types of the records that are added up: a new
 * record of such a type may change what is true of an older one.
 */
export const paymentWideSums = [
  {
    codes: ['DUPLICATE_SETTLEMENT', 'AMOUNT_MISMATCH', 'SETTLEMENT_FAILED'],
    reconciliationTypes: ['SETTLED'],
  },
  {
    codes: ['CHARGEBACK_EXCEEDS_PAYMENT', 'CHARGEBACK_BOOKED_TWICE'],
    reconciliationTypes: ['CHARGEBACK', 'CHARGEBACK REVERSAL'],
  },
] as const satisfies readonly {
  readonly codes: readonly DiscrepancyCode[];
  readonly reconciliationTypes: readonly string[];
}[];

/** All codes of {@link paymentWideSums}. */
export const paymentWideCodes: readonly DiscrepancyCode[] = paymentWideSums.flatMap(({ codes }) => [
  ...codes,
]);
