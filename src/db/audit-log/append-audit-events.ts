import { auditHash } from './audit-hash.js';
import type { Tx } from '../client.js';

/** What can be found in the audit log, with a sentence for each. */
export const auditActions = {
  'run.completed': 'a run or re-run was completed, with its files',
  'run.failed': 'a run failed or was stopped',
  'run.abandoned': 'a run was found dead and its place taken over',
  'configuration.changed': 'a run found settings that differ from those of the run before',
  'decision.accept': 'an item was accepted',
  'decision.wait': 'an item waits until a date',
  'decision.link': 'a record was linked to a payment',
  'decision.unlink': 'a record was taken from its payment',
  'decision.supersede': 'a record was replaced by a later delivery',
  'decision.keep-both': 'both deliveries of a record count',
  'decision.assign': 'an item was assigned',
  'decision.note': 'a note was written',
  'decision.approve': 'a second person approved an accept',
  'decision.undo': 'a decision was taken back',
  'row.corrected': 'a rejected row was corrected',
  'file.withdrawn': 'a settlement file was withdrawn',
  'file.restored': 'a withdrawn file was restored',
  'payments.imported': 'payments were imported',
  'token.created': 'an access token was made',
  'token.rotated': 'an access token was replaced',
  'token.revoked': 'an access token was revoked',
  'chargeback.booked': 'the back office booked a chargeback',
  'chargeback.reversed': 'the back office reversed a chargeback',
  'database.migrated': 'the database was migrated',
  'database.moved': 'the database was copied here from another server',
  'shard.added': 'a shard was added',
  'shard.removed': 'a shard that was not used yet was removed',
  'shards.divided': 'payments, records and results were moved to the shards',
  'records.retired': 'records of old months were detached',
  'archive.encrypted': 'files of the archive were encrypted with another key',
  'retention.applied': 'what is older than the retention allows was removed',
} as const satisfies Record<string, string>;

/** The word in column Action of the audit log; `auditActions` explains each. */
export type AuditAction = keyof typeof auditActions;

/** An act that the log keeps. It contains no secret: no token, no key, no card number. */
export interface AuditEvent {
  readonly action: AuditAction;
  /** The item, file, token, run or payment that it is about. */
  readonly subject: string;
  /** Values that are null are left out. */
  readonly details: Readonly<Record<string, unknown>>;
}

type Events = Iterable<AuditEvent> | AsyncIterable<AuditEvent>;

/** Rows of one statement. More would be in memory at the same time and save nothing. */
const batchRows = 500;

/**
 * Adds events to the audit log (design 11), in the transaction of what they are about: both are stored or neither.
 *
 * Call it last in a transaction. From here to COMMIT no other transaction can add events: the row of the head is
 * locked, so that the chain has no branches. A transaction that sees one snapshot fails with a serialization failure if
 * another one has added events in the meantime, and is then repeated.
 */
export async function appendAuditEvents(tx: Tx, author: string, events: Events): Promise<void> {
  const batches = inBatches(events);
  let batch = await batches.next();
  if (batch.done === true) return;
  const [head] = await tx<{ number: bigint; hash: string; now: string }[]>`
    update audit_head set singleton = true
    returning number, hash, to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now`;
  if (head === undefined) throw new Error('audit_head has no row');
  let { number, hash } = head;
  for (; batch.done !== true; batch = await batches.next()) {
    const rows = batch.value.map(({ action, subject, details }) => {
      number += 1n;
      const hashed = {
        previousHash: hash,
        number,
        happenedAt: head.now,
        author,
        action,
        subject,
        details: JSON.stringify(details, leaveOutNulls),
      };
      hash = auditHash(hashed);
      return rowOf(hashed, hash);
    });
    await tx`insert into audit_events ${tx(rows)}`;
  }
  await tx`update audit_head set number = ${number.toString()}, hash = ${hash}`;
}

/** As many at a time as one statement takes. A decision about many items has an event for each. */
async function* inBatches(events: Events): AsyncGenerator<AuditEvent[], undefined> {
  let batch: AuditEvent[] = [];
  for await (const event of events) {
    batch.push(event);
    if (batch.length < batchRows) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function rowOf(event: Parameters<typeof auditHash>[0], hash: string) {
  return {
    number: event.number.toString(),
    happened_at: event.happenedAt,
    author: event.author,
    action: event.action,
    subject: event.subject,
    details: event.details,
    previous_hash: event.previousHash,
    hash,
  };
}

function leaveOutNulls(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  return value === null ? undefined : value;
}
