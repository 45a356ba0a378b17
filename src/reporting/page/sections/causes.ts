import { discrepancyCodes, remedyOf } from '../../../findings/discrepancy-codes.js';
import { byBytes } from '../../../values/by-bytes.js';
import { html, type Html } from '../html.js';
import { codeWithSeverity } from '../marks.js';
import { withCode } from '../with-code.js';
import type { PageModel } from '../page-model.js';
import {
  countCell,
  linesCell,
  numberCell,
  numeric,
  row,
  rowName,
  table,
  tableBody,
  textCell,
} from '../tables.js';
import type { ItemGroup, MissingAndSurplus } from '../tally-items.js';
import { count, counted, money } from '../texts.js';

/** What is wrong, by code and by pattern, and what to do about it. */
export function causes({ items }: PageModel): Html | null {
  if (items.byCode.length === 0) return null;
  return html`<section aria-labelledby="causes">
    <h2 id="causes">What is wrong, and what to do</h2>
    ${table({
      kind: 'causes',
      caption: html`<span class="muted"
        >Open and waiting items by what was found, the most frequent first.</span
      >`,
      columns: [{ name: 'Found' }, { name: 'What to do' }, ...groupColumns],
      body: tableBody(
        items.byCode.map((group) => {
          const { code, severity } = group;
          return row([
            rowName(html`${codeWithSeverity(code, severity)} <span class="reason">${meaningOf(code)}</span>`),
            textCell('What to do', withCode(remedyOf(code, severity))),
            ...groupCells(group),
          ]);
        }),
      ),
    })}
    ${patterns(items)}
  </section>`;
}

/** What the catalogue says about settings, in backquotes, is for docs/codes.md. */
function meaningOf(code: string): string {
  const known: Readonly<Record<string, { readonly when: string }>> = discrepancyCodes;
  return (known[code]?.when ?? '').replace(/;[^;]*`.*$/, '');
}

function patterns({ patterns: shown, patternCount }: PageModel['items']): Html | null {
  if (shown.length === 0) return null;
  return table({
    kind: 'causes',
    caption: html`Patterns
      <span class="muted"
        >${counted(patternCount, 'group')} of more than 20 items with the same code, merchant account and
        values: probably one cause, and one
        decision.${patternCount > shown.length && ` The ${count(shown.length)} largest are shown.`}</span
      >`,
    columns: [{ name: 'Pattern' }, { name: 'Merchant account' }, ...groupColumns],
    body: tableBody(
      shown.map((group) => {
        const { pattern, code, severity, merchantAccountId, example } = group;
        return row([
          rowName(
            html`${codeWithSeverity(code, severity)} <span class="mono muted">${pattern}</span>
              <span class="reason">For example: ${example}</span>`,
          ),
          textCell('Merchant account', html`<span class="key">${merchantAccountId}</span>`),
          ...groupCells(group),
        ]);
      }),
    ),
  });
}

const groupColumns = [numeric('Items'), numeric('Oldest, days'), numeric('Missing'), numeric('Surplus')];

/** How many items a group has, their age, and an amount for each currency. */
function groupCells({ count: number, oldestDays, money: sums }: ItemGroup): Html[] {
  const ordered = [...sums].sort(([a], [b]) => byBytes(a, b));
  const lines = (amountOf: (sum: MissingAndSurplus) => bigint) =>
    ordered
      .filter(([, sum]) => amountOf(sum) !== 0n)
      .map(([currency, sum]) => `${money(amountOf(sum))} ${currency}`);
  return [
    countCell('Items', number),
    numberCell('Oldest, days', count(oldestDays)),
    linesCell(
      'Missing',
      lines(({ missing }) => missing),
    ),
    linesCell(
      'Surplus',
      lines(({ surplus }) => surplus),
    ),
  ];
}
