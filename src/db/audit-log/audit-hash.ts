import { createHash } from 'node:crypto';

/** What the first event has as its `previousHash`, because there is none before it. */
export const hashBeforeFirst = '0'.repeat(64);

/** An event of the audit log as it is hashed: every value as text. */
export interface HashedEvent {
  readonly previousHash: string;
  readonly number: bigint;
  /** `2026-11-20T05:30:01.500000Z` */
  readonly happenedAt: string;
  readonly author: string;
  readonly action: string;
  readonly subject: string;
  readonly details: string;
}

/**
 * The hash of an event: SHA-256 over the hash before it and its values, each with its length in bytes before it, so
 * that no two events have the same text. It depends on nothing but these values, so it survives dump and restore.
 */
export function auditHash(event: HashedEvent): string {
  const { previousHash, number, happenedAt, author, action, subject, details } = event;
  const values = [previousHash, number.toString(), happenedAt, author, action, subject, details];
  const hash = createHash('sha256');
  for (const value of values) hash.update(`${Buffer.byteLength(value)}:${value},`);
  return hash.digest('hex');
}
