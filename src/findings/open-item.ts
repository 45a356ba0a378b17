import type { DecisionKind } from '../values/decision-kinds.js';
import type { RunId } from '../values/ids.js';
import type { Severity } from './discrepancy-codes.js';

/** The kinds of which one at a time stands: the latest. `assign` and `note` stand beside it. */
export const standingKinds = ['accept', 'wait', 'link', 'unlink', 'supersede', 'keep-both'] as const;
/** See {@link standingKinds}. */
export type StandingKind = (typeof standingKinds)[number];

/** Whether decisions of the kind replace each other. */
export function isStanding(kind: DecisionKind): kind is StandingKind {
  return standingKinds.some((each) => each === kind);
}

/** The words of {@link ItemStatus}, as commands and reports show them. */
export const itemStatuses = ['OPEN', 'WAITING', 'ACCEPTED', 'RESOLVED'] as const;
/** The state of an item; a lapsed item is OPEN. */
export type ItemStatus = (typeof itemStatuses)[number];

/** What a person works on (design 4.9): a discrepancy with its state and what was decided about it. */
export interface Item {
  /** 32 hexadecimal digits; decisions are bound to it (design 4.6). */
  readonly discrepancyId: string;
  /** A discrepancy code (design 4.6). */
  readonly code: string;
  /** As the finding has it: `info` for an AMOUNT_MISMATCH within its tolerance. */
  readonly severity: Severity;
  /** Follows from the finding, its decisions and the as-of date. */
  readonly status: ItemStatus;
  /** The facts changed after the decision, which is shown and no longer counts. */
  readonly lapsed: boolean;
  /** The accept waits for a second person. */
  readonly pending: boolean;
  /** Hundredths of `currency`, as is `atRiskMinor`; null only of a record that was retired. */
  readonly amountMinor: bigint | null;
  /** Positive is money that we should have and do not have, negative money that we have and should not have. */
  readonly atRiskMinor: bigint;
  /** Of the amounts; null only of a record that was retired. */
  readonly currency: string | null;
  /** The as-of date of the run that saw the item first. */
  readonly since: string | null;
  /** Days from `since` to the as-of date. */
  readonly ageDays: number;
  /** A sentence for finance: what is wrong, and by how much. */
  readonly message: string;
  /** MerchantAccountId of the record, or the entity of the payment. */
  readonly merchantAccountId: string | null;
  /** PaymentType of the record (`DEBIT`), or the type of the payment (`DB`). */
  readonly paymentType: string | null;
  /** SettlementDate of the record, or the day of the payment. */
  readonly date: string | null;
  /** The decision that stands, or the one that lapsed (`lapsed`); null if there is none. */
  readonly decision: StandingKind | null;
  /** Of `wait`: the day on which the item is open again, `yyyy-MM-dd`. */
  readonly until: string | null;
  /** The payment of a `link` or `unlink`. */
  readonly linkTo: string | null;
  /** Who works on it, from the latest `assign`. */
  readonly assignee: string | null;
  /** Of `decision`, as are `decidedBy` and `decidedOn`. */
  readonly reason: string | null;
  /** The latest note; a later one replaces it. */
  readonly note: string | null;
  /** The author of `decision`; null without one. */
  readonly decidedBy: string | null;
  /** The as-of date of the decision, `yyyy-MM-dd`. */
  readonly decidedOn: string | null;
  /** The DiscrepancyId of the item that is probably the other side of this one. */
  readonly suggestedLink: string | null;
  /** The matched payment, or the one that the item is about. */
  readonly paymentId: string | null;
  /** Where the record is; null for an item about a payment alone. */
  readonly file: string | null;
  /** The first physical line of the record in `file`. */
  readonly line: number | null;
  /** What a decision about the item would be bound to: a hash of its facts, and the number of its latest decision. */
  readonly basis: string;
  /** The source of the file, and more cells of the record; null for an item about a payment alone. */
  readonly source: string | null;
  /** Null where the record has none. */
  readonly settlementTxId: string | null;
  /** ClearingInsitituteName of the record. */
  readonly clearingInstitute: string | null;
  /** Of the payment, as the merchant gave it; null if it has none. */
  readonly merchantTransactionId: string | null;
  /** As the report shows them: amounts such as `123.45`, types, dates or ids, as the code needs them. */
  readonly expected: string | null;
  /** What was found instead of `expected`, in the same form. */
  readonly actual: string | null;
  /** The pattern that the item belongs to (design 4.9). */
  readonly pattern: string | null;
  /** The run that saw the item first; a finding that was resolved and holds again is not new. */
  readonly firstSeenRun: RunId;
}

/** The state of an item, and the decision that it follows from, or that lapsed. */
export type ItemStanding = Pick<
  Item,
  'status' | 'lapsed' | 'pending' | 'decision' | 'until' | 'reason' | 'decidedBy' | 'decidedOn'
>;

/** The columns in which a person writes a decision, in a sheet that is given back. */
export const decisionColumns = ['Decision', 'Until', 'LinkTo', 'Assignee', 'Reason', 'Note'] as const;
/** See {@link decisionColumns}. */
export type DecisionColumn = (typeof decisionColumns)[number];
