import type { ExpectedDelivery, FileOutcome } from '../../../outcome.js';
import { html, type Html } from '../html.js';
import { marked, type Mark } from '../marks.js';
import type { PageModel } from '../page-model.js';
import { countCell, numeric, row, rowName, table, tableBody, textCell } from '../tables.js';
import { count, counted } from '../texts.js';

/** The page lists at most this many files, and as many expected deliveries: those that need attention come first. */
const mostShown = 200;

/** What needs attention comes first. */
const order: readonly Mark[] = ['error', 'warning', 'info', 'good'];

/** What arrived, and what did not. */
export function arrivals(model: PageModel): Html {
  const { files, heading } = model;
  return html`<section aria-labelledby="arrivals">
    <h2 id="arrivals">What arrived</h2>
    ${unreadSources(model)} ${expectedDeliveries(model)}
    ${
      files.length > 0
        ? fileTable(model)
        : html`<p>
            ${heading.kind === 'run' ? 'No file arrived in this run.' : 'This report is about stored records; no file was read for it.'}
          </p>`
    }
    ${withdrawn(model)}
  </section>`;
}

function unreadSources({ sources }: PageModel): Html | null {
  const unread = sources.filter(({ status }) => status === 'failed');
  if (unread.length === 0) return null;
  return html`<ul class="alerts">
    ${unread.map(
      ({ name, error }) =>
        html`<li>
          ${marked('error', `The source ${name} could not be read.`)}
          <span class="reason"
            >${error?.message} ${error !== null && html`<span class="mono">${error.code}</span>`}</span
          >
        </li>`,
    )}
  </ul>`;
}

const deliveryMarks: Readonly<Record<ExpectedDelivery['status'], Mark>> = {
  arrived: 'good',
  late: 'warning',
  outstanding: 'info',
  missing: 'error',
};

function expectedDeliveries({ expected }: PageModel): Html | null {
  if (expected.length === 0) return null;
  const shown = mostUrgent(expected, ({ status }) => order.indexOf(deliveryMarks[status]));
  return table({
    kind: 'slim',
    caption: html`Expected deliveries ${shownOf(shown, expected)}`,
    columns: [{ name: 'Source' }, { name: 'Day' }, { name: 'Status' }, { name: 'Files' }],
    body: tableBody(
      shown.map(({ source, date, status, due, files, problems, filePattern }) =>
        row([
          rowName(
            html`${source} ${filePattern !== undefined && html`<span class="reason">${filePattern}</span>`}
            ${problems.map((each) => html`<span class="reason">${each}</span>`)}`,
          ),
          textCell('Day', date),
          textCell('Status', marked(deliveryMarks[status], status)),
          textCell(
            'Files',
            files.length > 0 ? files.join(', ') : html`<span class="muted">due ${due}</span>`,
          ),
        ]),
      ),
    ),
  });
}

const fileMarks: Readonly<Record<FileOutcome['status'], Mark>> = {
  loaded: 'good',
  duplicate: 'info',
  deferred: 'warning',
  rejected: 'error',
  failed: 'error',
};

/** What the words of the contract mean to a reader. */
const meanings: Readonly<Record<FileOutcome['status'], string>> = {
  loaded: '',
  duplicate: 'came before with the same content: nothing changed',
  deferred: 'is still being written: a later run takes it',
  rejected: 'nothing of it was stored',
  failed: 'did not arrive whole: the next run tries again',
};

function fileTable({ files, links }: PageModel): Html {
  const shown = mostUrgent(
    files,
    ({ status, rows }) => order.indexOf(fileMarks[status]) - (rows.rejected > 0 ? 0.5 : 0),
  );
  // Rows of a file that was rejected as a whole are in no sheet: its sender corrects it.
  const hasRowsToCorrect = files.some(({ status, rows }) => status === 'loaded' && rows.rejected > 0);
  return html`${table({
    caption: html`${counted(files.length, 'file')} ${shownOf(shown, files)}`,
    columns: [
      { name: 'File' },
      { name: 'Status' },
      numeric('Rows'),
      numeric('Accepted'),
      numeric('Rejected'),
      numeric('Known before'),
    ],
    body: tableBody(shown.map(fileRow)),
  })}
  ${
    hasRowsToCorrect &&
    html`<p class="more">
      The rejected rows and their reasons are in
      <a href="${links.rejectedRows}">${links.rejectedRows}</a>; correct them in
      <a href="${links.corrections}">${links.corrections}</a>.
    </p>`
  }`;
}

function fileRow({ source, name, status, rows, error, note }: FileOutcome): Html {
  const reason = error?.message ?? note ?? meanings[status];
  return row([
    rowName(
      html`${name}
        <span class="muted">${source}</span> ${reason !== '' && html`<span class="reason">${reason}</span>`}`,
    ),
    textCell('Status', marked(fileMarks[status], status)),
    countCell('Rows', rows.total),
    countCell('Accepted', rows.accepted),
    countCell('Rejected', rows.rejected, rows.rejected > 0 ? 'warning total' : ''),
    countCell('Known before', rows.alreadyKnown),
  ]);
}

/** All of them in their order, or, if there are too many, those with the lowest rank. */
function mostUrgent<Entry>(all: readonly Entry[], rankOf: (entry: Entry) => number): readonly Entry[] {
  return all.length <= mostShown ? all : [...all].sort((a, b) => rankOf(a) - rankOf(b)).slice(0, mostShown);
}

function shownOf(shown: readonly unknown[], all: readonly unknown[]): Html | null {
  return shown.length === all.length
    ? null
    : html`<span class="muted">${count(shown.length)} are shown; all of them are in summary.json.</span>`;
}

function withdrawn({ withdrawals }: PageModel): Html | null {
  if (withdrawals.length === 0) return null;
  return html`<h3>Corrected deliveries</h3>
    <ul>
      ${withdrawals.map(
        ({ status, name, records, by, reason }) =>
          html`<li>
            ${name} was ${status} by ${by}: ${counted(records, 'record')} ${countsAs(status, records)}.
            <span class="muted">${reason}</span>
          </li>`,
      )}
    </ul>`;
}

function countsAs(status: 'withdrawn' | 'restored', records: number): string {
  const counts = records === 1 ? 'counts' : 'count';
  return status === 'withdrawn' ? `no longer ${counts}` : `${counts} again`;
}
