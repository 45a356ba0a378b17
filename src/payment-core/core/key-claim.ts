/**
 * The idempotency key of one call. Its row is written in the transaction that stores the resource, so that a key and
 * what it led to exist together or not at all.
 */
export interface KeyClaim {
  /** A key belongs to one entity. */
  readonly entityId: string;
  readonly key: string;
  /** Keyed hash of the request: it shows nothing about a card. */
  readonly fingerprint: string;
  /** Set when the call stored its resource. */
  isUsed: boolean;
}
