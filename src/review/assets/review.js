import { get } from './api.js';
import { createDecide, kinds, problem } from './decide.js';
import { createDetail, isOwnAccept, kindsFor } from './detail.js';
import { byId, counted, el, fill } from './dom.js';
import { createFilters } from './filters.js';
import { listenToKeys } from './keyboard.js';
import { createList, showTotals } from './list.js';
import { createPatterns } from './patterns.js';

/** @import { ListedPage, Overview } from '../review-api.js' */
/** @import { ListedItem } from '../../items/listed-item.js' */

/** Starts the page and connects its parts. */

/** How often the server is asked whether it has read the items again. */
const renewedMs = 2_000;

/** @type {Overview | null} */
let overview = null;
let count = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let renewing;
const author = () => overview?.author ?? null;
const canDecide = () => author() !== null;

/** @param {unknown} thrown */
const failed = (thrown) => notice(problem(thrown), 'problem');

/**
 * @param {import('./dom.js').Child[]} content
 * @param {string} [kind]
 */
function notice(content, kind = '') {
  const line = byId('notice');
  line.className = kind;
  fill(line, content);
}

const filters = createFilters(() => void reload());
const list = createList({
  filter: filters.values,
  order: filters.order,
  sortBy: filters.sortBy,
  open: (item) => void detail.open(item.discrepancyId, item),
  changed: () => {
    showBulk();
    watchRenewal();
  },
  failed,
});
const detail = createDetail({
  decide: (kind, item) => decideDialog.open(kind, { items: [item] }),
  openId: (id) => void detail.open(id),
  showPattern: (pattern) => showPattern(pattern),
  failed,
  author,
});
const decideDialog = createDecide({
  done: ({ items, rerun, author, decisions, pending, remarks }) => {
    list.clearSelection();
    const kind = decisions[0]?.kind ?? '';
    const later =
      rerun === null
        ? ''
        : ` Matching changes with the next run, or with recon rerun --from ${rerun.from} --to ${rerun.to}.`;
    const approval =
      pending === 0 ? '' : ` A second person has to approve ${items === 1 ? 'it' : `${pending} of them`}.`;
    const rest = remarks.map((remark) => ` ${remark}`).join('');
    notice(
      [`${counted(items)}: ${kinds[kind]?.done ?? kind} by ${author}.${approval}${later}${rest}`],
      'good',
    );
    void refresh();
  },
  // Somebody else was first: the dialog names who, and behind it the page shows what they decided.
  conflict: () => void refresh(),
});
const patterns = createPatterns({
  showItems: (pattern) => showPattern(pattern),
  decide: (pattern) => chooseKind({ filter: { pattern: pattern.patternId }, count: pattern.count }),
  canDecide,
  failed,
});

/**
 * Loads the list and its sums; the rows do not wait for the sums.
 *
 * @param {() => Promise<void>} load
 */
async function reload(load = list.reload) {
  const sums = get('/api/totals', filters.values()).then((totals) => {
    count = totals.count;
    showTotals(totals);
    showBulk();
  });
  await Promise.all([load(), sums.catch(failed)]);
}

/** What can be chosen in filters: a decision may have brought a new assignee, or accepted the last item of a code. */
async function loadFacets() {
  /** @type {Overview} */
  const found = await get('/api/overview');
  overview = found;
  filters.offer(found.facets);
}

async function refresh() {
  await Promise.all([reload(list.refresh), detail.reload(), patterns.load(), loadFacets().catch(failed)]);
}

/** While the server reads the items again, asks it from time to time whether it is done, and then shows them. */
function watchRenewal() {
  clearTimeout(renewing);
  const { isRenewed, hasMarks } = list.state();
  byId('renewing').hidden = !isRenewed || !hasMarks;
  if (!isRenewed) return;
  const check = async () => {
    /** @type {ListedPage} */
    const { list: now } = await get('/api/items', { limit: '1' });
    if (now.isRenewed) renewing = setTimeout(() => void check().catch(failed), renewedMs);
    else if (hasMarks) await refresh();
    else await Promise.all([patterns.load(), loadFacets()]);
  };
  renewing = setTimeout(() => void check().catch(failed), renewedMs);
}

/** @param {string} pattern */
function showPattern(pattern) {
  show('items');
  filters.showPattern(pattern);
}

/** @param {'items' | 'patterns'} view */
function show(view) {
  const isItems = view === 'items';
  byId('items').hidden = !isItems;
  byId('filters').hidden = !isItems;
  byId('totals').hidden = !isItems;
  byId('patterns').hidden = isItems;
  byId('skip').setAttribute('href', `#${view}`);
  byId('skip').textContent = `Skip to the ${view}`;
  byId('view-items').setAttribute('aria-pressed', String(isItems));
  byId('view-patterns').setAttribute('aria-pressed', String(!isItems));
  if (!isItems) {
    detail.close();
    void patterns.load();
  }
  showBulk();
}

/** What can be decided about several items at once. */
const bulkKinds = ['accept', 'wait', 'assign', 'note', 'approve', 'undo'];

function showBulk() {
  const bar = byId('bulk');
  const selected = list.selected();
  const filter = filters.values();
  const isFiltered = Object.keys(filter).length > 0;
  bar.hidden =
    !canDecide() || byId('items').hidden || (selected.length === 0 && (!isFiltered || count === 0));
  fill(bar, [
    selected.length > 0 && el('strong', {}, `${counted(selected.length)} selected`),
    ...(selected.length > 0
      ? [
          ...kindButtons((kind) => decideDialog.open(kind, { items: selected })),
          el('button', { type: 'button', class: 'link', onclick: list.clearSelection }, 'Select none'),
        ]
      : [
          el(
            'button',
            { type: 'button', id: 'decide-filter', onclick: () => chooseKind({ filter, count }) },
            `Decide all ${counted(count)} of this filter`,
          ),
        ]),
  ]);
}

/** @param {(kind: string) => void} run */
function kindButtons(run) {
  return bulkKinds.map((kind) =>
    el('button', { type: 'button', 'data-kind': kind, onclick: () => run(kind) }, kinds[kind]?.title),
  );
}

/** @param {{ filter: Record<string, string>, count: number }} target */
function chooseKind(target) {
  const dialog = /** @type {HTMLDialogElement} */ (byId('decide'));
  fill(dialog, [
    el('h2', { id: 'decide-title' }, `Decide all ${counted(target.count)}`),
    el('p', { class: 'muted' }, 'A preview shows what would be decided before anything is stored.'),
    el(
      'p',
      { class: 'actions' },
      ...kindButtons((kind) => {
        dialog.close();
        decideDialog.open(kind, target);
      }),
    ),
    el('p', {}, el('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel')),
  ]);
  dialog.showModal();
}

/** @param {string} kind */
function decideCurrent(kind) {
  if (!canDecide()) return;
  const selected = list.selected();
  const item = detail.shown() ?? list.current();
  if (selected.length > 0) decideDialog.open(kind, { items: selected });
  else if (item !== undefined && item !== null) {
    if (kind === 'approve' && isOwnAccept(item, author()))
      notice(['Approve: you accepted it, so another person has to approve it.']);
    else if (kindsFor(item, null, author()).some(([offered]) => offered === kind))
      decideDialog.open(kind, { items: [item] });
    else notice([`${kinds[kind]?.title}: not possible for this item.`]);
  }
}

/**
 * An open item is the one that the keys decide about, so it moves too.
 *
 * @param {number} steps
 */
async function move(steps) {
  await list.move(steps);
  if (detail.shown() !== null) list.openCurrent();
}

listenToKeys([
  { keys: ['j', 'ArrowDown'], does: 'next item', run: () => void move(1) },
  { keys: ['k', 'ArrowUp'], does: 'previous item', run: () => void move(-1) },
  { keys: ['Enter', 'o'], does: 'open the item', run: () => list.openCurrent() },
  { keys: ['Escape'], does: 'close the item', run: () => detail.close() },
  { keys: ['x'], does: 'select the item', run: () => list.toggleCurrent() },
  { keys: ['/'], does: 'search', run: () => filters.focus() },
  { keys: ['a'], does: 'accept', run: () => decideCurrent('accept') },
  { keys: ['w'], does: 'wait until a day', run: () => decideCurrent('wait') },
  { keys: ['l'], does: 'link to a payment', run: () => decideCurrent('link') },
  { keys: ['s'], does: 'assign', run: () => decideCurrent('assign') },
  { keys: ['n'], does: 'note', run: () => decideCurrent('note') },
  { keys: ['y'], does: 'approve', run: () => decideCurrent('approve') },
  { keys: ['u'], does: 'undo the latest decision', run: () => decideCurrent('undo') },
  { keys: ['i'], does: 'show the items', run: () => show('items') },
  { keys: ['p'], does: 'show the patterns', run: () => show('patterns') },
  { keys: ['r'], does: 'reload everything', run: () => void refresh() },
]);
byId('view-items').addEventListener('click', () => show('items'));
byId('view-patterns').addEventListener('click', () => show('patterns'));

/** What the address says of the filters is known before the values that they offer. */
async function start() {
  filters.offer({ code: [], account: [], currency: [], assignee: [] });
  const facets = loadFacets().then(() => {
    if (overview === null) return;
    const who = overview.author === null ? 'read only' : `decisions by ${overview.author}`;
    byId('who').textContent = `as of ${overview.asOf} · ${who}`;
    showBulk();
  });
  await Promise.all([reload(), facets.catch(failed)]);
}

void start();
