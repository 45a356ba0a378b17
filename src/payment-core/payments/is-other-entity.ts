/**
 * Whether a request names another entity than the payment that it references, which then does not exist for it. It
 * would be stored for that entity, which does not see the referenced payment, and its settlement would be that of
 * another merchant account. An imported payment may have no entity.
 */
export function isOtherEntity(
  named: string | undefined,
  referenced: { readonly entityId: string | null },
): boolean {
  return named !== undefined && referenced.entityId !== null && named !== referenced.entityId;
}
