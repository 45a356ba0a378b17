import { get } from './api.js';
import { byId, counted, el, fill, moneyAtRisk, wordsOf } from './dom.js';

/** @import { Pattern } from '../../items/patterns.js' */

const columns = /** @type {const} */ (['Items', 'Code', 'Account', 'Expected', 'Actual', 'At risk']);

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
                ? 'No pattern: no more than 20 open items have the same code, merchant account and values.'
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
          ...columns.map((title) =>
            el('th', { scope: 'col', class: title === 'Items' || title === 'At risk' ? 'n' : '' }, title),
          ),
          el('td'),
        ),
      ),
      el('tbody', {}, ...patterns.map(row)),
    );

  /**
   * A cell that carries the name of its column: a phone shows the name before the value.
   *
   * @param {(typeof columns)[number]} column
   * @param {string} kind
   * @param {import('./dom.js').Child[]} content
   */
  const cell = (column, kind, ...content) => el('td', { class: kind, 'data-label': column }, ...content);

  /** @param {Pattern} pattern */
  const row = (pattern) =>
    el(
      'tr',
      { 'data-pattern': pattern.patternId },
      cell('Items', 'n', counted(pattern.count)),
      cell('Code', '', el('span', { class: 'code' }, ...wordsOf(pattern.code))),
      cell('Account', 'mono', pattern.merchantAccountId),
      cell('Expected', '', pattern.expected),
      cell('Actual', '', pattern.actual),
      cell('At risk', 'n', ...moneyAtRisk(pattern.money).map((sum) => el('div', {}, sum))),
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
