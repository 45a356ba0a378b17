type DefinedOption = readonly [flags: string, description: string];

/** The option of a command that does nothing without it. */
export const required = ([flags, description]: DefinedOption): DefinedOption => [
  flags,
  `${description} (required)`,
];

/** Of commands that act on data in one transaction. */
export const dryRun: DefinedOption = [
  '--dry-run',
  'do everything in a transaction that is rolled back: change nothing',
];
/** Of commands that match and report: findings that depend on a due day are judged as of this day (design 4.6). */
export const asOf: DefinedOption = ['--as-of <date>', 'evaluate due dates as of this day (default: today)'];
/** Of commands that match or report. Exit code 7 (design 5); read by `failOnOption`. */
export const failOn: DefinedOption = [
  '--fail-on <severity>',
  'exit with 7 when the run reports an open discrepancy of this severity or higher (error, warning, info); new:error counts only those that it found for the first time',
];
/** Of commands that take a range of settlement dates; both ends are included. */
export const from: DefinedOption = ['--from <date>', 'first settlement date, yyyy-MM-dd'];
/**
 * The last day of the range that {@link from} begins. One without the other is refused, and so is a range that ends
 * before it starts.
 */
export const to: DefinedOption = ['--to <date>', 'last settlement date, yyyy-MM-dd'];
/** Of commands that withdraw or restore a file (design 4.8), where it is required; read with the decision of a file. */
export const reason: DefinedOption = ['--reason <text>', 'why; it is kept and shown (required)'];
/** Of lists: a whole number from 1. Without it, a table says how many entries it left out. */
export const limit: DefinedOption = [
  '--limit <n>',
  'how many at most (default: 50 in the table, all with --json)',
];
/** Of lists that can also be written as CSV. */
export const limitWithCsv: DefinedOption = [
  '--limit <n>',
  'how many at most (default: 50 in the table, all with --csv and --json)',
];
/** The ages of items are counted to this day, and an item that waits until this day is open again. */
export const days: DefinedOption = [
  '--as-of <date>',
  'evaluate ages and waits as of this day (default: today)',
];

/** @param act what the person does: `decides` */
export function by(act: string): DefinedOption {
  return ['--by <name>', `who ${act} (default: RECON_USER, else the account)`];
}
