import { html, type Html, type Part } from './html.js';

/** A text of the catalogues, in which commands stand in backquotes. */
export function withCode(text: string): Html {
  const parts = text
    .split('`')
    .map((part, index): Part => (index % 2 === 0 ? part : html`<code class="mono">${part}</code>`));
  return html`${parts}`;
}
