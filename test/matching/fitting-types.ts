/** Design 4.4 (a) as a separate table, so that the model does not share a mistake with the program. */
const byPaymentType: Readonly<Record<string, readonly string[]>> = {
  AUTH_FEE: ['PA', 'DB'],
  CAPTURE_FEE: ['CP', 'DB'],
  CANCEL_FEE: ['RV'],
  REFUND_FEE: ['RF'],
};
const bySettledType: Readonly<Record<string, readonly string[]>> = {
  DEBIT: ['DB', 'CP'],
  CREDIT: ['CD'],
  REFUND: ['RF'],
};

/** The payment types that fit a record. */
export function fittingTypes(reconciliationType: string, paymentType: string): readonly string[] {
  if (reconciliationType.startsWith('CHARGEBACK')) return ['DB', 'CP'];
  const settled = reconciliationType === 'SETTLED' ? bySettledType[paymentType] : undefined;
  return settled ?? byPaymentType[paymentType] ?? ['PA', 'DB', 'CD', 'CP', 'RV', 'RF'];
}
