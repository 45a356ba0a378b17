import { html, type Html } from '../html.js';
import { marked, type Mark } from '../marks.js';
import type { PageModel } from '../page-model.js';
import type { PageItems } from '../tally-items.js';
import { moneyCell, numeric, row, rowName, table, tableBody } from '../tables.js';
import { count, counted, longDate } from '../texts.js';

/** The day, what is open in one sentence, what went wrong, and the money: what somebody reads who reads no further. */
export function heading(model: PageModel): Html {
  const { asOf } = model.heading;
  const dateParts = longDate(asOf)
    .split(/(?<=,) /)
    .map((part) => html`<span class="once">${part}</span> `);
  return html`<header class="top">
    <p class="eyebrow">${kindOfReport(model)}</p>
    <h1><time datetime="${asOf}">${dateParts}</time></h1>
    <div class="morning">
      <div>
        <p class="verdict">${verdict(model)}</p>
        ${alerts(model)} ${figures(model)}
      </div>
      ${moneyAtRisk(model)}
    </div>
  </header>`;
}

function kindOfReport({ heading: { runId, kind, range } }: PageModel): string {
  const dates = range === null ? '' : ` · settlement dates ${range.from} to ${range.to}`;
  if (runId === null) return `Settlement reconciliation${dates}`;
  return `Settlement reconciliation · ${kind === 'rerun' ? 're-run' : 'run'} ${runId}${dates}`;
}

function verdict({ counts, items, heading: { runId } }: PageModel): string {
  if (items.total === 0) return 'Nothing is open.';
  const isNew = newAmong(items);
  const open = `${counted(counts.open, 'item is', 'items are')} open`;
  if (runId === null) return `${open}.`;
  const changes = [
    ...(isNew === 0 ? ['nothing new in this run'] : [`${count(isNew)} new in this run`]),
    ...(counts.resolved === 0 ? [] : [`${count(counts.resolved)} resolved by it`]),
  ];
  return `${open}: ${changes.join(', ')}.`;
}

/**
 * How many of the items that are open or waiting the run saw first. When its report is written again, others of those
 * that it saw first may have been accepted: `counts` includes them.
 */
const newAmong = ({ new: groups }: PageItems) => groups.reduce((sum, group) => sum + group.count, 0);

/** A line that is shown if there is anything that it is about. */
interface AlertLine {
  /** How much of it there is. */
  readonly of: number;
  readonly mark: Mark;
  readonly text: string;
}

function alerts(model: PageModel): Html | null {
  const { files, sources, expected, notices, counts, totals } = model;
  const unread = sources.filter(({ status }) => status === 'failed').length;
  const refused = files.filter(({ status }) => status === 'rejected' || status === 'failed').length;
  const missing = expected.filter(({ status }) => status === 'missing').length;
  const late = expected.filter(({ status }) => status === 'late').length;
  const rejected = totals.rejected.count;
  const lines: readonly AlertLine[] = [
    { of: unread, mark: 'error', text: `${counted(unread, 'source')} could not be read.` },
    {
      of: missing,
      mark: 'error',
      text: `${counted(missing, 'expected delivery is', 'expected deliveries are')} missing.`,
    },
    {
      of: refused,
      mark: 'error',
      text: `${count(refused)} of ${counted(files.length, 'file')} ${refused === 1 ? 'was' : 'were'} not loaded.`,
    },
    {
      of: late,
      mark: 'warning',
      text: `${counted(late, 'expected delivery', 'expected deliveries')} came late.`,
    },
    {
      of: rejected,
      mark: 'warning',
      text: `${counted(rejected, 'row was', 'rows were')} rejected and ${rejected === 1 ? 'counts' : 'count'} in no sum.`,
    },
    {
      of: counts.lapsed,
      mark: 'warning',
      text: `${counted(counts.lapsed, 'decision')} lapsed, because the facts changed.`,
    },
    ...notices.map((notice) => ({ of: 1, mark: 'warning', text: notice }) as const),
  ];
  const shown = lines
    .filter(({ of }) => of > 0)
    .map(({ mark, text }) => html`<li>${marked(mark, text)}</li>`);
  return shown.length === 0
    ? null
    : html`<ul class="alerts">
        ${shown}
      </ul>`;
}

function figures({ counts, items, heading: { runId } }: PageModel): Html {
  const all: readonly (readonly [string, number])[] = [
    ['open', counts.open],
    ...(runId === null
      ? []
      : ([
          ['new', newAmong(items)],
          ['resolved', counts.resolved],
        ] as const)),
    ['waiting', counts.waiting],
    ['accepted', counts.accepted],
  ];
  return html`<dl class="figures">
    ${all.map(
      ([name, number]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${count(number)}</dd>
        </div>`,
    )}
  </dl>`;
}

function moneyAtRisk({ items }: PageModel): Html {
  if (items.money.size === 0) return html`<p class="muted">No money is at risk.</p>`;
  return table({
    kind: 'risk',
    caption: html`Money at risk`,
    columns: [{ name: 'Currency' }, numeric('Missing'), numeric('Surplus')],
    body: [
      tableBody(
        [...items.money].map(([currency, { missing, surplus }]) =>
          row([rowName(currency), moneyCell('Missing', missing), moneyCell('Surplus', surplus)]),
        ),
      ),
      html`<tfoot>
        <tr>
          <td colspan="3">
            Missing: money that you should have and do not have. Surplus: money that you have and should not
            have.
          </td>
        </tr>
      </tfoot>`,
    ],
  });
}
