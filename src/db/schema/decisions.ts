import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  date,
  index,
  integer,
  pgEnum,
  pgTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { decisionKinds } from '../../values/decision-kinds.js';
import { identifier, moment } from './column-types.js';

/** The kinds of decision of design 4.9. PostgreSQL can add a value to the type, but cannot remove one. */
export const decisionKind = pgEnum('decision_kind', decisionKinds);

/** How a decision came in: about one item, about all items of a filter, or in a sheet that was given back. */
export const decisionOrigin = pgEnum('decision_origin', ['command', 'filter', 'sheet']);

/**
 * Every decision about an item (design 4.9), in the order in which they were made. Rows are only added: the database
 * refuses an update or a delete, and taking a decision back is a row too (`undo`).
 *
 * A decision changes no fact and no finding. The state of an item follows from its finding and its decisions
 * (`src/items/item-rows.ts`), and matching reads those that change it through `src/findings/matching-decisions.ts`.
 * No fence: a person may decide while a run is active.
 */
export const decisions = pgTable(
  'decisions',
  {
    /** Ascending: the order of the decisions of an item. */
    number: bigint('number', { mode: 'bigint' }).generatedAlwaysAsIdentity().primaryKey(),
    /** The DiscrepancyId; or `record:FILE_ID:LINE` of a record without a finding. */
    item: identifier('item').notNull(),
    /** The record that the item is about; null for a finding about a payment alone. */
    fileId: integer('file_id'),
    line: integer('line'),
    kind: decisionKind('kind').notNull(),
    /** Of `wait`: the day on which the item is open again. */
    until: date('until', { mode: 'string' }),
    /** Of `link`: the payment that the record belongs to; of `unlink`: the one that it does not belong to. */
    paymentKey: bigint('payment_key', { mode: 'bigint' }),
    /** Of `assign`: who works on the item; empty to take it from everybody. */
    assignee: text('assignee'),
    reason: text('reason'),
    /** Of `note`, and where wanted of any other kind. */
    note: text('note'),
    /** Of `accept`: the amount is above `decisions.fourEyesAbove`, so it counts once a second person approved it. */
    needsApproval: boolean('needs_approval').notNull().default(false),
    /** Of `approve` and `undo`: the number of the decision that is approved or taken back. */
    refersTo: bigint('refers_to', { mode: 'bigint' }),
    /** A hash of the facts that the decision saw (`factsHash`); when they change, `accept` and `wait` lapse. */
    basis: identifier('basis').notNull(),
    author: text('author').notNull(),
    /** The as-of date of the command. */
    decidedOn: date('decided_on', { mode: 'string' }).notNull(),
    decidedAt: moment('decided_at').notNull(),
    origin: decisionOrigin('origin').notNull(),
    /** The filter as it was written, or the name of the sheet. */
    originName: text('origin_name'),
    /** Of a sheet. */
    originSha256: identifier('origin_sha256'),
    originLine: integer('origin_line'),
  },
  (table) => [
    index('decisions_item').on(table.item, table.number),
    // The few that matching reads for the records of a run.
    index('decisions_matching')
      .on(table.fileId, table.line, table.number)
      .where(sql`kind in ('link', 'unlink', 'supersede', 'keep-both')`),
    // A decision is taken back once.
    uniqueIndex('decisions_undone')
      .on(table.refersTo)
      .where(sql`kind = 'undo'`),
  ],
);
