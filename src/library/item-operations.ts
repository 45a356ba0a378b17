import type { ReconConfig } from '../config/recon-config.js';
import type { Sql } from '../db/client.js';
import { decide } from '../items/decide.js';
import { decideSheet } from '../items/decide-sheet.js';
import type { Deciding } from '../items/decision-request.js';
import { itemSheet } from '../items/read-sheet.js';
import { listItems, type ItemFilter } from '../items/list-items.js';
import { listedItem } from '../items/listed-item.js';
import { listPatterns } from '../items/patterns.js';
import { readTable } from '../spreadsheet/read-table.js';
import { dateInZone, type CalendarDate } from '../values/calendar-date.js';
import type { DecideOptions, ItemsFilter, Recon } from './recon.js';

/** No list is longer. */
const everything = 2_147_483_647;

interface ItemSurroundings {
  readonly sql: Sql;
  readonly config: ReconConfig;
  readonly clock: () => number;
  /** A day that the caller gave, checked; null when it gave none. */
  readonly dateOf: (name: string, text: string | undefined) => CalendarDate | null;
}

/** The operations about open items, without the guard of an open recon. */
export function itemOperations({
  sql,
  config,
  clock,
  dateOf,
}: ItemSurroundings): Pick<Recon, 'items' | 'patterns' | 'decide' | 'decideSheet'> {
  const { timezone } = config;
  const viewOf = (asOf: string | undefined) => ({
    asOf: dateOf('asOf', asOf) ?? dateInZone(clock(), timezone),
    timezone,
  });
  const decidingOf = (options: { by: string; asOf?: string; dryRun?: boolean }): Deciding => ({
    ...viewOf(options.asOf),
    author: options.by,
    now: clock(),
    fourEyesAbove: config.decisions.fourEyesAbove,
    dryRun: options.dryRun ?? false,
  });
  return {
    items: async (filter = {}) => {
      const { total, rows } = await listItems(
        sql,
        viewOf(filter.asOf),
        filterOf(filter),
        filter.limit ?? everything,
      );
      return { total, rows: rows.map(listedItem) };
    },
    patterns: (options = {}) => listPatterns(sql, viewOf(options.asOf)),
    decide: (options) => decide(sql, targetOf(options), requestOf(options), decidingOf(options)),
    decideSheet: async (file, options) =>
      decideSheet(sql, await readTable(file, itemSheet), decidingOf(options)),
  };
}

function filterOf(filter: ItemsFilter): ItemFilter {
  const { status, lapsed, assignee, code, severity, account, currency, text, pattern } = filter;
  return {
    status: status ?? null,
    lapsed: lapsed ?? false,
    assignee: assignee ?? null,
    code: code ?? null,
    severity: severity ?? null,
    account: account ?? null,
    currency: currency ?? null,
    text: text ?? null,
    pattern: pattern ?? null,
  };
}

function targetOf({ items }: DecideOptions) {
  return isNamed(items) ? { named: items } : { filter: filterOf(items), filterText: JSON.stringify(items) };
}

/** `Array.isArray` does not recognise a readonly array. */
function isNamed(items: DecideOptions['items']): items is readonly string[] {
  return Array.isArray(items);
}

function requestOf({ decision, until, linkTo, assignee, reason, note }: DecideOptions) {
  return {
    kind: decision,
    until: until ?? null,
    linkTo: linkTo ?? null,
    assignee: assignee ?? null,
    reason: reason ?? null,
    note: note ?? null,
  };
}
