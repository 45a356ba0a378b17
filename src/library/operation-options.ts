import type { Writable } from 'node:stream';
import * as z from 'zod';
import { discrepancyCodes, severities, type DiscrepancyCode } from '../findings/discrepancy-codes.js';
import { itemStatuses } from '../findings/open-item.js';
import { decisionKinds } from '../values/decision-kinds.js';
import { fileStatuses } from '../listings/list-files.js';
import { runStatuses } from '../listings/list-runs.js';
import { isCalendarDate } from '../values/calendar-date.js';
import { anyText, text } from './check-options.js';
import type {
  DecideOptions,
  DiscrepanciesFilter,
  FileDecision,
  FilesFilter,
  ItemsFilter,
  PurgeOptions,
  ReconOptions,
  RerunOptions,
  RunOptions,
  RunsFilter,
} from './recon.js';

/** The options of each operation of the library. The compiler compares their names with those of the types. */

/** Every option of a type, and no other. */
type OptionsOf<Options> = Readonly<Record<keyof Options, z.ZodType>>;

const day = z.custom((given) => typeof given === 'string' && isCalendarDate(given), {
  error: ({ input }) =>
    input === undefined ? 'is missing' : 'must be a day from 1900 to 2099, written as 2026-11-19',
});
const flag = z.boolean().optional();
const signal = z.instanceof(AbortSignal, { error: 'must be an AbortSignal' }).optional();

/** What a column of type `integer` can hold: no run has a higher number, and no list is longer. */
export const mostNumber = 2_147_483_647;
const wholeFrom = (least: number) =>
  z
    .custom((given) => Number.isInteger(given) && Number(given) >= least && Number(given) <= mostNumber, {
      error: `must be a whole number from ${least} to ${mostNumber}`,
    })
    .optional();
const runNumber = wholeFrom(1);
const limit = wholeFrom(0);
const callable = z.custom((given) => typeof given === 'function', { error: 'must be a function' }).optional();
const group = z
  .custom((given) => typeof given === 'object' && given !== null && !Array.isArray(given), {
    error: 'must be an object',
  })
  .optional();

// Object.keys returns `string[]`, but these are exactly the keys of the literal.
const code = z.enum(Object.keys(discrepancyCodes) as DiscrepancyCode[]).optional();
const severity = z.enum(severities).optional();

const interruptible = { signal, asOf: day.optional(), dryRun: flag };
const range = { from: day, to: day };

/** Of `openRecon`. What `settings` contains is checked with the configuration, which names every problem in it. */
export const openOptions = z.strictObject({
  settings: group,
  configFile: text.optional(),
  environment: group,
  cwd: text.optional(),
  log: callable,
  clock: callable,
} satisfies OptionsOf<ReconOptions>);

/** Of `run`. Whether a source is configured is checked by the operation, and whether a file can be read by the run. */
export const runOptions = z.strictObject({
  ...interruptible,
  sources: z.array(text).optional(),
  files: z.array(text).optional(),
} satisfies OptionsOf<RunOptions>);

/** Of `rerun`: both days are required. That `from` is not later than `to` is checked where the range is read. */
export const rerunOptions = z.strictObject({
  ...interruptible,
  ...range,
  fetch: flag,
} satisfies OptionsOf<RerunOptions>);

/** Of `report`: one run, or a range. Options that are undefined are options that are left out. */
export const reportOptions = z.strictObject({
  signal,
  runId: runNumber,
  from: z.undefined().optional(),
  to: z.undefined().optional(),
  asOf: z
    .undefined({ error: 'needs from and to: the report of a run is as of the day of that run' })
    .optional(),
});
/** With `runId` too, so that both together are refused with a sentence about it. */
export const reportOfRangeOptions = z.strictObject({
  signal,
  runId: runNumber,
  ...range,
  asOf: day.optional(),
});

/** The stream of `exportPayments`, and not the name of a file. */
export const exportArguments = z.strictObject({
  out: z.custom(isStream, { error: 'must be a stream that can be written' }),
});

/** The response of an HTTP server is not an instance of `Writable`. */
function isStream(given: unknown): boolean {
  const { write, once } = Object(given) as Partial<Writable>;
  return typeof write === 'function' && typeof once === 'function';
}

/** Of `purge`. That a later `asOf` needs `dryRun` is checked by the operation, which knows the day. */
export const purgeOptions = z.strictObject(interruptible satisfies OptionsOf<PurgeOptions>);

/** Of `withdrawFile` and `restoreFile`: both are required and not blank, because they are kept. */
export const fileDecision = z.strictObject({ by: text, reason: text } satisfies OptionsOf<FileDecision>);

/** Of `runs`. A `limit` of 0 returns only the total. */
export const runsFilter = z.strictObject({
  limit,
  status: z.enum(runStatuses).optional(),
} satisfies OptionsOf<RunsFilter>);

/** Of `files`. A source that is not configured is accepted: its files may be stored from earlier. */
export const filesFilter = z.strictObject({
  limit,
  status: z.enum(fileStatuses).optional(),
  source: text.optional(),
  runId: runNumber,
} satisfies OptionsOf<FilesFilter>);

/** Of `discrepancies` and `eachDiscrepancy`. Either end of the range of days may be missing. */
export const discrepanciesFilter = z.strictObject({
  limit,
  code,
  severity,
  from: day.optional(),
  to: day.optional(),
  runId: runNumber,
  withResolved: flag,
} satisfies OptionsOf<DiscrepanciesFilter>);

const itemProperties = {
  status: z.enum(itemStatuses).optional(),
  lapsed: flag,
  // Empty: those that nobody is assigned to.
  assignee: anyText.optional(),
  code,
  severity,
  account: text.optional(),
  currency: text.optional(),
  text: text.optional(),
  pattern: text.optional(),
};

/** Of `items` and `eachItem`. An unknown account, currency or pattern is no error: nothing is found. */
export const itemsFilter = z.strictObject({
  ...itemProperties,
  limit,
  asOf: day.optional(),
} satisfies OptionsOf<ItemsFilter>);

/** Of `patterns`, which has no filter and no limit. */
export const patternsOptions = z.strictObject({ asOf: day.optional() });

const decision = {
  decision: z.enum(decisionKinds),
  by: text,
  until: day.optional(),
  linkTo: text.optional(),
  // Empty: assigned to nobody.
  assignee: anyText.optional(),
  reason: anyText.optional(),
  note: anyText.optional(),
  asOf: day.optional(),
  dryRun: flag,
};

/** Of `decide`: items that are named, or those of a filter. */
export const decideNamedOptions = z.strictObject({
  ...decision,
  items: z.array(text),
} satisfies OptionsOf<DecideOptions>);
/**
 * See {@link decideNamedOptions}. The filter has neither `limit` nor `asOf`: a decision is about every item that is
 * found.
 */
export const decideFilteredOptions = z.strictObject({
  ...decision,
  items: z.strictObject(itemProperties),
} satisfies OptionsOf<DecideOptions>);

/** Of `decideSheet`. What is decided about which items is in the sheet. */
export const decideSheetOptions = z.strictObject({ by: text, asOf: day.optional(), dryRun: flag });
