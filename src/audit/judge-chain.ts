import { auditHash, type HashedEvent } from '../db/audit-log/audit-hash.js';
import type { AuditPlace } from '../db/audit-log/audit-head.js';

/** A stored event of the audit log with its hash. */
export interface ChainedEvent extends HashedEvent {
  readonly hash: string;
}

/** What is wrong at the first place at which the log is not as it was written. */
export interface BrokenPlace {
  /** The number of the event. */
  readonly number: bigint;
  readonly kind: 'changed' | 'removed' | 'inserted' | 'reordered';
  /** A sentence for people. */
  readonly message: string;
}

/** Whether an event follows a place, and its values are those that were hashed. */
export function follows(event: ChainedEvent, { number, hash }: AuditPlace): boolean {
  return event.number === number + 1n && event.previousHash === hash && auditHash(event) === event.hash;
}

/** What is known about the place at which the log breaks. */
export interface Break {
  /** The hash before the last good event. */
  readonly hashBeforeLast: string;
  /** The last event that is as it was written. */
  readonly last: AuditPlace;
  /** The stored event after it, which does not follow. */
  readonly first: ChainedEvent;
  /** The stored events that continue from the hash of the last good one, wherever they are. */
  readonly successors: readonly ChainedEvent[];
  /** How far an event may have been moved: as many events as the log has. */
  readonly reach: bigint;
}

/**
 * Says what is wrong where an event does not follow the last good one. Pure.
 *
 * Every event was hashed with its number, so an event that was moved still shows the number that it had.
 */
export function judgeBreak({ hashBeforeLast, last, first, successors, reach }: Break): BrokenPlace {
  const number = last.number + 1n;
  const original = numberWhenWritten(first, number, reach);
  const next = successors.find((event) => isHashedAs(event, number));
  if (next !== undefined && next.number !== first.number) {
    const isLater = original !== null && original > number;
    return isLater ? reordered(number, next.number) : inserted(number);
  }
  if (next !== undefined) return renumbered(number, first.number);
  if (first.number > number) return removed(number, first.number - 1n);
  if (original === null) return changed(number);
  if (original > number) return removed(number, original - 1n);
  if (original === number) return rewritten(last.number, number);
  return first.previousHash === hashBeforeLast ? inserted(last.number) : inserted(number);
}

/**
 * Compares the end of the log with its head, once every event follows the one before it.
 *
 * @returns null when they agree
 */
export function judgeEnd(last: AuditPlace, head: AuditPlace): BrokenPlace | null {
  if (head.number > last.number) return removed(last.number + 1n, head.number);
  if (head.number < last.number) return inserted(head.number + 1n);
  return head.hash === last.hash ? null : rewritten(last.number, null);
}

function reordered(number: bigint, storedAs: bigint): BrokenPlace {
  const message = `Event ${number} is stored as event ${storedAs}: events were moved.`;
  return { number, kind: 'reordered', message };
}

function renumbered(number: bigint, storedAs: bigint): BrokenPlace {
  return { number, kind: 'changed', message: `The number of event ${number} was changed to ${storedAs}.` };
}

/** Events that are no longer there. */
export function removed(first: bigint, last: bigint): BrokenPlace {
  const message = first === last ? `Event ${first} was removed.` : `Events ${first} to ${last} were removed.`;
  return { number: first, kind: 'removed', message };
}

function inserted(number: bigint): BrokenPlace {
  return {
    number,
    kind: 'inserted',
    message: `Event ${number} was inserted: the log was written without it.`,
  };
}

/** An event that is stored before the first one of the log. */
export function beforeBeginning(number: bigint, removedThrough: bigint): BrokenPlace {
  const suspect = removedThrough === 0n ? 'it' : `it, or the checkpoint at event ${removedThrough},`;
  const message = `Event ${number} is stored, but the log begins with event ${removedThrough + 1n}: ${suspect} was inserted.`;
  return { number, kind: 'inserted', message };
}

function changed(number: bigint): BrokenPlace {
  const message = `Event ${number} was changed: its values and its hash do not belong together.`;
  return { number, kind: 'changed', message };
}

function rewritten(number: bigint, next: bigint | null): BrokenPlace {
  const witness = next === null ? 'The head of the log' : `Event ${next}`;
  const message = `${witness} does not continue from event ${number}: that event or one before it was changed, and hashes were computed again.`;
  return { number, kind: 'changed', message };
}

const isHashedAs = (event: ChainedEvent, number: bigint) => auditHash({ ...event, number }) === event.hash;

/** A tenth of a second of hashing, spent once. */
const farthest = 50_000n;

/** The number with which an event was hashed; null if its values were changed. */
function numberWhenWritten(event: ChainedEvent, near: bigint, reach: bigint): bigint | null {
  if (isHashedAs(event, event.number)) return event.number;
  for (let distance = 0n; distance <= reach && distance <= farthest; distance += 1n) {
    if (isHashedAs(event, near + distance)) return near + distance;
    if (distance < near && isHashedAs(event, near - distance)) return near - distance;
  }
  return null;
}
