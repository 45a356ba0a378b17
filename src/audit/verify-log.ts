import { beforeFirst, readAuditHead, type AuditPlace } from '../db/audit-log/audit-head.js';
import type { Sql, Tx } from '../db/client.js';
import { inOwnTransaction } from '../db/transaction.js';
import {
  beforeBeginning,
  follows,
  judgeBreak,
  judgeEnd,
  removed,
  type BrokenPlace,
  type ChainedEvent,
} from './judge-chain.js';

/** A place of the log that was written down elsewhere: in a report, or by a person. */
export interface Anchor {
  /** Where it was written down. */
  readonly name: string;
  /** Null when only the hash is known. */
  readonly number: bigint | null;
  readonly hash: string;
}

/** What a check of the audit log found. */
export interface LogVerdict {
  readonly intact: boolean;
  /** How many events are as they were written, from the oldest that is kept. */
  readonly events: number;
  /** The event before the oldest that is kept; 0 when retention removed none. */
  readonly removedThrough: bigint;
  /** The last event. */
  readonly head: AuditPlace;
  /** How many anchors were found in the log; those that are older than its first event cannot be. */
  readonly anchors: { readonly found: number; readonly tooOld: number };
  readonly broken: BrokenPlace | null;
}

const batchRows = 1000;

/**
 * Reads the whole audit log on one snapshot and proves that it is as it was written: every hash is computed again, the
 * end is compared with the head, and the anchors are looked up (design 11).
 */
export async function verifyLog(sql: Sql, anchors: readonly Anchor[]): Promise<LogVerdict> {
  return inOwnTransaction(sql, (tx) => proveChain(tx, anchors), 'isolation level repeatable read read only');
}

async function proveChain(tx: Tx, anchors: readonly Anchor[]): Promise<LogVerdict> {
  const start = await latestCheckpoint(tx);
  const head = await readAuditHead(tx);
  const missing = new Map(anchors.map((anchor) => [anchor.hash, anchor]));
  missing.delete(start.hash);
  const chain = await followChain(tx, start, (hash) => missing.delete(hash));
  const isOld = ({ number }: Anchor) => number !== null && number < start.number;
  const lost = [...missing.values()].filter((anchor) => !isOld(anchor)).sort(byNumber)[0];
  const broken =
    (await judgeChain(tx, chain, head)) ??
    (await judgeBeginning(tx, start)) ??
    (lost === undefined ? null : judgeAnchor(lost, chain.last, start));
  return {
    intact: broken === null,
    events: chain.events,
    removedThrough: start.number,
    head,
    anchors: {
      found: new Set(anchors.map(({ hash }) => hash)).size - missing.size,
      tooOld: [...missing.values()].filter(isOld).length,
    },
    broken,
  };
}

/** The events that follow each other, up to the first that does not. */
interface Chain {
  readonly events: number;
  /** The last of them. */
  readonly last: AuditPlace;
  readonly hashBeforeLast: string;
  /** The stored event after it, which does not follow; undefined at the end of the log. */
  readonly next: ChainedEvent | undefined;
}

/** @param passed is called with the hash of each event that follows */
async function followChain(tx: Tx, start: AuditPlace, passed: (hash: string) => void): Promise<Chain> {
  let [hashBeforeLast, last, events] = [start.hash, start, 0];
  for await (const event of eventsAfter(tx, start)) {
    if (!follows(event, last)) return { events, last, hashBeforeLast, next: event };
    events += 1;
    [hashBeforeLast, last] = [event.previousHash, { number: event.number, hash: event.hash }];
    passed(event.hash);
  }
  return { events, last, hashBeforeLast, next: undefined };
}

/** @returns null if all events of the log follow each other */
async function judgeChain(
  tx: Tx,
  { hashBeforeLast, last, next }: Chain,
  head: AuditPlace,
): Promise<BrokenPlace | null> {
  if (next === undefined) return judgeEnd(last, head);
  const successors = await successorsOf(tx, last);
  return judgeBreak({ hashBeforeLast, last, first: next, reach: head.number, successors });
}

async function* eventsAfter(tx: Tx, start: AuditPlace): AsyncGenerator<ChainedEvent> {
  const rows = tx<ChainedEvent[]>`
    select ${eventColumns(tx)} from audit_events where number > ${start.number.toString()} order by number`;
  for await (const batch of rows.cursor(batchRows)) yield* batch;
}

/**
 * Looks for events that are stored before the first of the log. They are not read with the others: somebody inserted
 * them, or a checkpoint that hides what was changed in them.
 *
 * @returns null if there are none
 */
async function judgeBeginning(tx: Tx, start: AuditPlace): Promise<BrokenPlace | null> {
  const [event] = await tx<{ number: bigint }[]>`
    select number from audit_events where number <= ${start.number.toString()} order by number limit 1`;
  return event === undefined ? null : beforeBeginning(event.number, start.number);
}

async function successorsOf(tx: Tx, { hash }: AuditPlace): Promise<readonly ChainedEvent[]> {
  return tx<ChainedEvent[]>`
    select ${eventColumns(tx)} from audit_events where previous_hash = ${hash} order by number`;
}

/** An anchor that is not in a log whose events follow each other. */
function judgeAnchor({ name, number, hash }: Anchor, last: AuditPlace, start: AuditPlace): BrokenPlace {
  if (number === null) {
    const place = removed(last.number + 1n, last.number + 1n);
    // Without its number it is unknown whether retention removed the event.
    const orOld =
      start.number === beforeFirst.number
        ? ''
        : ` If the hash is older than event ${start.number + 1n}, retention removed its event: give a later one.`;
    const message = `The log has no event with the hash ${hash} (${name}): its end was removed, or the log was written again.${orOld}`;
    return { ...place, message };
  }
  if (number > last.number) {
    const place = removed(last.number + 1n, number);
    return { ...place, message: `${place.message} The hash of event ${number} is in ${name}.` };
  }
  return {
    number,
    kind: 'changed',
    message: `Event ${number} does not have the hash that ${name} has: the event or an earlier one was changed, and hashes were computed again.`,
  };
}

const byNumber = (one: Anchor, other: Anchor) => Number((one.number ?? 0n) - (other.number ?? 0n));

async function latestCheckpoint(tx: Tx): Promise<AuditPlace> {
  const [checkpoint] = await tx<AuditPlace[]>`
    select through_number as number, hash from audit_checkpoints order by through_number desc limit 1`;
  return checkpoint ?? beforeFirst;
}

function eventColumns(tx: Tx) {
  // Of 'infinity', which somebody can write into the table, to_char makes null.
  return tx`number, coalesce(to_char(happened_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
      happened_at::text) as "happenedAt", author,
    action, subject, details, previous_hash as "previousHash", hash`;
}
