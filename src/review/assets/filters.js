import { byId, counted, el, fill } from './dom.js';

/**
 * The form of filters and the order of the list, kept in the address of the page, so that reloading shows the same and
 * Back returns to what was shown before.
 */

const names = ['text', 'status', 'severity', 'code', 'account', 'currency', 'assignee', 'pattern'];
/** The list is searched this long after the last key. */
const typingMs = 250;
const nobody = '(nobody)';

/** What the server can sort by, and the order without a word in the address. */
const sorts = ['status', 'code', 'atRisk', 'age', 'date', 'account'];
const usualOrder = { sort: 'atRisk', direction: 'desc' };

/** @param {() => void} changed */
export function createFilters(changed) {
  const form = /** @type {HTMLFormElement} */ (byId('filters'));
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let typing;
  const field = (/** @type {string} */ name) =>
    /** @type {HTMLInputElement | HTMLSelectElement} */ (form.elements.namedItem(name));
  /** The field that was typed into last: its letters are one step for Back. */
  let typedInto = '';
  let order = usualOrder;
  const address = () => {
    const isUsual = order.sort === usualOrder.sort && order.direction === usualOrder.direction;
    const query = new URLSearchParams({ ...values(), ...(isUsual ? {} : order) }).toString();
    return query === '' ? '/' : `/?${query}`;
  };
  const apply = (/** @type {string} */ typed = '') => {
    clearTimeout(typing);
    byId('pattern-filter').hidden = field('pattern').value === '';
    const next = address();
    if (typed !== '' && typed === typedInto) history.replaceState(null, '', next);
    else if (next !== location.pathname + location.search) history.pushState(null, '', next);
    typedInto = typed;
    changed();
  };

  const readOrder = () => {
    const query = new URLSearchParams(location.search);
    const sort = query.get('sort') ?? '';
    order = sorts.includes(sort)
      ? { sort, direction: query.get('direction') === 'asc' ? 'asc' : 'desc' }
      : usualOrder;
  };

  /** Sets the fields that the address names, and empties the others. */
  const readAddress = () => {
    readOrder();
    const query = new URLSearchParams(location.search);
    for (const name of names) {
      const value = query.get(name);
      field(name).value = name === 'assignee' && value === '' ? nobody : (value ?? '');
    }
    byId('pattern-filter').hidden = field('pattern').value === '';
    typedInto = '';
  };

  /** The filters as the server takes them, without those that restrict nothing. */
  const values = () => {
    /** @type {Record<string, string>} */
    const given = {};
    for (const name of names) {
      const value = field(name).value.trim();
      if (value !== '') given[name] = value === nobody ? '' : value;
    }
    return given;
  };

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    apply();
  });
  form.addEventListener('input', ({ target }) => {
    clearTimeout(typing);
    const typed = target === field('text') ? 'text' : '';
    typing = setTimeout(() => apply(typed), typingMs);
  });
  form.addEventListener('reset', () => {
    field('pattern').value = '';
    setTimeout(() => apply());
  });
  addEventListener('popstate', () => {
    readAddress();
    changed();
  });
  readOrder();

  return {
    values,
    order: () => order,
    /**
     * Sorts by a column, or turns the order around if it is sorted by it already.
     *
     * @param {string} sort
     */
    sortBy: (sort) => {
      const turned = order.direction === 'desc' ? 'asc' : 'desc';
      order = { sort, direction: order.sort === sort ? turned : 'desc' };
      apply();
    },
    focus: () => field('text').focus(),
    /** @param {string} pattern */
    showPattern: (pattern) => {
      form.reset();
      field('pattern').value = pattern;
      // After the reset has taken place.
      setTimeout(() => {
        field('pattern').value = pattern;
        apply();
      });
    },
    /**
     * Offers the values that items have, and sets what the address says.
     *
     * @param {Readonly<Record<'code' | 'account' | 'currency' | 'assignee', readonly { value: string, count: number
     * }[]>>} facets
     */
    offer: (facets) => {
      const query = new URLSearchParams(location.search);
      for (const name of /** @type {const} */ (['code', 'account', 'currency', 'assignee'])) {
        const chosen = field(name).value || query.get(name) || '';
        const known = facets[name].some(({ value }) => value === chosen);
        fill(field(name), [
          el('option', { value: '' }, 'all'),
          name === 'assignee' && el('option', { value: nobody }, nobody),
          ...facets[name].map(({ value, count }) =>
            el(
              'option',
              { value },
              name === 'assignee' ? value : `${value} (${counted(count).split(' ')[0]})`,
            ),
          ),
          !known && chosen !== '' && chosen !== nobody && el('option', { value: chosen }, chosen),
        ]);
        field(name).value = chosen;
        if (query.has(name) && query.get(name) === '') field(name).value = nobody;
      }
      for (const name of ['text', 'status', 'severity', 'pattern']) {
        if (field(name).value === '') field(name).value = query.get(name) ?? '';
      }
      byId('pattern-filter').hidden = field('pattern').value === '';
    },
  };
}
