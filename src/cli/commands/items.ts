import { exitCodes } from '../../errors.js';
import { discrepancyCodes, severities, type DiscrepancyCode } from '../../findings/discrepancy-codes.js';
import type { TextItem } from '../../findings/item-texts.js';
import { itemStatuses, type Item } from '../../findings/open-item.js';
import { listItems, readItems, type ItemFilter } from '../../items/list-items.js';
import type { ItemView } from '../../items/item-rows.js';
import { listedItem } from '../../items/listed-item.js';
import { listPatterns, type Pattern } from '../../items/patterns.js';
import { firstRows, noBatches, onSnapshot } from '../../listings/listing.js';
import type { Sql } from '../../db/client.js';
import { serializeHeader, serializeRows, type CsvFormat } from '../../reporting/tables/csv-cells.js';
import { openItemsTable } from '../../reporting/tables/open-items-table.js';
import { dateInZone } from '../../values/calendar-date.js';
import { formatAmount } from '../../values/money.js';
import {
  choiceOption,
  dateOption,
  isGiven,
  numberOption,
  textOption,
  usageError,
  type Options,
} from '../command-arguments.js';
import type { CommandContext, Paint } from '../command-context.js';
import type { RunCommand } from '../command-definition.js';
import { usualLimit, withSentences } from '../list-table.js';
import { jsonArray, writeTexts } from '../long-answers.js';
import { moneyAtRisk } from '../text/money-at-risk.js';
import { printable } from '../text/printable.js';
import { shortId } from '../text/short-id.js';
import { textTable } from '../text/text-table.js';
import { unlessWithoutRuns, withoutDatabase } from '../without-runs.js';
import { writeOutput } from '../write-output.js';

// The keys of an object literal are what its type says.
const codes = Object.keys(discrepancyCodes) as DiscrepancyCode[];

const nothingOpen = 'Nothing is open.';

/** The open items (design 4.9); with --csv, a sheet that can be given back to `recon decide`. */
export const items: RunCommand = async (context, _args, options) => {
  const asCsv = isGiven(options, 'csv');
  if (asCsv && context.options.json) throw usageError('--csv and --json exclude each other.');
  const wantsPatterns = isGiven(options, 'patterns');
  if (wantsPatterns) refuseWithPatterns(options);
  const filter = filterOptions(options);
  const view = viewOptions(context, options);
  const limit = numberOption(options, 'limit');
  const database = await context.existingDatabase();
  if (database === undefined) {
    await printNothing(context, asCsv);
    return exitCodes.done;
  }
  const { sql } = database;
  if (wantsPatterns) {
    printPatterns(context, await listPatterns(sql, view));
    return exitCodes.done;
  }
  if (!asCsv && !context.options.json) {
    await printItems(context, sql, { view, filter, limit: limit ?? usualLimit });
    return exitCodes.done;
  }
  await writeOutput(context.stdout, (out) =>
    onSnapshot(sql, (tx) => {
      const read = firstRows(readItems(tx, view, filter), limit ?? Infinity);
      return writeTexts(out, asCsv ? csvOf(read, context.config().reports) : jsonArray(listedOf(read)));
    }),
  );
  return exitCodes.done;
};

/** Options of the list of items. That of the patterns would ignore them, and seem to be about one code or account. */
const notOfPatterns = [
  'csv',
  'limit',
  'status',
  'assignee',
  'code',
  'severity',
  'account',
  'currency',
  'text',
  'pattern',
];

function refuseWithPatterns(options: Options): void {
  const given = notOfPatterns.find((name) => options[name] !== undefined);
  if (given === undefined) return;
  throw usageError(`--patterns lists all patterns; it cannot be combined with --${given}.`);
}

/** The filters that `recon items` and a decision about many items share. */
export function filterOptions(options: Options): ItemFilter {
  const status = choiceOption(options, 'status', [...itemStatuses, 'LAPSED'] as const);
  return {
    status: status === 'LAPSED' ? null : status,
    lapsed: status === 'LAPSED',
    assignee: textOption(options, 'assignee'),
    code: choiceOption(options, 'code', codes),
    severity: choiceOption(options, 'severity', severities),
    account: textOption(options, 'account'),
    currency: textOption(options, 'currency'),
    text: textOption(options, 'text'),
    pattern: textOption(options, 'pattern'),
  };
}

/** The day that counts as today, and the zone of the payments' days. */
export function viewOptions(context: CommandContext, options: Options): ItemView {
  const { timezone } = context.config();
  return { asOf: dateOption(options, 'asOf') ?? dateInZone(Date.now(), timezone), timezone };
}

/** The bytes of `open-items.csv`: what is printed here can be edited and given back as well. */
async function* csvOf(
  batches: AsyncIterable<readonly TextItem[]>,
  format: CsvFormat,
): AsyncGenerator<string> {
  const table = openItemsTable(batches, format);
  yield serializeHeader(table.header, format);
  for await (const rows of table.rows) yield serializeRows(rows, format);
}

/** The list without a database, in each of its forms. */
async function printNothing(context: CommandContext, asCsv: boolean): Promise<void> {
  if (asCsv) {
    const { reports } = context.config();
    return writeOutput(context.stdout, (out) => writeTexts(out, csvOf(noBatches, reports)));
  }
  context.print([], () => withoutDatabase(context.config(), nothingOpen, true));
}

async function* listedOf(batches: AsyncIterable<readonly Item[]>): AsyncGenerator<readonly unknown[]> {
  for await (const batch of batches) yield batch.map(listedItem);
}

async function printItems(
  context: CommandContext,
  sql: Sql,
  wanted: { view: ItemView; filter: ItemFilter; limit: number },
): Promise<void> {
  const { rows, total } = await listItems(sql, wanted.view, wanted.filter, wanted.limit);
  const none = rows.length === 0 ? await noneText(sql, wanted.filter) : '';
  context.print(rows, (paint) => {
    if (rows.length === 0) return none;
    const more =
      total > rows.length
        ? `\n${rows.length} of ${total}; --limit shows more, --csv and --json print all of them.`
        : '';
    return `${itemLines(rows, paint)}${more}`;
  });
}

async function noneText(sql: Sql, filter: ItemFilter): Promise<string> {
  return isAnyGiven(filter) ? 'No item fits the filter.' : unlessWithoutRuns(sql, nothingOpen);
}

/** Items may be open although a filter finds none. */
function isAnyGiven(filter: ItemFilter): boolean {
  return Object.values(filter).some((value) => value !== null && value !== false);
}

/** Lines per item, so that the sentence stays whole: what it is, what is wrong, and who decided what. */
function itemLines(rows: readonly Item[], paint: Paint): string {
  const table = textTable(
    ['item', 'status', 'code', 'at risk', 'cur.', 'age'],
    rows.map((item) => [
      shortId(item.discrepancyId),
      { text: item.status, tone: item.status === 'OPEN' ? 'strong' : 'faint' },
      item.code,
      formatAmount(item.atRiskMinor < 0n ? -item.atRiskMinor : item.atRiskMinor),
      directionOf(item),
      item.ageDays,
    ]),
    { paint },
  );
  return withSentences(
    table,
    rows.map((item) => [printable(item.message), ...decidedLine(item, paint)].join('\n')),
  );
}

/** `EUR missing`, in the words of the page; only the currency where no money is at risk. */
function directionOf({ atRiskMinor, currency }: Item): string {
  const direction = atRiskMinor === 0n ? '' : atRiskMinor > 0n ? ' missing' : ' surplus';
  return `${currency ?? ''}${direction}`;
}

function decidedLine(item: Item, paint: Paint): string[] {
  const decided = [decisionOf(item), item.assignee === null ? '' : `assigned to ${item.assignee}`]
    .filter((part) => part !== '')
    .join(', ');
  return decided === '' ? [] : [paint(item.lapsed ? 'doubtful' : 'faint', `  ${printable(decided)}`)];
}

function decisionOf({ decision, until, pending, lapsed }: Item): string {
  if (decision === null) return '';
  const words = decision === 'wait' ? `wait until ${until ?? ''}` : decision;
  return pending ? `${words} (pending)` : lapsed ? `${words} (lapsed)` : words;
}

function printPatterns(context: CommandContext, patterns: readonly Pattern[]): void {
  context.print(patterns, (paint) =>
    patterns.length === 0
      ? 'No pattern: no more than 20 open items have the same code, merchant account and values.'
      : withSentences(
          textTable(
            ['pattern', 'code', 'count'],
            patterns.map((one) => [one.patternId, one.code, one.count]),
            { paint },
          ),
          patterns.map(patternSentence),
        ),
  );
}

/** What the items of a pattern have in common, and their money. */
function patternSentence({ merchantAccountId, expected, actual, money }: Pattern): string {
  return printable(
    [
      ...(merchantAccountId === null ? [] : [`account ${merchantAccountId}`]),
      ...(expected === null ? [] : [`expected ${expected}`]),
      ...(actual === null ? [] : [`actual ${actual}`]),
      moneyAtRisk(money) || 'nothing at risk',
    ].join('; '),
  );
}
