import { remedyOf } from '../findings/discrepancy-codes.js';
import type { Item } from '../findings/open-item.js';
import { amountOrTextCell, dateCell, freeTextCell, textCell, type Cell } from './csv-cells.js';
import type { Table } from './write-table.js';

/** The columns of design 6 in their order, each with how an item fills it; what was added later stands at the end. */
export const openItemColumns: readonly (readonly [name: string, cell: (item: Item) => Cell])[] = [
  ['DiscrepancyId', (item) => textCell(item.discrepancyId)],
  ['Code', (item) => textCell(item.code)],
  ['Severity', (item) => textCell(item.severity)],
  ['Status', (item) => textCell(item.status)],
  ['Lapsed', (item) => textCell(item.lapsed ? 'yes' : null)],
  ['Amount', (item) => item.amountMinor],
  ['AtRisk', (item) => item.atRiskMinor],
  ['Currency', (item) => textCell(item.currency)],
  ['Since', (item) => dateCell(item.since)],
  ['AgeDays', (item) => item.ageDays],
  ['Message', (item) => freeTextCell(item.message)],
  ['WhatToDo', (item) => textCell(remedyOf(item.code, item.severity))],
  ['MerchantAccountId', (item) => textCell(item.merchantAccountId)],
  ['PaymentType', (item) => textCell(item.paymentType)],
  ['Date', (item) => dateCell(item.date)],
  ['Decision', (item) => textCell(item.pending ? `${item.decision ?? ''} (pending)` : item.decision)],
  ['Until', (item) => dateCell(item.until)],
  ['LinkTo', (item) => textCell(item.linkTo)],
  ['Assignee', (item) => freeTextCell(item.assignee)],
  ['Reason', (item) => freeTextCell(item.reason)],
  ['Note', (item) => freeTextCell(item.note)],
  ['DecidedBy', (item) => freeTextCell(item.decidedBy)],
  ['DecidedOn', (item) => dateCell(item.decidedOn)],
  ['SuggestedLink', (item) => textCell(item.suggestedLink)],
  ['PaymentId', (item) => textCell(item.paymentId)],
  ['File', (item) => textCell(item.file)],
  ['Line', (item) => item.line],
  ['Basis', (item) => textCell(item.basis)],
  ['Source', (item) => textCell(item.source)],
  ['SettlementTxId', (item) => textCell(item.settlementTxId)],
  ['ClearingInstitute', (item) => textCell(item.clearingInstitute)],
  ['MerchantTransactionId', (item) => textCell(item.merchantTransactionId)],
  ['Expected', (item) => amountOrTextCell(item.expected)],
  ['Actual', (item) => amountOrTextCell(item.actual)],
  ['Pattern', (item) => textCell(item.pattern)],
];

/**
 * `open-items.csv`: every item of the whole database that is open, waiting or lapsed (design 6), and the sheet in which
 * decisions are given back.
 *
 * @param items in the order of the report
 */
export function openItemsTable(items: AsyncIterable<readonly Item[]>): Table {
  return { name: 'open-items', header: openItemColumns.map(([name]) => name), rows: cellsOf(items) };
}

async function* cellsOf(items: AsyncIterable<readonly Item[]>): AsyncGenerator<Cell[][]> {
  for await (const batch of items) yield batch.map((item) => openItemColumns.map(([, cell]) => cell(item)));
}
