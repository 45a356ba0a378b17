import { createHash } from 'node:crypto';
import { html, trusted, type Html } from './html.js';
import { markShapes } from './marks.js';
import type { PageModel } from './page-model.js';
import { pageScript } from './page-script.js';
import { pageStyle } from './page-style.js';
import { ages } from './sections/ages.js';
import { arrivals } from './sections/arrivals.js';
import { causes } from './sections/causes.js';
import { chargebacks } from './sections/chargebacks.js';
import { heading } from './sections/heading.js';
import { largest } from './sections/largest.js';
import { runs } from './sections/runs.js';
import { totals } from './sections/totals.js';
import { baseStyle } from './style.js';
import { longDate } from './texts.js';

const style = baseStyle + pageStyle;

/** Nothing is loaded, and only this style and this script apply: a text from a file can add neither. */
const policy = [
  "default-src 'none'",
  `style-src '${hashOf(style)}'`,
  `script-src '${hashOf(pageScript)}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

// Not in a template, because each blank counts for the hashes above.
const styleElement = trusted(`<style>${style}</style>`);
const scriptElement = trusted(`<script>${pageScript}</script>`);

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/**
 * The morning page (design 11): one file that needs no network, and no script to be read. The same model gives the same
 * bytes.
 */
export function renderPage(model: PageModel): string {
  const { asOf, runId } = model.heading;
  const sections = [
    { id: 'arrivals', name: 'What arrived', content: arrivals(model) },
    { id: 'totals', name: 'Totals', content: totals(model) },
    { id: 'ages', name: 'Items by age', content: ages(model) },
    { id: 'causes', name: 'What is wrong', content: causes(model) },
    { id: 'items', name: 'Items', content: largest(model) },
    { id: 'chargebacks', name: 'Chargebacks', content: chargebacks(model) },
    { id: 'runs', name: 'The last runs', content: runs(model) },
  ];
  const shown = sections.filter(({ content }) => content !== null);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${trusted(policy)}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>Settlement reconciliation, ${longDate(asOf)}${runId !== null && ` (run ${runId})`}</title>
        ${styleElement}
      </head>
      <body>
        ${markShapes}
        <div class="page">
          ${heading(model)}
          <nav class="contents" aria-label="On this page">
            ${shown.map(({ id, name }) => html`<a href="#${id}">${name}</a> `)}
          </nav>
          <main>${shown.map(({ content }) => content)}</main>
          ${footer(model)}
        </div>
        ${scriptElement}
      </body>
    </html> `.toString();
}

function footer({ links }: PageModel): Html {
  const names = [
    links.openItems,
    links.workbook,
    links.discrepancies,
    links.rejectedRows,
    links.corrections,
    links.chargebacks,
    links.totals,
  ];
  return html`<footer class="foot">
    Beside this page:
    ${names.flatMap((name) => (name === null ? [] : [html`<a href="${name}">${name}</a> `]))}
  </footer>`;
}
