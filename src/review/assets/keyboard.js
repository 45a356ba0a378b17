import { byId, el, fill } from './dom.js';

/**
 * What the keys do. They work unless the cursor is in a field or a dialog is open.
 *
 * @typedef {{ keys: string[], does: string, run: () => void }} Shortcut
 */

/**
 * Keys whose name in the browser is not what is on the keyboard.
 *
 * @type {Record<string, string>}
 */
const keyNames = { ArrowDown: '↓', ArrowUp: '↑', Escape: 'Esc' };

/** @param {readonly Shortcut[]} shortcuts */
export function listenToKeys(shortcuts) {
  const dialog = /** @type {HTMLDialogElement} */ (byId('shortcuts'));
  const show = () => {
    fill(dialog, [
      el('h2', { id: 'shortcuts-title' }, 'Keyboard shortcuts'),
      el(
        'dl',
        { class: 'keys' },
        ...[...shortcuts, { keys: ['?'], does: 'show this list' }].flatMap(({ keys, does }) => [
          el(
            'dt',
            {},
            ...keys.flatMap((key, index) => [index > 0 && ' or ', el('kbd', {}, keyNames[key] ?? key)]),
          ),
          el('dd', {}, does),
        ]),
      ),
      el('form', { method: 'dialog' }, el('button', {}, 'Close')),
    ]);
    dialog.showModal();
  };
  byId('help').addEventListener('click', show);
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector('dialog[open]') !== null) return;
    const shortcut =
      event.key === '?' ? { run: show } : shortcuts.find(({ keys }) => keys.includes(event.key));
    if (shortcut === undefined) return;
    // A focused button or link takes Enter itself.
    if (event.key === 'Enter' && takesEnter(event.target)) return;
    event.preventDefault();
    shortcut.run();
  });
}

/** @param {EventTarget | null} target */
const takesEnter = (target) => target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement;

/**
 * Whether keys are letters for this element.
 *
 * @param {EventTarget | null} target
 */
export function isTyping(target) {
  if (target instanceof HTMLInputElement) {
    if (target.type === 'checkbox') return false;
    return true;
  }
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
