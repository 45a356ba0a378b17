import { post, Refusal } from './api.js';
import { byId, counted, el, fill, moneyAtRisk } from './dom.js';

/** @import { ListedItem } from '../../items/listed-item.js' */
/** @import { DecidedOnPage } from '../review-api.js' */

/** The dialog of a decision: its fields, a preview of what it would do to many items, and what the server says. */

/**
 * Each kind with its title, what it does, its fields, and what a notice shows afterwards.
 *
 * @type {Record<string, { title: string, does: string, fields: string[], done: string }>}
 */
export const kinds = {
  accept: {
    title: 'Accept',
    does: 'The discrepancy stands and is agreed to.',
    fields: ['reason!', 'note'],
    done: 'accepted',
  },
  wait: {
    title: 'Wait',
    does: 'It is open again on this day.',
    fields: ['until!', 'reason', 'note'],
    done: 'set to wait',
  },
  link: {
    title: 'Link',
    does: 'The record belongs to this payment.',
    fields: ['linkTo!', 'reason', 'note'],
    done: 'linked',
  },
  unlink: {
    title: 'Unlink',
    does: 'The record does not belong to the payment that it is matched to.',
    fields: ['reason', 'note'],
    done: 'unlinked',
  },
  supersede: {
    title: 'Supersede',
    does: 'The later record replaces the earlier one: only the later one counts.',
    fields: ['reason', 'note'],
    done: 'superseded',
  },
  'keep-both': {
    title: 'Keep both',
    does: 'Both records count.',
    fields: ['reason', 'note'],
    done: 'both records kept',
  },
  assign: {
    title: 'Assign',
    does: 'Who works on it; empty for nobody.',
    fields: ['assignee', 'note'],
    done: 'assignee changed',
  },
  note: { title: 'Note', does: 'A remark that everybody sees.', fields: ['note!'], done: 'note added' },
  approve: {
    title: 'Approve',
    does: 'You agree to the accept of another person.',
    fields: ['reason', 'note'],
    done: 'approved',
  },
  undo: {
    title: 'Undo',
    does: 'The latest decision is taken back.',
    fields: ['reason', 'note'],
    done: 'latest decision taken back',
  },
};

/** @type {Record<string, string>} */
const labels = {
  reason: 'Reason',
  note: 'Note',
  until: 'Until',
  linkTo: 'Payment',
  assignee: 'Assignee',
};

/**
 * What is decided about: items that were seen, or all of a filter.
 *
 * @typedef {{ items: ListedItem[] } | { filter: Record<string, string>, count: number }} Target
 */

/**
 * @param {{ done: (decided: DecidedOnPage) => void, conflict: () => void }} page
 */
export function createDecide({ done, conflict }) {
  const dialog = /** @type {HTMLDialogElement} */ (byId('decide'));

  /**
   * @param {string} kind
   * @param {Target} target
   */
  const open = (kind, target) => {
    const known = kinds[kind];
    if (known === undefined) return;
    const isMany = 'filter' in target || target.items.length > 1;
    const message = el('p', { class: 'problem', role: 'alert', hidden: true });
    const preview = el('div', { class: 'preview', 'aria-live': 'polite' });
    const submit = el('button', { type: 'submit', class: 'primary' }, isMany ? 'Preview' : known.title);
    /** @type {string | null} What the preview was about; null until there is one. */
    let basis = null;
    const showNoPreview = () => {
      basis = null;
      fill(preview, []);
      if (isMany) submit.textContent = 'Preview';
    };
    const form = el(
      'form',
      {
        method: 'dialog',
        oninput: () => {
          showNoPreview();
          submit.disabled = false;
        },
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          void send();
        },
      },
      el('h2', { id: 'decide-title' }, known.title),
      el('p', { class: 'muted' }, known.does),
      el('p', {}, describe(target)),
      ...known.fields.map((name) => field(name, target)),
      preview,
      message,
      el(
        'p',
        { class: 'actions' },
        submit,
        el('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel'),
      ),
    );

    const send = async () => {
      const dryRun = isMany && basis === null;
      const values = Object.fromEntries(
        [...new FormData(form)].map(([name, value]) => [name, String(value)]),
      );
      submit.disabled = true;
      message.hidden = true;
      try {
        /** @type {DecidedOnPage} */
        const decided = await post('/api/decide', { kind, ...values, dryRun, target: sent(target, basis) });
        if (dryRun) {
          basis = decided.basis;
          fill(preview, [summary(decided)]);
          submit.textContent = `${known.title}: ${counted(decided.items)}`;
          submit.disabled = decided.items === 0;
          return;
        }
        // Who left the dialog may have opened another one.
        if (form.isConnected) dialog.close();
        done(decided);
      } catch (thrown) {
        fill(message, problem(thrown));
        message.hidden = false;
        const isConflict = thrown instanceof Refusal && thrown.code === 'DECISION_CONFLICT';
        // The items that were seen have changed, so the same decision would be refused again; of a filter, a new
        // preview shows what it has now.
        submit.disabled = isConflict && 'items' in target;
        if (!isConflict) return;
        showNoPreview();
        conflict();
      }
    };

    fill(dialog, [form]);
    dialog.showModal();
    const first = form.querySelector('input, textarea');
    if (first instanceof HTMLElement) first.focus();
  };

  return { open };
}

/**
 * @param {Target} target
 * @param {string | null} basis
 */
function sent(target, basis) {
  return 'filter' in target
    ? { filter: target.filter, basis }
    : { seen: target.items.map((item) => ({ id: item.discrepancyId, basis: item.basis })) };
}

/** @param {Target} target */
function describe(target) {
  if ('filter' in target) return `All ${counted(target.count)} of the filter.`;
  const [only] = target.items;
  return target.items.length === 1 && only !== undefined
    ? only.message
    : `${counted(target.items.length)} selected.`;
}

/**
 * @param {string} name with `!` where it is required
 * @param {Target} target
 */
function field(name, target) {
  const isRequired = name.endsWith('!');
  const plain = name.replace('!', '');
  const label = `${labels[plain] ?? plain}${isRequired ? '' : ' (optional)'}`;
  const attributes = { name: plain, required: isRequired, autocomplete: 'off' };
  if (plain === 'note')
    return el('label', {}, label, el('textarea', { ...attributes, rows: 2, maxlength: 2000 }));
  const suggested = 'items' in target && target.items.length === 1 ? target.items[0]?.suggestedLink : null;
  return el(
    'label',
    {},
    plain === 'assignee' ? labels['assignee'] : label,
    el('input', {
      ...attributes,
      type: plain === 'until' ? 'date' : 'text',
      maxlength: 2000,
      value: plain === 'linkTo' ? (suggested ?? '') : '',
    }),
  );
}

/** @param {DecidedOnPage} decided */
function summary({ items, atRisk, pending, remarks }) {
  const sums = moneyAtRisk(atRisk).join(', ');
  return el(
    'p',
    {},
    el('strong', {}, items === 0 ? 'This would decide nothing' : `This decides ${counted(items)}`),
    sums === '' ? '' : `, ${sums}`,
    pending === 0 ? '.' : '. Some need a second person to approve them.',
    ...remarks.map((remark) => ` ${remark}`),
  );
}

/** @param {unknown} thrown */
export function problem(thrown) {
  if (!(thrown instanceof Refusal)) return [`The page failed: ${String(thrown)}`];
  return [
    ...thrown.message.split('\n').flatMap((line, index) => [index > 0 && el('br'), line]),
    thrown.advice !== '' && el('span', { class: 'muted' }, ` ${thrown.advice}`),
  ];
}
