import { html, type Html } from '../html.js';
import { marked, type Mark } from '../marks.js';
import type { PageModel } from '../page-model.js';
import { moneyCell, row, rowName, table, tableBody } from '../tables.js';
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
  const open = `${counted(counts.open, 'item is', 'items are')} open`;
  if (runId === null) return `${open}.`;
  const changes = [
    ...(counts.new === 0 ? ['none of them is new'] : [`${count(counts.new)} new in this run`]),
    ...(counts.resolved === 0 ? [] : [`${count(counts.resolved)} resolved by it`]),
  ];
  return `${open}: ${changes.join(', ')}.`;
}

function alerts(model: PageModel): Html | null {
  const { files, sources, expected, notices, counts, totals } = model;
  const unread = sources.filter(({ status }) => status === 'failed').length;
  const refused = files.filter(({ status }) => status === 'rejected' || status === 'failed').length;
  const missing = expected.filter(({ status }) => status === 'missing').length;
  const late = expected.filter(({ status }) => status === 'late').length;
  const rejected = totals.rejected.count;
  const lines: readonly (readonly [Mark, string | null])[] = [
    ['error', unread === 0 ? null : `${counted(unread, 'source')} could not be read.`],
    [
      'error',
      missing === 0
        ? null
        : `${counted(missing, 'expected delivery is', 'expected deliveries are')} missing.`,
    ],
    ['error', refused === 0 ? null : `${counted(refused, 'file')} of ${count(files.length)} did not get in.`],
    [
      'warning',
      late === 0 ? null : `${counted(late, 'expected delivery', 'expected deliveries')} came late.`,
    ],
    [
      'warning',
      rejected === 0
        ? null
        : `${counted(rejected, 'row was', 'rows were')} rejected and ${rejected === 1 ? 'counts' : 'count'} in no sum.`,
    ],
    [
      'warning',
      counts.lapsed === 0 ? null : `${counted(counts.lapsed, 'decision')} lapsed, because the facts changed.`,
    ],
    ...notices.map((notice) => ['warning', notice] as const),
  ];
  const shown = lines.flatMap(([mark, text]) =>
    text === null ? [] : [html`<li>${marked(mark, text)}</li>`],
  );
  return shown.length === 0
    ? null
    : html`<ul class="alerts">
        ${shown}
      </ul>`;
}

function figures({ counts, heading: { runId } }: PageModel): Html {
  const all: readonly (readonly [string, number])[] = [
    ['open', counts.open],
    ...(runId === null
      ? []
      : ([
          ['new', counts.new],
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
    columns: [
      { name: 'Currency' },
      { name: 'Missing', isNumeric: true },
      { name: 'Surplus', isNumeric: true },
    ],
    body: [
      tableBody(
        [...items.money].map(([currency, { missing, surplus }]) =>
          row([rowName(currency), moneyCell('Missing', missing), moneyCell('Surplus', surplus)]),
        ),
      ),
      html`<tfoot>
        <tr>
          <td colspan="3">
            Missing: money that should have arrived. Surplus: money that should not have arrived.
          </td>
        </tr>
      </tfoot>`,
    ],
  });
}
