import type { Severity } from '../../findings/discrepancy-codes.js';
import { html, trusted, type Html } from './html.js';

/** What a mark means; each has its own shape, so that the colour is never the only difference. */
export type Mark = 'error' | 'warning' | 'info' | 'good';

const shapes: Readonly<Record<Mark, string>> = {
  error: '<path d="M5 0 10 5 5 10 0 5z"/>',
  warning: '<path d="M5 .5 10 9.5H0z"/>',
  info: '<path d="M5 0a5 5 0 1 1 0 10A5 5 0 0 1 5 0zm0 2a3 3 0 1 0 0 6 3 3 0 0 0 0-6z"/>',
  good: '<path d="M0 5.4 1.7 3.6 3.9 5.8 8.3 1.2 10 2.9 3.9 9.2z"/>',
};

/** The shapes of a page, defined once: a diamond, a triangle, a ring and a tick. */
export const markShapes: Html = trusted(
  `<svg hidden aria-hidden="true">${Object.entries(shapes)
    .map(([mark, shape]) => `<symbol id="mark-${mark}" viewBox="0 0 10 10">${shape}</symbol>`)
    .join('')}</svg>`,
);

/** A text with its mark. The mark is for the eye; the text says the same. */
export function marked(mark: Mark, text: string | Html): Html {
  return html`<span class="${mark}"
    ><svg class="mark" aria-hidden="true"><use href="#mark-${mark}" /></svg>${text}</span
  >`;
}

/** A code with the mark of its severity, and the severity as a word for those who cannot see the mark. */
export function codeWithSeverity(code: string, severity: Severity): Html {
  return marked(severity, html`<b class="code">${code}</b> <span class="word">${severity}</span>`);
}
