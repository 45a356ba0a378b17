import { get, Refusal } from './api.js';
import { byId, counted, el, fill, itemAtRisk, moneyAtRisk, wordsOf } from './dom.js';

/** @import { ListedItem } from '../../items/listed-item.js' */
/** @import { ListedPage } from '../review-api.js' */

/** The table of items: pages of it, the row that is current, and the rows that are selected. */

/** The columns: what they show, the class of their cells, and what the server can sort them by. */
const columns = /** @type {const} */ ([
  { title: 'State', kind: 'state', sort: 'status' },
  { title: 'Code', kind: 'item-code', sort: 'code' },
  { title: 'At risk', kind: 'risk n', sort: 'atRisk' },
  { title: 'Age', kind: 'age n', sort: 'age' },
  { title: 'Date', kind: 'date', sort: 'date' },
  { title: 'Account', kind: 'account', sort: 'account' },
  { title: 'What is wrong', kind: 'message' },
  { title: 'Assignee', kind: 'assignee' },
]);

/** What the server sends at a time, and at most. */
const pageRows = 50;
const mostRows = 200;

/**
 * @param {{
 *   filter: () => Record<string, string>,
 *   order: () => { sort: string, direction: string },
 *   sortBy: (sort: string) => void,
 *   open: (item: ListedItem) => void,
 *   changed: () => void,
 *   failed: (thrown: unknown) => void,
 * }} page
 */
export function createList({ filter, order, sortBy, open, changed, failed }) {
  /** @type {ListedItem[]} */
  let items = [];
  /** @type {Set<string>} */
  let selected = new Set();
  /** @type {string | null} */
  let next = null;
  let current = -1;
  /** Where the current item was that left the list: the item that is there now is the next one. Null if none did. */
  let gap = /** @type {number | null} */ (null);
  /** @type {AbortController} */
  let loading = new AbortController();
  /** @type {ListedPage['list']} */
  let state = { isRenewed: false, hasMarks: true };

  /**
   * @param {'first' | 'again' | 'more'} what the first page of a list; the same list as it is now, as far as it was
   *   shown; or the next page
   */
  const load = async (what) => {
    loading.abort();
    loading = new AbortController();
    const after = what === 'more' && next !== null ? { after: next } : {};
    const limit =
      what === 'again' ? { limit: String(Math.min(Math.max(items.length, pageRows), mostRows)) } : {};
    try {
      /** @type {ListedPage} */
      const page = await get('/api/items', { ...filter(), ...order(), ...after, ...limit }, loading.signal);
      const former = items;
      items = what === 'more' ? [...items, ...page.items] : [...page.items];
      next = page.next;
      state = page.list;
      if (what !== 'more') {
        const places = new Map(items.map(({ discrepancyId }, index) => [discrepancyId, index]));
        selected = new Set([...selected].filter((id) => places.has(id)));
        const place = (/** @type {ListedItem | undefined} */ item) => places.get(item?.discrepancyId ?? '');
        const from = current === -1 ? gap : current;
        current = place(former[current]) ?? -1;
        const following = from === null ? [] : former.slice(from).map(place);
        gap =
          current !== -1 || from === null || what === 'first'
            ? null
            : (following.find((at) => at !== undefined) ?? items.length);
      }
      show();
      changed();
    } catch (thrown) {
      if (thrown instanceof Refusal || !(thrown instanceof DOMException)) failed(thrown);
    }
  };

  const show = () => {
    fill(byId('rows'), items.map(row));
    markOrder();
    markSelected();
    byId('more').hidden = next === null;
    const empty = byId('empty');
    empty.hidden = items.length > 0;
    empty.textContent = Object.keys(filter()).length > 0 ? 'No item fits the filter.' : 'Nothing is open.';
  };

  const all = el('input', {
    type: 'checkbox',
    'aria-label': 'Select all that are shown',
    onchange: () => {
      selected = new Set(all.checked ? items.map(({ discrepancyId }) => discrepancyId) : []);
      markSelected();
      changed();
    },
  });
  const headings = columns.map((column) =>
    el(
      'th',
      { scope: 'col', class: column.kind },
      'sort' in column
        ? el('button', { type: 'button', onclick: () => sortBy(column.sort) }, column.title)
        : column.title,
    ),
  );
  // Made once: what has the focus keeps it when the list is sorted or selected.
  fill(byId('head'), [el('tr', {}, el('th', { scope: 'col', class: 'check' }, all), ...headings)]);

  const markOrder = () => {
    const { sort, direction } = order();
    for (const [at, column] of columns.entries()) {
      const isSorted = 'sort' in column && column.sort === sort;
      const sorted = isSorted ? (direction === 'desc' ? 'descending' : 'ascending') : 'none';
      headings[at]?.setAttribute('aria-sort', sorted);
    }
  };

  const markSelected = () => {
    for (const [at, each] of [...byId('rows').children].entries()) {
      const isSelected = selected.has(items[at]?.discrepancyId ?? '');
      each.setAttribute('aria-selected', String(isSelected));
      const box = each.querySelector('input');
      if (box !== null) box.checked = isSelected;
    }
    all.checked = items.length > 0 && selected.size === items.length;
    all.indeterminate = selected.size > 0 && !all.checked;
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
          'aria-label': `Select ${id}`,
          onchange: () => toggle(index),
          // Whoever comes here by Tab opens and decides this item, and not the one that was current before.
          onfocus: (/** @type {Event & { currentTarget: HTMLElement }} */ { currentTarget }) => {
            if (currentTarget.matches(':focus-visible')) moveTo(index);
          },
        }),
      ),
      el('td', { class: 'state' }, statusOf(item)),
      el(
        'td',
        { class: 'item-code' },
        el('span', { class: `code ${item.severity}` }, severityUnseen(item), ...wordsOf(item.code)),
      ),
      el('td', { class: 'risk n' }, itemAtRisk(item)),
      el('td', { class: 'age n' }, item.ageDays),
      el('td', { class: 'date' }, item.date),
      el('td', { class: 'account mono' }, item.merchantAccountId),
      el('td', { class: 'message' }, item.message),
      el('td', { class: 'assignee' }, item.assignee),
    );
  };

  /** @param {number} index */
  const moveTo = (index) => {
    current = index;
    gap = null;
    const rows = [...byId('rows').children];
    rows.forEach((each, at) => each.setAttribute('aria-current', at === index ? 'true' : 'false'));
    rows[index]?.scrollIntoView({ block: 'nearest' });
  };

  /** @param {number} index */
  const toggle = (index) => {
    const id = items[index]?.discrepancyId;
    if (id === undefined) return;
    if (!selected.delete(id)) selected.add(id);
    markSelected();
    changed();
  };

  byId('more').addEventListener('click', () => void load('more'));

  return {
    /** The first page: other filters, or another order. */
    reload: () => load('first'),
    /** What is shown, as it is now. */
    refresh: () => load('again'),
    state: () => state,
    current: () => items[current],
    selected: () => items.filter(({ discrepancyId }) => selected.has(discrepancyId)),
    clearSelection: () => {
      selected = new Set();
      markSelected();
      changed();
    },
    toggleCurrent: () => toggle(current),
    /** @param {number} steps */
    move: async (steps) => {
      // A gap is before the item that is there now.
      const to = gap === null ? current + steps : steps > 0 ? gap + steps - 1 : gap + steps;
      if (to >= items.length && next !== null) await load('more');
      if (items.length > 0) moveTo(Math.min(Math.max(to, 0), items.length - 1));
    },
    openCurrent: () => {
      const item = items[current];
      if (item !== undefined) open(item);
    },
  };
}

/**
 * The severity for those who cannot see the mark before the code.
 *
 * @param {ListedItem} item
 */
const severityUnseen = ({ severity }) => el('span', { class: 'unseen' }, `${severity} `);

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
