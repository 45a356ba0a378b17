import { remedyOf } from '../../../findings/discrepancy-codes.js';
import type { Item } from '../../../findings/open-item.js';
import { html, type Html } from '../html.js';
import { codeWithSeverity } from '../marks.js';
import type { PageModel } from '../page-model.js';
import { numeric, table, tableBody } from '../tables.js';
import { withCode } from '../with-code.js';
import { count, money } from '../texts.js';

/** The items with the most money at risk, each with its sentence and what to do. */
export function largest(model: PageModel): Html | null {
  const { items, links, heading } = model;
  if (items.total === 0) return null;
  const isCut = items.total > items.largest.length;
  return html`<section aria-labelledby="items">
    <h2 id="items">${isCut ? 'The largest items' : 'The items'}</h2>
    <p class="lede">
      ${isCut ? `${count(items.largest.length)} of ${count(items.total)} items: those with the most money at risk. All of them are in ` : 'All items that are open or waiting, the most money at risk first. The same list is in '}
      <a href="${links.openItems}">${links.openItems}</a>${
        links.workbook !== null && html` and <a href="${links.workbook}">${links.workbook}</a>`
      }.
      The money of all items is at the top of this page.
    </p>
    <div class="controls" id="controls" hidden></div>
    ${table({
      kind: 'items',
      caption: html`<span class="unseen">Open and waiting items</span>`,
      columns: [
        { name: 'Item' },
        { name: 'Merchant account' },
        { name: 'Date' },
        numeric('Age, days'),
        numeric('Amount'),
        numeric('At risk'),
      ],
      body: tableBody(items.largest.map((item) => itemRow(item, heading.runId))),
    })}
  </section>`;
}

function itemRow(item: Item, runId: number | null): Html {
  const isNew = runId !== null && item.firstSeenRun === runId;
  return html`<tr
    role="row"
    data-severity="${item.severity}"
    data-code="${item.code}"
    data-new="${isNew ? 1 : 0}"
  >
    <th scope="row" role="rowheader">
      ${codeWithSeverity(item.code, item.severity)} ${tags(item, isNew)}
      <span class="sentence">${item.message}</span>
      <span class="todo">${withCode(remedyOf(item.code, item.severity))}</span>
      <span class="where">${whereabouts(item)}</span>
    </th>
    <td role="cell" data-label="Merchant account"><span class="key">${item.merchantAccountId}</span></td>
    <td role="cell" class="day" data-label="Date">${item.date}</td>
    <td role="cell" class="n" data-label="Age, days">${item.ageDays}</td>
    <td role="cell" class="n" data-label="Amount" data-value="${item.amountMinor ?? 0n}">
      ${item.amountMinor !== null && html`${money(item.amountMinor)} ${item.currency}`}
    </td>
    <td role="cell" class="n risk" data-label="At risk" data-value="${absolute(item.atRiskMinor)}">
      ${riskOf(item)}
    </td>
  </tr> `;
}

function tags({ status, lapsed, pending, decision, until }: Item, isNew: boolean): Html[] {
  const words = [
    ...(isNew ? ['new'] : []),
    ...(status === 'WAITING' ? [`waiting until ${until ?? ''}`] : []),
    ...(lapsed ? [`${decision ?? ''} lapsed`] : []),
    ...(pending ? [`${decision ?? ''} needs a second person`] : []),
  ];
  return words.map((word) => html`<span class="tag">${word}</span> `);
}

/** Where it is and whom to ask: what a person needs for a phone call. */
function whereabouts(item: Item): Html[] {
  const parts: readonly (readonly [string, string | null])[] = [
    ['', item.file === null ? null : `${item.file}:${item.line ?? ''}`],
    ['institute', item.clearingInstitute],
    ['settlement', item.settlementTxId],
    ['payment', item.paymentId],
    ['order', item.merchantTransactionId],
    ['assigned to', item.assignee],
    ['note', item.note],
    ['probably belongs to', item.suggestedLink?.slice(0, shownDigits) ?? null],
    ['item', item.discrepancyId.slice(0, shownDigits)],
  ];
  return parts.flatMap(([name, value]) =>
    value === null || value === '' ? [] : [html`<span class="fact">${name} ${value}</span> `],
  );
}

/** This many digits of a DiscrepancyId are shown; commands accept them. */
const shownDigits = 12;

function riskOf({ atRiskMinor, currency }: Item): Html | null {
  if (atRiskMinor === 0n) return html`<span class="zero">none</span>`;
  return html`<b>${money(absolute(atRiskMinor))} ${currency}</b>
    <span class="line">${atRiskMinor > 0n ? 'missing' : 'surplus'}</span>`;
}

const absolute = (amount: bigint) => (amount < 0n ? -amount : amount);
