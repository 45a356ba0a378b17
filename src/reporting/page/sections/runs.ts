import { html, type Html } from '../html.js';
import type { PageModel, ChartedRun } from '../page-model.js';
import { countCell, numeric, row, rowName, table, tableBody, textCell } from '../tables.js';
import { count } from '../texts.js';

/** The table below the charts has the numbers of at most this many runs. */
const runsInTable = 10;

/** How the last runs compare: charts for the eye, and the numbers. */
export function runs({ runs: all }: PageModel): Html | null {
  if (all.length === 0) return null;
  return html`<section aria-labelledby="runs">
    <h2 id="runs">The last runs</h2>
    ${
      all.length === 1
        ? html`<p>The charts begin with the second run.</p>`
        : html`<div class="charts">
            ${chart('Open items', all, [(run) => run.open])}
            ${chart('New above, resolved below', all, [(run) => run.new, (run) => run.resolved])}
            ${chart('Rows accepted', all, [(run) => run.rows])}
          </div>`
    }
    ${table({
      kind: 'slim',
      caption: all.length > runsInTable ? `The last ${runsInTable} runs` : 'Every run so far',
      columns: [
        { name: 'Run' },
        { name: 'As of' },
        numeric('Rows accepted'),
        numeric('New'),
        numeric('Resolved'),
        numeric('Open'),
      ],
      body: tableBody(all.slice(-runsInTable).reverse().map(runRow)),
    })}
  </section>`;
}

function runRow(run: ChartedRun): Html {
  return row([
    rowName(`${run.runId}${run.kind === 'rerun' ? ' (re-run)' : ''}`),
    textCell('As of', run.asOf),
    countCell('Rows accepted', run.rows),
    countCell('New', run.new),
    countCell('Resolved', run.resolved),
    countCell('Open', run.open),
  ]);
}

type Figure = (run: ChartedRun) => number;

const chartHeight = 64;
const slot = 10;
/** A chart of two runs has bars as narrow as one of many, at its right end. */
const leastSlots = 12;

/** Bars of one number per run, or of two: the second one hangs below the line. */
function chart(title: string, all: readonly ChartedRun[], [above, below]: readonly [Figure, Figure?]): Html {
  const highest = Math.max(1, ...all.map(above));
  const lowest = below === undefined ? 0 : Math.max(0, ...all.map(below));
  const scale = chartHeight / (highest + lowest);
  const line = round(highest * scale);
  const slots = Math.max(all.length, leastSlots);
  const bars = all.map((run, index) => {
    const x = (slots - all.length + index) * slot + 1;
    const isLast = index === all.length - 1;
    const up = round(above(run) * scale);
    const down = below === undefined ? 0 : round(below(run) * scale);
    return html`<g class="${isLast ? 'now' : 'then'}"
      ><title>run ${run.runId}, ${run.asOf}: ${figuresOf(run, above, below)}</title
      ><rect x="${x}" y="${round(line - up)}" width="${slot - 2}" height="${up}" />${
        down > 0 && html`<rect class="below" x="${x}" y="${line}" width="${slot - 2}" height="${down}" />`
      }</g
    >`;
  });
  const [first, last] = [all[0], all.at(-1)];
  return html`<figure>
    <figcaption>
      <b>${title}</b> <span class="now-figure">${last !== undefined && figuresOf(last, above, below)}</span>
    </figcaption>
    <svg
      viewBox="0 0 ${slots * slot} ${chartHeight}"
      role="img"
      aria-label="${title} of the last ${all.length} runs, highest ${count(highest)}"
    >
      ${bars}
      <path class="axis" d="M0 ${line}H${slots * slot}" />
    </svg>
    <p class="small muted axis-text"><span>${first?.asOf}</span> <span>${last?.asOf}</span></p>
  </figure>`;
}

function figuresOf(run: ChartedRun, above: Figure, below: Figure | undefined): string {
  return below === undefined ? count(above(run)) : `${count(above(run))} new, ${count(below(run))} resolved`;
}

/** So that the same numbers give the same bytes. */
const round = (value: number) => Math.round(value * 100) / 100;
