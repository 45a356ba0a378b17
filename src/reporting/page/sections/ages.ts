import { itemAges, type AgedItems } from '../../../findings/item-ages.js';
import { byBytes } from '../../../values/by-bytes.js';
import { html, type Html } from '../html.js';
import type { PageModel } from '../page-model.js';
import { countCell, moneyCell, row, rowName, table } from '../tables.js';

/** New, open, waiting, accepted and resolved items by age, with their money. */
export function ages({ items, closed, heading: { runId } }: PageModel): Html {
  const states: readonly (readonly [string, string, readonly AgedItems[]])[] = [
    ['Open', 'someone has to look at them', items.open],
    ['New', 'of those open or waiting, seen first in this run', items.new],
    ['Waiting', 'until a date that someone decided', items.waiting],
    ['Accepted', 'they stand and are agreed to', closed.accepted],
    ['Resolved', 'they held before this run and hold no longer', closed.resolved],
  ];
  const shown = states.filter(
    ([name, , groups]) => groups.length > 0 && (runId !== null || name !== 'Resolved'),
  );
  return html`<section aria-labelledby="ages">
    <h2 id="ages">Items by age</h2>
    ${
      shown.length === 0
        ? html`<p>There are no items: every record has its payment and every payment its settlement.</p>`
        : table({
            kind: 'ages',
            caption: html`<span class="muted"
              >Age is counted from the day of the run that saw the item first. All items of the database are
              counted, not of this run alone.</span
            >`,
            columns: [
              { name: 'Items' },
              ...itemAges.map(({ name }) => ({ name, isNumeric: true })),
              { name: 'All', isNumeric: true },
            ],
            body: shown.map(([name, meaning, groups]) => stateRows(name, meaning, groups)),
          })
    }
  </section>`;
}

function stateRows(name: string, meaning: string, groups: readonly AgedItems[]): Html {
  const perAge = (value: (group: AgedItems) => bigint, currency?: string) =>
    itemAges.map((_, age) =>
      groups
        .filter((group) => group.age === age && (currency === undefined || group.currency === currency))
        .reduce((sum, group) => sum + value(group), 0n),
    );
  const currencies = [...new Set(groups.flatMap(({ currency }) => currency ?? []))].sort(byBytes);
  const counts = perAge(({ count }) => BigInt(count)).map(Number);
  return html`<tbody role="rowgroup">
    ${row(
      [
        rowName(html`<b>${name}</b> <span class="muted">${meaning}</span>`),
        ...itemAges.map(({ name: age }, index) => countCell(age, counts[index] ?? 0)),
        countCell('All', sumOf(counts.map(BigInt), Number), 'total'),
      ],
      'state',
    )}
    ${currencies.map((currency) => [
      moneyRow(
        `${currency} missing`,
        perAge(({ missing }) => missing, currency),
      ),
      moneyRow(
        `${currency} surplus`,
        perAge(({ surplus }) => surplus, currency),
      ),
    ])}
  </tbody>`;
}

function moneyRow(name: string, amounts: readonly bigint[]): Html | null {
  if (amounts.every((amount) => amount === 0n)) return null;
  return row([
    rowName(name),
    ...itemAges.map(({ name: age }, index) => moneyCell(age, amounts[index] ?? 0n)),
    moneyCell(
      'All',
      sumOf(amounts, (sum) => sum),
      'total',
    ),
  ]);
}

function sumOf<T>(numbers: readonly bigint[], as: (sum: bigint) => T): T {
  return as(numbers.reduce((sum, number) => sum + number, 0n));
}
