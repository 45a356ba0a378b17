import { remedyOf } from '../../findings/discrepancy-codes.js';
import { decisionColumns, type Item } from '../../findings/open-item.js';
import { decisionKinds } from '../../values/decision-kinds.js';

/**
 * A column of the open items: `id` is a text of ours or an identifier, `text` was written by people or senders, and
 * `amountOrText` is a stored text that may be an amount.
 */
export type ItemColumn = {
  readonly name: string;
  /** In the workbook, in characters: three more than the name leave room for the button of the filter. */
  readonly width: number;
  /** A sentence that has to be read whole. */
  readonly wraps?: boolean;
  /** Most items have one of few texts. */
  readonly repeats?: boolean;
  /** The words that people choose from. */
  readonly choices?: readonly string[];
} & (
  | { readonly kind: 'id' | 'text' | 'amountOrText' | 'date'; readonly field: FieldOf<string> }
  | { readonly kind: 'amount'; readonly field: FieldOf<bigint> }
  | { readonly kind: 'count'; readonly field: FieldOf<number> }
  | DerivedColumn
);

/** A text that only the program makes, from other fields. */
export interface DerivedColumn {
  readonly kind: 'derived';
  readonly textOf: (item: Item) => string | null;
}

/** The fields of an item with values of a type. */
type FieldOf<Value> = { [Field in keyof Item]: Item[Field] extends Value | null ? Field : never }[keyof Item];

const decisionOf = ({ decision, pending }: Item) => (pending ? `${decision ?? ''} (pending)` : decision);

/** The columns of design 6 in their order; what was added later stands at the end. */
export const openItemColumns: readonly ItemColumn[] = [
  { name: 'DiscrepancyId', kind: 'id', width: 17, field: 'discrepancyId' },
  { name: 'Code', kind: 'id', repeats: true, width: 30, field: 'code' },
  { name: 'Severity', kind: 'id', repeats: true, width: 12, field: 'severity' },
  { name: 'Status', kind: 'id', repeats: true, width: 10, field: 'status' },
  {
    name: 'Lapsed',
    kind: 'derived',
    repeats: true,
    width: 10,
    textOf: (item) => (item.lapsed ? 'yes' : null),
  },
  { name: 'Amount', kind: 'amount', width: 13, field: 'amountMinor' },
  { name: 'AtRisk', kind: 'amount', width: 13, field: 'atRiskMinor' },
  { name: 'Currency', kind: 'id', repeats: true, width: 12, field: 'currency' },
  { name: 'Since', kind: 'date', width: 11, field: 'since' },
  { name: 'AgeDays', kind: 'count', width: 11, field: 'ageDays' },
  { name: 'Message', kind: 'text', width: 70, wraps: true, field: 'message' },
  {
    name: 'WhatToDo',
    kind: 'derived',
    repeats: true,
    wraps: true,
    width: 60,
    textOf: (item) => remedyOf(item.code, item.severity),
  },
  {
    name: 'MerchantAccountId',
    kind: 'id',
    repeats: true,
    width: 21,
    field: 'merchantAccountId',
  },
  { name: 'PaymentType', kind: 'id', repeats: true, width: 15, field: 'paymentType' },
  { name: 'Date', kind: 'date', width: 11, field: 'date' },
  { name: 'Decision', kind: 'derived', repeats: true, width: 18, choices: decisionKinds, textOf: decisionOf },
  { name: 'Until', kind: 'date', width: 11, field: 'until' },
  { name: 'LinkTo', kind: 'id', width: 20, field: 'linkTo' },
  { name: 'Assignee', kind: 'text', repeats: true, width: 14, field: 'assignee' },
  { name: 'Reason', kind: 'text', width: 24, field: 'reason' },
  { name: 'Note', kind: 'text', width: 30, field: 'note' },
  { name: 'DecidedBy', kind: 'text', repeats: true, width: 14, field: 'decidedBy' },
  { name: 'DecidedOn', kind: 'date', width: 13, field: 'decidedOn' },
  { name: 'SuggestedLink', kind: 'id', width: 17, field: 'suggestedLink' },
  { name: 'PaymentId', kind: 'id', width: 34, field: 'paymentId' },
  { name: 'File', kind: 'id', repeats: true, width: 28, field: 'file' },
  { name: 'Line', kind: 'count', width: 8, field: 'line' },
  { name: 'Basis', kind: 'id', width: 10, field: 'basis' },
  { name: 'Source', kind: 'id', repeats: true, width: 14, field: 'source' },
  { name: 'SettlementTxId', kind: 'id', width: 20, field: 'settlementTxId' },
  {
    name: 'ClearingInstitute',
    kind: 'id',
    repeats: true,
    width: 21,
    field: 'clearingInstitute',
  },
  { name: 'MerchantTransactionId', kind: 'id', width: 25, field: 'merchantTransactionId' },
  { name: 'Expected', kind: 'amountOrText', width: 16, field: 'expected' },
  { name: 'Actual', kind: 'amountOrText', width: 16, field: 'actual' },
  { name: 'Pattern', kind: 'id', repeats: true, width: 14, field: 'pattern' },
];

const toFill: ReadonlySet<string> = new Set(decisionColumns);

/** Whether people write their decisions into this column. */
export const isToFill = ({ name }: ItemColumn) => toFill.has(name);
