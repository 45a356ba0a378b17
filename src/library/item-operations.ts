import path from 'node:path';
import type { ReconConfig } from '../config/recon-config.js';
import type { Sql } from '../db/client.js';
import { ReconError } from '../errors.js';
import { decide, wholeDecided } from '../items/decide.js';
import { decideSheet } from '../items/sheet/decide-sheet.js';
import { refuse, requestProblem, type Deciding } from '../items/decision-request.js';
import { filterTextOf } from '../items/filter-text.js';
import { itemSheet } from '../items/sheet/read-sheet.js';
import { listItems, readItems, type ItemFilter } from '../items/list-items.js';
import { listedItem } from '../items/listed-item.js';
import { listPatterns } from '../items/patterns.js';
import { firstRows, onSnapshot } from '../listings/listing.js';
import { readTable } from '../spreadsheet/read-table.js';
import { dateInZone } from '../values/calendar-date.js';
import { maskCardNumbers } from '../values/mask-card-numbers.js';
import { checkArguments, checkOptions } from './check-options.js';
import type { Guarded } from './guarded.js';
import * as accepted from './operation-options.js';
import type { DecideOptions, ItemsFilter, Recon } from './recon.js';
import type { StreamRows } from './stream-rows.js';

/** What messages call the parts of a decision. */
const optionNames = {
  until: 'the option until',
  linkTo: 'the option linkTo',
  assignee: 'the option assignee',
  reason: 'the option reason',
  note: 'the option note',
};

interface ItemSurroundings {
  readonly sql: Sql;
  readonly config: ReconConfig;
  readonly clock: () => number;
  /** The folder that relative paths refer to. */
  readonly cwd: string;
  readonly guarded: Guarded;
  readonly streamRows: StreamRows;
}

/** The operations about open items. */
export function itemOperations({
  sql,
  config,
  clock,
  cwd,
  guarded,
  streamRows,
}: ItemSurroundings): Pick<Recon, 'items' | 'eachItem' | 'patterns' | 'decide' | 'decideSheet'> {
  const { timezone } = config;
  const viewOf = ({ asOf = dateInZone(clock(), timezone) }: { readonly asOf?: string }) => ({
    asOf,
    timezone,
  });
  const decidingOf = (options: { by: string; asOf?: string; dryRun?: boolean }): Deciding => ({
    ...viewOf(options),
    author: maskCardNumbers(options.by),
    now: clock(),
    fourEyesAbove: config.decisions.fourEyesAbove,
    dryRun: options.dryRun ?? false,
  });
  return {
    items: (filter = {}) =>
      guarded('items', async () => {
        checkOptions('items', accepted.itemsFilter, filter);
        const { limit = accepted.mostNumber } = filter;
        const { total, rows } = await listItems(sql, viewOf(filter), filterOfOptions(filter), limit);
        return { total, rows: rows.map(listedItem) };
      }),
    eachItem: (filter = {}) =>
      streamRows('eachItem', async (pass) => {
        checkOptions('eachItem', accepted.itemsFilter, filter);
        const { limit = accepted.mostNumber } = filter;
        await onSnapshot(sql, async (tx) => {
          const items = firstRows(readItems(tx, viewOf(filter), filterOfOptions(filter)), limit);
          for await (const rows of items) await pass(rows.map(listedItem));
        });
      }),
    patterns: (options = {}) =>
      guarded('patterns', async () => {
        checkOptions('patterns', accepted.patternsOptions, options);
        return listPatterns(sql, viewOf(options));
      }),
    decide: (options) =>
      guarded('decide', async () => {
        checkOptions('decide', acceptedByDecide(options), options);
        refuseEmptyFilter(options);
        const [request, deciding] = [requestOf(options), decidingOf(options)];
        const problem = requestProblem(request, deciding.asOf, optionNames);
        if (problem !== null) refuse([problem]);
        return decide(sql, { target: targetOf(options), request, deciding }, wholeDecided);
      }),
    decideSheet: (file, options) =>
      guarded('decideSheet', async () => {
        checkArguments('decideSheet', { file });
        checkOptions('decideSheet', accepted.decideSheetOptions, options);
        const table = await readTable(path.resolve(cwd, file), itemSheet);
        return decideSheet(sql, table, decidingOf(options), wholeDecided);
      }),
  };
}

/** The one of two schemas that the options are meant for. A caller that no compiler checks may leave them out. */
function acceptedByDecide(options: { readonly items?: unknown } | null | undefined) {
  const items = options?.items;
  const isFilter = typeof items === 'object' && items !== null && !Array.isArray(items);
  return isFilter ? accepted.decideFilteredOptions : accepted.decideNamedOptions;
}

function filterOfOptions(filter: ItemsFilter): ItemFilter {
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

/** An account that a program did not find must not decide about every item. */
function refuseEmptyFilter({ items }: DecideOptions): void {
  if (isNamed(items) || filterTextOf(filterOfOptions(items)) !== '') return;
  throw new ReconError(
    'USAGE_INVALID',
    'decide: items must name items or restrict them, for all that are open for instance with status. Nothing was done.',
  );
}

function targetOf({ items }: DecideOptions) {
  return isNamed(items)
    ? { named: items }
    : { filter: filterOfOptions(items), filterText: JSON.stringify(items) };
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
