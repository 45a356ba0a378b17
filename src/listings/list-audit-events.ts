import type { Tx } from '../db/client.js';
import { listSource, type ListSource } from './listing.js';

/** Which events of the audit log are wanted; null means all. */
export interface AuditFilter {
  /** An action such as `file.withdrawn`, or the group before the dot. */
  readonly action: string | null;
  readonly author: string | null;
  readonly subject: string | null;
  /** Days in UTC, both included. */
  readonly from: string | null;
  readonly to: string | null;
}

/** An event of the audit log (design 11). */
export interface ListedEvent {
  readonly number: string;
  /** ISO moment in UTC. */
  readonly at: string;
  readonly by: string;
  readonly action: string;
  readonly subject: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly hash: string;
}

interface StoredEvent extends Omit<ListedEvent, 'number' | 'details'> {
  readonly number: bigint;
  readonly details: string;
}

/** The events of the audit log, the latest first. */
export function auditList(filter: AuditFilter): ListSource<ListedEvent> {
  return listSource<StoredEvent, ListedEvent>(
    (tx) => {
      const wanted = condition(tx, filter);
      return {
        rows: tx`
          select number, to_char(happened_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, author as by,
            action, subject, details, hash
          from audit_events where ${wanted} order by number desc`,
        total: tx`select count(*)::integer as total from audit_events where ${wanted}`,
      };
    },
    ({ number, details, ...event }) => ({
      ...event,
      number: number.toString(),
      // Written as an object; a row that was changed by other means may be anything.
      details: readDetails(details),
    }),
  );
}

function condition(tx: Tx, { action, author, subject, from, to }: AuditFilter) {
  return tx`true
    ${action === null ? tx`` : tx`and (action = ${action} or starts_with(action, ${`${action}.`}))`}
    ${author === null ? tx`` : tx`and author = ${author}`}
    ${subject === null ? tx`` : tx`and subject = ${subject}`}
    ${from === null ? tx`` : tx`and happened_at >= ${from}::date::timestamp at time zone 'UTC'`}
    ${to === null ? tx`` : tx`and happened_at < (${to}::date + 1)::timestamp at time zone 'UTC'`}`;
}

function readDetails(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return { text };
  }
}
