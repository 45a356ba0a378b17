import { appendAuditEvents, type AuditEvent } from '../db/audit-log/append-audit-events.js';
import type { Reader, Tx } from '../db/client.js';
import { isStanding } from '../findings/open-item.js';
import type { DecisionKind } from '../values/decision-kinds.js';
import type { PaymentKey } from '../values/ids.js';
import { formatAmount } from '../values/money.js';
import { needsApproval } from './refuse-decision.js';
import type { Decidable } from './decidable.js';
import { DecisionNumbers } from './decision-numbers.js';
import type { Deciding, DecisionRequest } from './decision-request.js';
import type { ReadInBatches } from './in-batches.js';
import { readHistories, standingBefore } from './past-decisions.js';

/** A decision about one item, checked and ready to be stored. */
export interface MadeDecision {
  readonly item: Decidable;
  readonly request: DecisionRequest;
  /** Of `link`: the payment named. */
  readonly linkKey: PaymentKey | null;
  readonly origin: DecisionOrigin;
}

/** Where a decision came from. */
export type DecisionOrigin =
  | { readonly by: 'command' }
  | { readonly by: 'filter'; readonly name: string }
  | { readonly by: 'sheet'; readonly name: string; readonly sha256: string; readonly line: number };

/** A stored decision, as the commands return it. */
export interface StoredDecision {
  /** Null in a dry run. */
  readonly number: string | null;
  /** The DiscrepancyId, or FILE:LINE of a record without a finding. */
  readonly item: string;
  /** Null of a record without a finding, which has no money at risk either. */
  readonly code: string | null;
  /** Positive is missing, negative is surplus; null without a currency. */
  readonly atRisk: { readonly amount: string; readonly currency: string } | null;
  /** What was decided (design 4.9). */
  readonly kind: DecisionKind;
  /** An accept that counts once a second person approved it. */
  readonly pending: boolean;
  /** Of `undo`: what it takes back. */
  readonly takesBack: DecisionKind | null;
  /** Of an `undo` of a decision that stood: the former one, which stands again. */
  readonly standsAgain: FormerDecision | null;
}

/** A decision that another one had replaced. */
export interface FormerDecision {
  readonly kind: DecisionKind;
  /** Who made it. */
  readonly author: string;
  /** A calendar date. */
  readonly decidedOn: string;
}

/**
 * Lets one person decide at a time, until the transaction ends, so that a decision is about what was read. Readers do
 * not wait.
 */
export async function lockDecisions(tx: Tx): Promise<void> {
  await tx`lock table decisions in share row exclusive mode`;
}

/** Stores the decisions in their order, adds an event for each to the audit log, and returns their numbers. */
export async function storeDecisions(
  tx: Tx,
  read: ReadInBatches<MadeDecision>,
  deciding: Deciding,
): Promise<DecisionNumbers> {
  const numbers = new DecisionNumbers();
  for await (const batch of read(tx)) {
    const rows = batch.map((decision) => rowOf(decision, deciding));
    const stored = await tx<{ number: bigint }[]>`insert into decisions ${tx(rows)} returning number`;
    for (const { number } of stored) numbers.add(number);
  }
  await appendAuditEvents(tx, deciding.author, eventsOf(read(tx), numbers, deciding));
  return numbers;
}

/**
 * The decisions as the commands return them.
 *
 * @param numbers null in a dry run
 */
export async function* storedDecisions(
  sql: Reader,
  read: ReadInBatches<MadeDecision>,
  numbers: DecisionNumbers | null,
  deciding: Deciding,
): AsyncGenerator<readonly StoredDecision[]> {
  const inOrder = numbers?.inOrder();
  for await (const batch of read(sql)) {
    const former = await formerDecisions(sql, batch);
    yield batch.map((made) => ({
      number: inOrder?.next().value?.toString() ?? null,
      ...returned(made, deciding),
      standsAgain: former.get(made.item.item) ?? null,
    }));
  }
}

function returned(
  { item, request: { kind } }: MadeDecision,
  { fourEyesAbove }: Deciding,
): Omit<StoredDecision, 'number' | 'standsAgain'> {
  return {
    item: item.name,
    code: item.code === '' ? null : item.code,
    atRisk:
      item.currency === null ? null : { amount: formatAmount(item.atRiskMinor), currency: item.currency },
    kind,
    pending: isPending(kind, item, fourEyesAbove),
    takesBack: kind === 'undo' ? item.undoableKind : null,
  };
}

/** By item, what stands again after an `undo`. */
async function formerDecisions(
  sql: Reader,
  made: readonly MadeDecision[],
): Promise<ReadonlyMap<string, FormerDecision>> {
  const undone = made.flatMap(({ item: { item, undoable, undoableKind }, request: { kind } }) =>
    kind === 'undo' && undoable !== null && undoableKind !== null && isStanding(undoableKind)
      ? [{ item, undoable }]
      : [],
  );
  if (undone.length === 0) return new Map();
  const histories = await readHistories(
    sql,
    undone.map(({ item }) => item),
  );
  return new Map(
    undone.flatMap(({ item, undoable }) => {
      const former = standingBefore(histories.get(item) ?? [], undoable);
      if (former === undefined) return [];
      const { kind, author, decidedOn } = former;
      return [[item, { kind, author, decidedOn }]];
    }),
  );
}

async function* eventsOf(
  batches: AsyncIterable<readonly MadeDecision[]>,
  numbers: DecisionNumbers,
  deciding: Deciding,
): AsyncGenerator<AuditEvent> {
  const inOrder = numbers.inOrder();
  for await (const batch of batches) {
    for (const made of batch) {
      const { item, kind, author: _, ...decision } = rowOf(made, deciding);
      const number = inOrder.next().value?.toString() ?? null;
      yield { action: `decision.${kind}`, subject: item, details: { decision: number, ...decision } };
    }
  }
}

function rowOf({ item, request, linkKey, origin }: MadeDecision, deciding: Deciding) {
  const { kind, until, assignee, reason, note } = request;
  const paymentKey = kind === 'link' ? linkKey : kind === 'unlink' ? item.matchedPaymentKey : null;
  return {
    item: item.item,
    file_id: item.fileId,
    line: item.line,
    kind,
    until: kind === 'wait' ? until : null,
    // The driver takes an array of mixed bigint and null for text, so a key is sent as text.
    payment_key: paymentKey === null ? null : paymentKey.toString(),
    assignee: kind === 'assign' ? assignee : null,
    reason,
    note,
    needs_approval: isPending(kind, item, deciding.fourEyesAbove),
    refers_to: refersTo(kind, item)?.toString() ?? null,
    basis: item.facts,
    author: deciding.author,
    decided_on: deciding.asOf,
    decided_at: new Date(deciding.now).toISOString(),
    origin: origin.by,
    origin_name: origin.by === 'command' ? null : origin.name,
    origin_sha256: origin.by === 'sheet' ? origin.sha256 : null,
    origin_line: origin.by === 'sheet' ? origin.line : null,
  };
}

/** Whether the decision counts once a second person approved it. */
export function isPending(
  kind: DecisionKind,
  item: Decidable,
  fourEyesAbove: Deciding['fourEyesAbove'],
): boolean {
  return kind === 'accept' && needsApproval(item, fourEyesAbove);
}

function refersTo(kind: DecisionKind, item: Decidable): bigint | null {
  return kind === 'approve' ? item.standing : kind === 'undo' ? item.undoable : null;
}
