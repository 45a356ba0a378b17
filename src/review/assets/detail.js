import { get } from './api.js';
import { byId, counted, el, fill, itemAtRisk, money } from './dom.js';
import { isTyping } from './keyboard.js';
import { statusOf } from './list.js';

/** @import { ListedItem } from '../../items/listed-item.js' */
/** @import { HistoryEntry } from '../../items/item-history.js' */
/** @import { ItemDetail } from '../review-api.js' */

/** The item that is open: what it is, what to do, what was decided, and why the program found it. */

/**
 * @param {{
 *   decide: (kind: string, item: ListedItem) => void,
 *   openId: (id: string) => void,
 *   showPattern: (pattern: string) => void,
 *   failed: (thrown: unknown) => void,
 *   author: () => string | null,
 * }} page
 */
export function createDetail({ decide, openId, showPattern, failed, author }) {
  const panel = byId('detail');
  /** @type {ListedItem | null} */
  let shown = null;
  /** Counts what was opened and closed, so that a late answer shows nothing. */
  let opened = 0;

  /**
   * @param {string} id
   * @param {ListedItem} [listed] the row, which knows pattern and suggested link
   * @param {() => boolean} [takesFocus] whether Tab goes on from the item; asked once it is read
   */
  const open = async (id, listed = undefined, takesFocus = isNobodyTyping) => {
    opened += 1;
    const mine = opened;
    // A key that decides before the answer is there decides about the item that was moved to.
    if (shown !== null && listed !== undefined) shown = listed;
    try {
      /** @type {ItemDetail} */
      const { item, history, explanation } = await get(`/api/items/${id}`);
      if (mine !== opened) return;
      shown = { ...item, suggestedLink: listed?.suggestedLink ?? null, pattern: listed?.pattern ?? null };
      const focuses = takesFocus();
      show(shown, [...history], explanation);
      if (focuses) panel.focus({ preventScroll: true });
    } catch (thrown) {
      failed(thrown);
    }
  };

  /**
   * @param {ListedItem} item
   * @param {HistoryEntry[]} history
   * @param {string} explanation
   */
  const show = (item, history, explanation) => {
    const button = (/** @type {string} */ kind, /** @type {string} */ label) =>
      el('button', { type: 'button', 'data-kind': kind, onclick: () => decide(kind, item) }, label);
    fill(panel, [
      el('button', { type: 'button', class: 'close', 'aria-label': 'Close', onclick: close }, '×'),
      el(
        'h2',
        {},
        el('span', { class: `code ${item.severity}` }, item.code),
        ' ',
        el('span', { class: 'severity' }, item.severity),
        ' ',
        statusOf(item),
      ),
      el('p', { class: 'message' }, item.message),
      el('p', { class: 'muted' }, item.whatToDo),
      author() !== null &&
        el(
          'p',
          { class: 'actions' },
          ...kindsFor(item, history, author()).map(([kind, label]) => button(kind, label)),
        ),
      el('dl', { class: 'facts' }, ...facts(item)),
      el('h3', {}, 'Decisions'),
      history.length === 0
        ? el('p', { class: 'muted' }, 'No decisions yet.')
        : el('ol', { class: 'history', reversed: true }, ...history.map(entry)),
      el('h3', {}, 'Explanation'),
      el('pre', { tabindex: 0 }, explanation),
    ]);
    panel.hidden = false;
    document.body.classList.add('with-detail');
  };

  /** @param {ListedItem} item */
  const facts = (item) => {
    const rows = /** @type {[string, import('./dom.js').Child][]} */ ([
      ['Amount', item.amount === null ? null : `${money(item.amount)} ${item.currency ?? ''}`],
      ['At risk', itemAtRisk(item)],
      ['Expected', withCurrency(item.expected, item)],
      ['Actual', withCurrency(item.actual, item)],
      ['Date', item.date],
      ['Since', item.since === null ? null : `${item.since}, ${counted(item.ageDays ?? 0, 'day')}`],
      ['Account', item.merchantAccountId],
      ['Institute', item.clearingInstitute],
      ['Settlement id', item.settlementTxId],
      ['Payment', item.paymentId],
      ['Order', item.merchantTransactionId],
      ['Record', item.file === null ? null : `${item.file}:${item.line ?? ''}`],
      ['Assignee', item.assignee],
      ['Item', el('span', { class: 'mono' }, item.discrepancyId)],
      [
        'Suggested link',
        item.suggestedLink === null
          ? null
          : link(item.suggestedLink.slice(0, 12), () => openId(item.suggestedLink ?? '')),
      ],
      ['Pattern', item.pattern === null ? null : link(item.pattern, () => showPattern(item.pattern ?? ''))],
    ]);
    return rows
      .filter(([, value]) => value !== null && value !== '')
      .flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]);
  };

  const holdsFocus = () => panel.contains(document.activeElement);

  const close = () => {
    opened += 1;
    shown = null;
    if (holdsFocus()) byId('items').focus({ preventScroll: true });
    panel.hidden = true;
    document.body.classList.remove('with-detail');
  };

  return {
    open,
    close,
    shown: () => shown,
    reload: () => (shown === null ? Promise.resolve() : open(shown.discrepancyId, shown, holdsFocus)),
  };
}

/**
 * What was compared: an amount without a currency is in that of the item.
 *
 * @param {string | null} compared
 * @param {ListedItem} item
 */
const withCurrency = (compared, { currency }) =>
  compared !== null && /^-?\d+\.\d\d$/.test(compared) ? `${money(compared)} ${currency ?? ''}` : compared;

const isNobodyTyping = () =>
  !isTyping(document.activeElement) && document.querySelector('dialog[open]') === null;

/**
 * @param {string} label
 * @param {() => void} run
 */
function link(label, run) {
  return el('button', { type: 'button', class: 'link', onclick: run }, label);
}

/**
 * What the page offers to decide. The server decides what is possible; this leaves out what never is.
 *
 * @param {ListedItem} item
 * @param {readonly HistoryEntry[] | null} history null while it is not known
 * @param {string | null} author who would decide
 * @returns {[string, string][]}
 */
export function kindsFor(item, history, author) {
  const isOpen = item.status !== 'RESOLVED';
  const canUndo =
    history === null || history.some(({ kind, undoneBy }) => kind !== 'undo' && undoneBy === null);
  return /** @type {[string, string, boolean][]} */ ([
    ['approve', 'Approve', item.pending && !isOwnAccept(item, author)],
    ['accept', 'Accept', isOpen && !item.pending],
    ['wait', 'Wait', isOpen],
    ['link', 'Link', ['NOT_MATCHED', 'MULTIPLE_MATCHES'].includes(item.code)],
    ['unlink', 'Unlink', item.file !== null && item.paymentId !== null],
    ['supersede', 'Supersede', item.code === 'RECORD_REDELIVERED'],
    ['keep-both', 'Keep both', item.code === 'RECORD_REDELIVERED'],
    ['assign', 'Assign', isOpen],
    ['note', 'Note', true],
    ['undo', 'Undo', canUndo],
  ])
    .filter(([, , isOffered]) => isOffered)
    .map(([kind, label]) => [kind, label]);
}

/**
 * Whether the person made the accept that waits for another one. The server compares names in the same way.
 *
 * @param {ListedItem} item
 * @param {string | null} author
 */
export function isOwnAccept({ pending, decidedBy }, author) {
  return pending && decidedBy !== null && author !== null && folded(decidedBy) === folded(author);
}

/** @param {string} name */
const folded = (name) => name.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();

/** @param {HistoryEntry} entry */
function entry({
  kind,
  until,
  linkTo,
  assignee,
  reason,
  note,
  author,
  decidedAt,
  decidedAtInZone,
  undoneBy,
  originName,
  needsApproval,
}) {
  const what = [
    kind,
    until !== null && `until ${until}`,
    linkTo !== null && `payment ${linkTo}`,
    kind === 'assign' && `to ${assignee === '' || assignee === null ? 'nobody' : assignee}`,
  ].filter(Boolean);
  return el(
    'li',
    { class: undoneBy === null ? '' : 'undone' },
    el('strong', {}, what.join(' ')),
    ` by ${author}, `,
    el('time', { datetime: decidedAt }, decidedAtInZone),
    needsApproval && el('span', { class: 'muted' }, ' (needs a second person)'),
    undoneBy !== null && el('span', { class: 'muted' }, ` (taken back by ${undoneBy})`),
    reason !== null && el('p', {}, `Reason: ${reason}`),
    note !== null && el('p', {}, `Note: ${note}`),
    originName !== null && el('p', { class: 'muted' }, `With ${originName}`),
  );
}
