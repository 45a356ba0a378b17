import { remedyOf } from '../findings/discrepancy-codes.js';
import type { Item } from '../findings/open-item.js';
import { formatAmount } from '../values/money.js';

/**
 * An item as `recon items --json` lists it: the columns of `open-items.csv`, with amounts as texts such as `123.45`.
 */
export interface ListedItem extends Omit<Item, 'amountMinor' | 'atRiskMinor'> {
  /** Null only of a record that was retired. */
  readonly amount: string | null;
  /** Positive is missing, negative is surplus. */
  readonly atRisk: string;
  /** The advice for the code of the item. */
  readonly whatToDo: string;
}

/**
 * The item with its amounts as text, and with what to do about it. Each field is named, because an item that came as a
 * text converts its fields when they are read, and has none to copy.
 */
export function listedItem(item: Item): ListedItem {
  return {
    discrepancyId: item.discrepancyId,
    code: item.code,
    severity: item.severity,
    status: item.status,
    lapsed: item.lapsed,
    pending: item.pending,
    currency: item.currency,
    since: item.since,
    ageDays: item.ageDays,
    message: item.message,
    merchantAccountId: item.merchantAccountId,
    paymentType: item.paymentType,
    date: item.date,
    decision: item.decision,
    until: item.until,
    linkTo: item.linkTo,
    assignee: item.assignee,
    reason: item.reason,
    note: item.note,
    decidedBy: item.decidedBy,
    decidedOn: item.decidedOn,
    suggestedLink: item.suggestedLink,
    paymentId: item.paymentId,
    file: item.file,
    line: item.line,
    basis: item.basis,
    source: item.source,
    settlementTxId: item.settlementTxId,
    clearingInstitute: item.clearingInstitute,
    merchantTransactionId: item.merchantTransactionId,
    expected: item.expected,
    actual: item.actual,
    pattern: item.pattern,
    firstSeenRun: item.firstSeenRun,
    amount: item.amountMinor === null ? null : formatAmount(item.amountMinor),
    atRisk: formatAmount(item.atRiskMinor),
    whatToDo: remedyOf(item.code, item.severity),
  };
}
