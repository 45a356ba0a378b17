import { remedyOf } from '../../findings/discrepancy-codes.js';
import { decisionColumns, decisionKinds, type Item } from '../../findings/open-item.js';

/**
 * A column of the open items: `id` is a text of ours or an identifier, `text` was written by people or senders, and
 * `amountOrText` is a stored text that may be an amount.
 */
export type ItemColumn = {
  readonly name: string;
  /** In the workbook, in characters: three more than the name leave room for the button of the filter. */
  readonly width: number;
  /** A sentence that has to be read whole, on paper too. */
  readonly wraps?: boolean;
  /** Most items have one of few texts. */
  readonly repeats?: boolean;
  /** The words that people choose from. */
  readonly choices?: readonly string[];
} & (
  | { readonly kind: 'id' | 'text' | 'amountOrText' | 'date'; readonly value: (item: Item) => string | null }
  | { readonly kind: 'amount'; readonly value: (item: Item) => bigint | null }
  | { readonly kind: 'count'; readonly value: (item: Item) => number | null }
);

const decisionOf = ({ decision, pending }: Item) => (pending ? `${decision ?? ''} (pending)` : decision);

/** The columns of design 6 in their order; what was added later stands at the end. */
export const openItemColumns: readonly ItemColumn[] = [
  { name: 'DiscrepancyId', kind: 'id', width: 17, value: (item) => item.discrepancyId },
  { name: 'Code', kind: 'id', repeats: true, width: 30, value: (item) => item.code },
  { name: 'Severity', kind: 'id', repeats: true, width: 12, value: (item) => item.severity },
  { name: 'Status', kind: 'id', repeats: true, width: 10, value: (item) => item.status },
  { name: 'Lapsed', kind: 'id', repeats: true, width: 10, value: (item) => (item.lapsed ? 'yes' : null) },
  { name: 'Amount', kind: 'amount', width: 13, value: (item) => item.amountMinor },
  { name: 'AtRisk', kind: 'amount', width: 13, value: (item) => item.atRiskMinor },
  { name: 'Currency', kind: 'id', repeats: true, width: 12, value: (item) => item.currency },
  { name: 'Since', kind: 'date', width: 11, value: (item) => item.since },
  { name: 'AgeDays', kind: 'count', width: 11, value: (item) => item.ageDays },
  { name: 'Message', kind: 'text', width: 70, wraps: true, value: (item) => item.message },
  {
    name: 'WhatToDo',
    kind: 'id',
    repeats: true,
    width: 50,
    value: (item) => remedyOf(item.code, item.severity),
  },
  {
    name: 'MerchantAccountId',
    kind: 'id',
    repeats: true,
    width: 21,
    value: (item) => item.merchantAccountId,
  },
  { name: 'PaymentType', kind: 'id', repeats: true, width: 15, value: (item) => item.paymentType },
  { name: 'Date', kind: 'date', width: 11, value: (item) => item.date },
  { name: 'Decision', kind: 'id', repeats: true, width: 18, choices: decisionKinds, value: decisionOf },
  { name: 'Until', kind: 'date', width: 11, value: (item) => item.until },
  { name: 'LinkTo', kind: 'id', width: 20, value: (item) => item.linkTo },
  { name: 'Assignee', kind: 'text', repeats: true, width: 14, value: (item) => item.assignee },
  { name: 'Reason', kind: 'text', width: 24, value: (item) => item.reason },
  { name: 'Note', kind: 'text', width: 30, value: (item) => item.note },
  { name: 'DecidedBy', kind: 'text', repeats: true, width: 14, value: (item) => item.decidedBy },
  { name: 'DecidedOn', kind: 'date', width: 13, value: (item) => item.decidedOn },
  { name: 'SuggestedLink', kind: 'id', width: 17, value: (item) => item.suggestedLink },
  { name: 'PaymentId', kind: 'id', width: 34, value: (item) => item.paymentId },
  { name: 'File', kind: 'id', repeats: true, width: 28, value: (item) => item.file },
  { name: 'Line', kind: 'count', width: 8, value: (item) => item.line },
  { name: 'Basis', kind: 'id', width: 10, value: (item) => item.basis },
  { name: 'Source', kind: 'id', repeats: true, width: 14, value: (item) => item.source },
  { name: 'SettlementTxId', kind: 'id', width: 20, value: (item) => item.settlementTxId },
  {
    name: 'ClearingInstitute',
    kind: 'id',
    repeats: true,
    width: 21,
    value: (item) => item.clearingInstitute,
  },
  { name: 'MerchantTransactionId', kind: 'id', width: 25, value: (item) => item.merchantTransactionId },
  { name: 'Expected', kind: 'amountOrText', width: 16, value: (item) => item.expected },
  { name: 'Actual', kind: 'amountOrText', width: 16, value: (item) => item.actual },
  { name: 'Pattern', kind: 'id', repeats: true, width: 14, value: (item) => item.pattern },
];

const toFill: ReadonlySet<string> = new Set(decisionColumns);

/** Whether people write their decisions into this column. */
export const isToFill = ({ name }: ItemColumn) => toFill.has(name);
