import { html, type Html } from '../html.js';
import type { PageModel } from '../page-model.js';
import { countCell, moneyCell, numeric, row, rowName, table, tableBody, textCell } from '../tables.js';
import { count, money } from '../texts.js';

/** Chargebacks of the records in this report, and the reversals of them. */
export function chargebacks({ chargebacks: { total, byCurrency, largestOpen }, links }: PageModel): Html {
  const open = byCurrency.reduce((sum, each) => sum + each.open, 0);
  return html`<section aria-labelledby="chargebacks">
    <h2 id="chargebacks">Chargebacks</h2>
    ${
      total === 0
        ? html`<p>The records of this report contain no chargeback.</p>`
        : html`${table({
            kind: 'slim',
            caption: html`<span class="muted"
              >Chargebacks of this report with an id, and what became of them; all are in
              <a href="${links.chargebacks}">${links.chargebacks}</a>.</span
            >`,
            columns: [
              { name: 'Currency' },
              numeric('Open'),
              numeric('Amount open'),
              numeric('Reversed'),
              numeric('Amount reversed'),
            ],
            body: tableBody(
              byCurrency.map((sums) =>
                row([
                  rowName(sums.currency),
                  countCell('Open', sums.open),
                  moneyCell('Amount open', sums.openMinor),
                  countCell('Reversed', sums.reversed),
                  moneyCell('Amount reversed', sums.reversedMinor),
                ]),
              ),
            ),
          })}
          ${openTable(largestOpen, open)}`
    }
  </section>`;
}

function openTable(shown: PageModel['chargebacks']['largestOpen'], open: number): Html | null {
  if (shown.length === 0) return null;
  return table({
    caption:
      open > shown.length
        ? `The ${count(shown.length)} largest of ${count(open)} open chargebacks`
        : 'Open chargebacks',
    columns: [
      { name: 'Payment' },
      { name: 'Settled on' },
      { name: 'Reason' },
      { name: 'Record' },
      numeric('Amount'),
    ],
    body: tableBody(
      shown.map((each) =>
        row([
          rowName(html`<span class="key">${each.payment_id}</span>`),
          textCell('Settled on', html`<span class="day">${each.settlement_date}</span>`),
          textCell('Reason', html`${each.reason_code} <span class="muted">${each.reason_desc}</span>`),
          textCell('Record', `${each.file}:${each.line}`),
          html`<td role="cell" class="n" data-label="Amount">
            ${money(each.amount_minor)} ${each.currency}
          </td>`,
        ]),
      ),
    ),
  });
}
