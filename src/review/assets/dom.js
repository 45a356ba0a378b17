/**
 * Small pieces to build the page from. Texts become text nodes, never markup, so nothing that a settlement file
 * contains can become a part of the page.
 */

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * An element with attributes, listeners (`onclick`) and children.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number | boolean | ((event: any) => void)>} [attributes]
 * @param {Child[]} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false) element.setAttribute(name, String(value));
  }
  fill(element, children);
  return element;
}

/**
 * Replaces what an element contains.
 *
 * @param {Element} element
 * @param {Child[]} children
 */
export function fill(element, children) {
  const shown = children.filter((child) => child !== null && child !== undefined && child !== false);
  element.replaceChildren(...shown.map((child) => (child instanceof Node ? child : String(child))));
}

/**
 * An element of index.html.
 *
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id
 * @returns {T}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`index.html has no element ${id}`);
  return /** @type {T} */ (element);
}

/**
 * A code that continues on the next line after one of its words, where it has no room.
 *
 * @param {string} code
 */
export function wordsOf(code) {
  return code.split(/(?<=_)/).flatMap((word) => [word, el('wbr')]);
}

/**
 * `1,234,567.80`, as the page of the report writes it; the digits stay as they came.
 *
 * @param {string} amount
 */
export function money(amount) {
  const [whole = '', cents] = amount.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  return (cents === undefined ? grouped : `${grouped}.${cents}`).replace('-', '\u2212');
}

/**
 * What is at risk, such as `250.00 EUR missing`: missing and surplus are not offset.
 *
 * @param {readonly { currency: string | null, missing: string, surplus: string }[]} sums
 * @returns {string[]}
 */
export function moneyAtRisk(sums) {
  return sums.flatMap(({ currency, missing, surplus }) => [
    ...(missing === '0.00' ? [] : [`${money(missing)} ${currency ?? ''} missing`]),
    ...(surplus === '0.00' ? [] : [`${money(surplus)} ${currency ?? ''} surplus`]),
  ]);
}

/**
 * What one item puts at risk, in the words of the page of the report: `100.00 EUR surplus`, where the sheet has -100.00.
 *
 * @param {{ atRisk: string, currency: string | null }} item
 */
export function itemAtRisk({ atRisk, currency }) {
  if (atRisk === '0.00') return el('span', { class: 'muted' }, 'none');
  const direction = atRisk.startsWith('-') ? 'surplus' : 'missing';
  return el(
    'span',
    {},
    `${money(atRisk.replace('-', ''))} ${currency ?? ''}`,
    el('span', { class: 'muted direction' }, ` ${direction}`),
  );
}

/**
 * @param {number} count
 * @param {string} [thing]
 */
export function counted(count, thing = 'item') {
  return `${money(String(count))} ${thing}${count === 1 ? '' : 's'}`;
}
