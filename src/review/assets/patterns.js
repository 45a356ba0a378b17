import { get } from './api.js';
import { byId, counted, el, fill, moneyAtRisk } from './dom.js';

/** @import { Pattern } from '../../items/patterns.js' */

/**
 * The patterns: more than 20 items of one cause, to look at or decide as one.
 *
 * @param {{ showItems: (pattern: string) => void, decide: (pattern: Pattern) => void, canDecide: () => boolean,
 *   failed: (thrown: unknown) => void }} page
 */
export function createPatterns({ showItems, decide, canDecide, failed }) {
  const section = byId('patterns');

  const load = async () => {
    try {
      /** @type {{ patterns: Pattern[], list: { hasMarks: boolean } }} */
      const { patterns, list } = await get('/api/patterns');
      fill(section, [
        patterns.length === 0
          ? el(
              'p',
              { class: 'muted' },
              list.hasMarks
                ? 'No pattern: no more than 20 open items have one cause.'
                : 'The patterns are still being counted.',
            )
          : table(patterns),
      ]);
    } catch (thrown) {
      failed(thrown);
    }
  };

  /** @param {Pattern[]} patterns */
  const table = (patterns) =>
    el(
      'table',
      {},
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          ...['Items', 'Code', 'Account', 'Expected', 'Actual', 'At risk'].map((title) =>
            el('th', { scope: 'col', class: title === 'Items' || title === 'At risk' ? 'n' : '' }, title),
          ),
          el('td'),
        ),
      ),
      el('tbody', {}, ...patterns.map(row)),
    );

  /** @param {Pattern} pattern */
  const row = (pattern) =>
    el(
      'tr',
      { 'data-pattern': pattern.patternId },
      el('td', { class: 'n' }, counted(pattern.count)),
      el('td', {}, el('span', { class: 'code' }, pattern.code)),
      el('td', { class: 'mono' }, pattern.merchantAccountId),
      el('td', {}, pattern.expected),
      el('td', {}, pattern.actual),
      el('td', { class: 'n' }, ...moneyAtRisk(pattern.money).map((sum) => el('div', {}, sum))),
      el(
        'td',
        {},
        el(
          'div',
          { class: 'actions' },
          el('button', { type: 'button', onclick: () => showItems(pattern.patternId) }, 'Show items'),
          canDecide() && el('button', { type: 'button', onclick: () => decide(pattern) }, 'Decide all'),
        ),
      ),
    );

  return { load };
}
