import { get, Refusal } from './api.js';
import { byId, counted, el, fill, money, moneyAtRisk } from './dom.js';

/** @import { ListedItem } from '../../items/listed-item.js' */
/** @import { ListedPage } from '../review-api.js' */

/** The table of items: pages of it, the row that is current, and the rows that are selected. */

/** The columns: what they show, and what the server can sort them by. */
const columns = /** @type {const} */ ([
  { title: 'State', sort: 'status' },
  { title: 'Code', sort: 'code' },
  { title: 'At risk', sort: 'atRisk', number: true },
  { title: 'Age', sort: 'age', number: true },
  { title: 'Date', sort: 'date' },
  { title: 'Account', sort: 'account' },
  { title: 'What is wrong' },
  { title: 'Assignee' },
]);

/**
 * @param {{
 *   filter: () => Record<string, string>,
 *   open: (item: ListedItem) => void,
 *   changed: () => void,
 *   failed: (thrown: unknown) => void,
 * }} page
 */
export function createList({ filter, open, changed, failed }) {
  /** @type {ListedItem[]} */
  let items = [];
  /** @type {Set<string>} */
  let selected = new Set();
  /** @type {string | null} */
  let next = null;
  let current = -1;
  let order = { sort: 'atRisk', direction: 'desc' };
  /** @type {AbortController} */
  let loading = new AbortController();
  /** @type {ListedPage['list']} */
  let state = { isRenewed: false, hasMarks: true };

  /** @param {boolean} fromStart */
  const load = async (fromStart) => {
    loading.abort();
    loading = new AbortController();
    const after = fromStart || next === null ? {} : { after: next };
    try {
      /** @type {ListedPage} */
      const page = await get('/api/items', { ...filter(), ...order, ...after }, loading.signal);
      const kept = fromStart ? items[current]?.discrepancyId : undefined;
      items = fromStart ? [...page.items] : [...items, ...page.items];
      next = page.next;
      state = page.list;
      if (fromStart) {
        const ids = new Set(items.map(({ discrepancyId }) => discrepancyId));
        selected = new Set([...selected].filter((id) => ids.has(id)));
        current = items.findIndex(({ discrepancyId }) => discrepancyId === kept);
      }
      show();
      changed();
    } catch (thrown) {
      if (thrown instanceof Refusal || !(thrown instanceof DOMException)) failed(thrown);
    }
  };

  const show = () => {
    fill(byId('head'), [head()]);
    fill(byId('rows'), items.map(row));
    byId('more').hidden = next === null;
    const empty = byId('empty');
    empty.hidden = items.length > 0;
    empty.textContent = Object.keys(filter()).length > 0 ? 'No item fits the filter.' : 'Nothing is open.';
  };

  const head = () =>
    el(
      'tr',
      {},
      el(
        'th',
        { scope: 'col', class: 'check' },
        el('input', {
          type: 'checkbox',
          'aria-label': 'Select all that are shown',
          onchange: (/** @type {Event & { target: HTMLInputElement }} */ event) => {
            selected = new Set(event.target.checked ? items.map(({ discrepancyId }) => discrepancyId) : []);
            show();
            changed();
          },
        }),
      ),
      ...columns.map((column) => {
        const isSorted = 'sort' in column && column.sort === order.sort;
        const sorted = isSorted ? (order.direction === 'desc' ? 'descending' : 'ascending') : 'none';
        return el(
          'th',
          { scope: 'col', class: 'number' in column ? 'n' : '', 'aria-sort': sorted },
          'sort' in column
            ? el('button', { type: 'button', onclick: () => sortBy(column.sort) }, column.title)
            : column.title,
        );
      }),
    );

  /** @param {string} sort */
  const sortBy = (sort) => {
    const turned = order.direction === 'desc' ? 'asc' : 'desc';
    order = { sort, direction: order.sort === sort ? turned : 'desc' };
    void load(true);
  };

  /**
   * @param {ListedItem} item
   * @param {number} index
   */
  const row = (item, index) => {
    const id = item.discrepancyId;
    return el(
      'tr',
      {
        'data-id': id,
        'aria-current': index === current ? 'true' : 'false',
        'aria-selected': selected.has(id) ? 'true' : 'false',
        onclick: () => {
          moveTo(index);
          open(item);
        },
      },
      el(
        'td',
        { class: 'check', onclick: (/** @type {Event} */ event) => event.stopPropagation() },
        el('input', {
          type: 'checkbox',
          checked: selected.has(id),
          'aria-label': `Select ${id}`,
          onchange: () => toggle(index),
        }),
      ),
      el('td', { class: 'state' }, statusOf(item)),
      el('td', {}, el('span', { class: `code ${item.severity}` }, item.code)),
      el('td', { class: 'n' }, `${money(item.atRisk)} ${item.currency ?? ''}`),
      el('td', { class: 'n' }, item.ageDays),
      el('td', {}, item.date),
      el('td', { class: 'mono' }, item.merchantAccountId),
      el('td', { class: 'message' }, item.message),
      el('td', {}, item.assignee),
    );
  };

  /** @param {number} index */
  const moveTo = (index) => {
    current = index;
    const rows = [...byId('rows').children];
    rows.forEach((each, at) => each.setAttribute('aria-current', at === index ? 'true' : 'false'));
    rows[index]?.scrollIntoView({ block: 'nearest' });
  };

  /** @param {number} index */
  const toggle = (index) => {
    const id = items[index]?.discrepancyId;
    if (id === undefined) return;
    if (!selected.delete(id)) selected.add(id);
    show();
    changed();
  };

  byId('more').addEventListener('click', () => void load(false));

  return {
    reload: () => load(true),
    state: () => state,
    current: () => items[current],
    selected: () => items.filter(({ discrepancyId }) => selected.has(discrepancyId)),
    clearSelection: () => {
      selected = new Set();
      show();
      changed();
    },
    toggleCurrent: () => toggle(current),
    /** @param {number} steps */
    move: async (steps) => {
      if (current + steps >= items.length && next !== null) await load(false);
      if (items.length > 0) moveTo(Math.min(Math.max(current + steps, 0), items.length - 1));
    },
    openCurrent: () => {
      const item = items[current];
      if (item !== undefined) open(item);
    },
  };
}

/** @param {ListedItem} item */
export function statusOf({ status, lapsed, pending, until }) {
  const words = status === 'WAITING' ? `waiting until ${until ?? ''}` : status.toLowerCase();
  const mark = lapsed ? ' · decision lapsed' : pending ? ' · to be approved' : '';
  return el(
    'span',
    { class: `status ${status.toLowerCase()}${lapsed || pending ? ' marked' : ''}` },
    words,
    mark,
  );
}

/**
 * The sums above the list.
 *
 * @param {{ count: number, money: { currency: string | null, missing: string, surplus: string }[] }} totals
 */
export function showTotals(totals) {
  fill(byId('totals'), [
    el('strong', {}, counted(totals.count)),
    ...moneyAtRisk(totals.money).map((sum) => el('span', { class: 'sum' }, sum)),
  ]);
}
