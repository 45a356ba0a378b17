import { itemAges, type AgedItems } from '../../../findings/item-ages.js';
import { byBytes } from '../../../values/by-bytes.js';
import { html, type Html } from '../html.js';
import type { PageModel } from '../page-model.js';
import { countCell, moneyCell, numeric, row, rowName, table } from '../tables.js';

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
            columns: [{ name: 'Items' }, ...itemAges.map(({ name }) => numeric(name)), numeric('All')],
            body: shown.map(([name, meaning, groups]) => stateRows(name, meaning, groups)),
          })
    }
  </section>`;
}

function stateRows(name: string, meaning: string, groups: readonly AgedItems[]): Html {
  const counts = perAge(groups, ({ count }) => BigInt(count));
  const currencies = [...new Set(groups.flatMap(({ currency }) => currency ?? []))].sort(byBytes);
  return html`<tbody role="rowgroup">
    ${row(
      [
        rowName(html`<b>${name}</b> <span class="muted">${meaning}</span>`),
        ...itemAges.map(({ name: age }, index) => countCell(age, Number(counts[index] ?? 0n))),
        countCell('All', Number(sumOf(counts)), 'total'),
      ],
      'state',
    )}
    ${currencies.map((currency) => {
      const ofCurrency = groups.filter((group) => group.currency === currency);
      return [
        moneyRow(
          `${currency} missing`,
          perAge(ofCurrency, ({ missing }) => missing),
        ),
        moneyRow(
          `${currency} surplus`,
          perAge(ofCurrency, ({ surplus }) => surplus),
        ),
      ];
    })}
  </tbody>`;
}

function moneyRow(name: string, amounts: readonly bigint[]): Html | null {
  if (amounts.every((amount) => amount === 0n)) return null;
  return row([
    rowName(name),
    ...itemAges.map(({ name: age }, index) => moneyCell(age, amounts[index] ?? 0n)),
    moneyCell('All', sumOf(amounts), 'total'),
  ]);
}

/** A number of each age, in the order of the columns. */
function perAge(groups: readonly AgedItems[], valueOf: (group: AgedItems) => bigint): bigint[] {
  return itemAges.map((_, age) => sumOf(groups.filter((group) => group.age === age).map(valueOf)));
}

const sumOf = (numbers: readonly bigint[]) => numbers.reduce((sum, number) => sum + number, 0n);
