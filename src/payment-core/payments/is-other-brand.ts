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
