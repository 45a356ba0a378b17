import { hashBeforeFirst } from './audit-hash.js';
import type { Tx } from '../client.js';

/** A place in the audit log: the number and the hash of an event. */
export interface AuditPlace {
  readonly number: bigint;
  readonly hash: string;
}

/** The end of an empty log. */
export const beforeFirst: AuditPlace = { number: 0n, hash: hashBeforeFirst };

/** Number and hash of the last event, as the database keeps them. */
export async function readAuditHead(tx: Tx): Promise<AuditPlace> {
  const [head] = await tx<AuditPlace[]>`select number, hash from audit_head`;
  return head ?? beforeFirst;
}
