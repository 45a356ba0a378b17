import type { CommandContext } from './command-context.js';
import type { Options } from './command-arguments.js';

/** The function of a command's module: does the work and returns the exit code. */
export type RunCommand = (
  context: CommandContext,
  args: readonly string[],
  options: Options,
) => Promise<number>;

/** A command as data; its module is loaded when it is called, so that `--help` is fast. */
export interface CommandDefinition {
  /** Name and arguments, `payments import <file>`. */
  readonly name: string;
  readonly summary: string;
  readonly options?: readonly (readonly [flags: string, description: string])[];
  /** Options that may be given several times. */
  readonly repeatable?: readonly string[];
  /** Exit codes besides 0, 2 and those of signals. */
  readonly exitCodes: readonly number[];
  readonly examples: readonly string[];
  readonly load: () => Promise<RunCommand>;
}

const dryRun = ['--dry-run', 'do everything in a transaction that is rolled back: change nothing'] as const;
const asOf = ['--as-of <date>', 'evaluate due dates as of this day (default: today)'] as const;
const failOn = [
  '--fail-on <severity>',
  'exit with 7 when a discrepancy of this severity or higher (error, warning, info) is open; new:error counts only those that this run found first',
] as const;
const from = ['--from <date>', 'first settlement date, yyyy-MM-dd'] as const;
const to = ['--to <date>', 'last settlement date, yyyy-MM-dd'] as const;
const reason = ['--reason <text>', 'why; it is kept and shown'] as const;
const by = ['--by <name>', 'who decides it (default: RECON_USER, else the account)'] as const;
const bookedBy = ['--by <name>', 'who books it (default: RECON_USER, else the account)'] as const;
const limit = ['--limit <n>', 'how many at most (default: 50 in the table, all with --json)'] as const;

const days = ['--as-of <date>', 'count days to this one, which ends a wait (default: today)'] as const;

export const commands: readonly CommandDefinition[] = [
  {
    name: 'demo',
    summary: 'run the main job on sample data in ./recon-demo; nothing to configure',
    exitCodes: [5, 6],
    examples: ['recon demo'],
    load: async () => (await import('./commands/demo.js')).demo,
  },
  {
    name: 'run',
    summary: 'fetch new files, match their records and write reports',
    options: [
      ['--source <name>', 'read only this source (may be repeated)'],
      ['--file <path>', 'take this local file instead of the sources (may be repeated)'],
      asOf,
      dryRun,
      failOn,
    ],
    repeatable: ['--source', '--file'],
    exitCodes: [1, 3, 4, 5, 6, 7, 8],
    examples: [
      'recon run',
      'recon run --source acquirer --json',
      'recon run --file settlement-2026-11-19.csv --dry-run',
      'recon run --fail-on error',
      'recon run --fail-on new:error',
    ],
    load: async () => (await import('./commands/run.js')).run,
  },
  {
    name: 'rerun',
    summary: 'match and report the stored records of a range of settlement dates again',
    options: [from, to, ['--fetch', 'fetch new files from the sources first'], asOf, dryRun, failOn],
    exitCodes: [1, 3, 4, 5, 6, 7, 8],
    examples: [
      'recon rerun --from 2026-11-01 --to 2026-11-30',
      'recon rerun --from 2026-11-19 --to 2026-11-19 --fetch',
    ],
    load: async () => (await import('./commands/rerun.js')).rerun,
  },
  {
    name: 'schedule',
    summary: 'keep running and start runs by the configured schedule; make up for missed runs',
    exitCodes: [5, 6],
    examples: ['recon schedule', 'recon schedule --json >> runs.jsonl   # one document per line'],
    load: async () => (await import('./commands/schedule.js')).schedule,
  },
  {
    name: 'report',
    summary: 'write the reports of a run or a range of settlement dates again',
    options: [['--run <id>', 'the run to report on (default: the latest)'], from, to, failOn],
    exitCodes: [5, 6, 7],
    examples: ['recon report', 'recon report --run 17', 'recon report --from 2026-11-01 --to 2026-11-30'],
    load: async () => (await import('./commands/report.js')).report,
  },
  {
    name: 'explain <record>',
    summary: 'explain why a record matched as it did: FILE:LINE, UniqueID, SettlementTxId or DiscrepancyId',
    options: [['--sql', 'print the statements that match and check the record, as a read-only psql script']],
    exitCodes: [5, 6],
    examples: [
      'recon explain settlement-2026-11-19.csv:17',
      'recon explain STL-000901',
      'recon explain STL-000901 --sql > explain.sql',
    ],
    load: async () => (await import('./commands/explain.js')).explain,
  },
  {
    name: 'runs',
    summary: 'list the runs, the latest first',
    options: [['--status <status>', 'running, completed, failed, interrupted or abandoned'], limit],
    exitCodes: [5, 6],
    examples: ['recon runs', 'recon runs --status failed --json'],
    load: async () => (await import('./commands/runs.js')).runs,
  },
  {
    name: 'sources',
    summary: 'list the sources with their last file and their expected deliveries',
    exitCodes: [5, 6],
    examples: ['recon sources', 'recon sources --json'],
    load: async () => (await import('./commands/sources.js')).sources,
  },
  {
    name: 'files',
    summary: 'list the settlement files, the latest first',
    options: [
      ['--status <status>', 'received, loaded, rejected, failed, retired or withdrawn'],
      ['--source <name>', 'only those of this source'],
      ['--run <id>', 'only those that this run loaded or rejected'],
      limit,
    ],
    exitCodes: [5, 6],
    examples: ['recon files', 'recon files --status rejected', 'recon files --run 17 --json'],
    load: async () => (await import('./commands/files.js')).files,
  },
  {
    name: 'files withdraw <file>',
    summary: 'exclude the records of a file from the next run on; they stay stored',
    options: [reason, by],
    exitCodes: [5, 6],
    examples: [
      'recon files withdraw settlement-2026-11-19.csv --reason "test data, says the acquirer"',
      'recon files withdraw a4001e25 --reason "wrong day" --by anna   # by its SHA-256',
    ],
    load: async () => (await import('./commands/files.js')).withdraw,
  },
  {
    name: 'files restore <file>',
    summary: 'take the withdrawal of a file back: its records count again from the next run on',
    options: [reason, by],
    exitCodes: [5, 6],
    examples: ['recon files restore settlement-2026-11-19.csv --reason "it was right after all"'],
    load: async () => (await import('./commands/files.js')).restore,
  },
  {
    name: 'diff <before> <after>',
    summary: 'compare two files by record and cell, or two runs (run:3 run:4) by finding',
    options: [['--csv', 'print it as CSV for a spreadsheet: a line for each cell']],
    exitCodes: [5, 6],
    examples: [
      'recon diff settlement-2026-11-18.csv a4001e25',
      'recon diff run:3 run:4 --json',
      'recon diff run:3 run:4 --csv > changes.csv',
    ],
    load: async () => (await import('./commands/diff.js')).diff,
  },
  {
    name: 'discrepancies',
    summary: 'list the discrepancies, most severe first',
    options: [
      ['--code <code>', 'only this code, such as NOT_MATCHED'],
      ['--severity <severity>', 'only this severity: error, warning or info'],
      ['--open', 'only those that are still open (the default)'],
      ['--all', 'include those that were resolved'],
      ['--from <date>', 'settlement date of the record (or day of the payment), first day'],
      ['--to <date>', 'the same, last day'],
      ['--run <id>', 'only those that this run found first'],
      limit,
    ],
    exitCodes: [5, 6],
    examples: [
      'recon discrepancies',
      'recon discrepancies --severity error --limit 500',
      'recon discrepancies --code AMOUNT_MISMATCH --from 2026-11-19 --json',
    ],
    load: async () => (await import('./commands/discrepancies.js')).discrepancies,
  },
  {
    name: 'items',
    summary: 'list what is open in the whole database, the most money and the oldest first',
    options: [
      ['--status <status>', 'OPEN, WAITING, ACCEPTED, RESOLVED or LAPSED (default: open and waiting)'],
      ['--assignee <name>', 'only those that are assigned to this person ("" for nobody)'],
      ['--code <code>', 'only this code, such as NOT_MATCHED'],
      ['--severity <severity>', 'only this severity: error, warning or info'],
      ['--account <id>', 'only this merchant account'],
      ['--currency <code>', 'only this currency'],
      ['--text <text>', 'only those in which this occurs: an id, a reference, an amount, a word'],
      ['--pattern <id>', 'only those of this pattern'],
      ['--patterns', 'list the patterns instead: more than 20 items with one cause'],
      ['--csv', 'all of them as the sheet that `recon decide --file` takes back'],
      days,
      ['--limit <n>', 'how many at most (default: 50 in the table, all with --csv and --json)'],
    ],
    exitCodes: [5, 6],
    examples: [
      'recon items',
      'recon items --code MISSING_SETTLEMENT --csv > missing.csv',
      'recon items --status LAPSED --json',
      'recon items --patterns',
    ],
    load: async () => (await import('./commands/items.js')).items,
  },
  {
    name: 'decide [items...]',
    summary:
      'decide about items by DiscrepancyId or FILE:LINE, by a filter, or by a sheet that is given back',
    options: [
      ['--accept', 'the discrepancy stands and is agreed to (with --reason)'],
      ['--wait <date>', 'it waits, and is open again on this day'],
      ['--link <payment>', 'the record belongs to this payment'],
      ['--unlink', 'the record does not belong to the payment it is matched to'],
      ['--supersede', 'of a redelivered record: it replaces the former one'],
      ['--keep-both', 'of a redelivered record: both count'],
      ['--assign <name>', 'who works on it ("" for nobody)'],
      ['--note <text>', 'a note, alone or with another decision'],
      ['--approve', 'agree to the accept of another person'],
      ['--undo', 'take back the latest decision'],
      ['--reason <text>', 'why'],
      ['--by <name>', 'who decides (default: RECON_USER, then the account)'],
      [
        '--file <sheet>',
        'the decisions of open-items.xlsx or .csv, or the rows of corrections.csv, edited: all of them or none',
      ],
      ['--status <status>', 'all of this status: OPEN, WAITING, ACCEPTED, RESOLVED or LAPSED'],
      ['--assigned-to <name>', 'all that are assigned to this person'],
      ['--code <code>', 'all of this code'],
      ['--severity <severity>', 'all of this severity'],
      ['--account <id>', 'all of this merchant account'],
      ['--currency <code>', 'all of this currency'],
      ['--text <text>', 'all in which this occurs: an id, a reference, an amount, a word'],
      ['--pattern <id>', 'all of this pattern; `recon items --patterns` lists them'],
      ['--dry-run', 'say what would be decided, and store nothing'],
      days,
    ],
    exitCodes: [5, 6],
    examples: [
      'recon decide 3f2a9c1b7d20 --accept --reason "rounding of the acquirer"',
      'recon decide 3f2a9c1b7d20 --wait 2026-12-01 --note "asked the acquirer"',
      'recon decide settlement-2026-11-19.csv:17 --link 8ac7a4a1000000000000000000000001',
      'recon decide --pattern p81d0c6b0a5f2 --accept --reason "new brand name" --dry-run',
      'recon decide --file open-items.xlsx --dry-run',
      'recon decide --file corrections.csv',
      'recon decide 3f2a9c1b7d20 --undo',
    ],
    load: async () => (await import('./commands/decide.js')).decide,
  },
  {
    name: 'review',
    summary: 'work on the open items on a local web page, until it is stopped',
    options: [
      ['--port <n>', 'listen on this port of 127.0.0.1 (default: any free one)'],
      ['--by <name>', 'who decides (default: RECON_USER, then the account)'],
      ['--read-only', 'show everything and decide nothing'],
      days,
    ],
    exitCodes: [5, 6],
    examples: ['recon review', 'recon review --port 8420 --by anna', 'recon review --read-only --json'],
    load: async () => (await import('./commands/review.js')).review,
  },
  {
    name: 'payments import <file>',
    summary: 'store existing payments: the whole file or nothing; the same file again changes nothing',
    options: [
      ['--allow-changes', 'store values that contradict those of stored payments; the old ones are kept'],
      ['--dry-run', 'list what would change, and store nothing'],
    ],
    exitCodes: [4, 5, 6],
    examples: [
      'recon payments import payments.csv',
      'recon payments import payments.csv --dry-run',
      'recon payments import corrected.csv --allow-changes --json',
    ],
    load: async () => (await import('./commands/payments.js')).importFile,
  },
  {
    name: 'payments changes',
    summary: 'list what imports changed in stored payments: old and new value, file and time',
    options: [['--payment <id>', 'only those of this payment'], limit],
    exitCodes: [5, 6],
    examples: ['recon payments changes', 'recon payments changes --payment 8ac7a4a1000000000000000000000001'],
    load: async () => (await import('./commands/payments.js')).changes,
  },
  {
    name: 'payments export [file]',
    summary: 'write the stored payments in the import format',
    exitCodes: [5, 6],
    examples: ['recon payments export payments.csv', 'recon payments export > payments.csv'],
    load: async () => (await import('./commands/payments.js')).exportFile,
  },
  {
    name: 'chargebacks list',
    summary: 'list the chargebacks, the latest first: what is charged back, and what of it is reversed',
    options: [
      ['--payment <id>', 'only those of this payment'],
      ['--status <status>', 'open, partly-reversed, reversed or withdrawn'],
      limit,
    ],
    exitCodes: [5, 6],
    examples: [
      'recon chargebacks list',
      'recon chargebacks list --status open --json',
      'recon chargebacks list --payment 8ac7a4a1000000000000000000000001',
    ],
    load: async () => (await import('./commands/chargebacks.js')).list,
  },
  {
    name: 'chargebacks book <payment>',
    summary:
      'book a chargeback of a debit or capture that the acquirer reported outside the settlement files',
    options: [
      ['--amount <amount>', 'such as 12.50 (default: everything that is left)'],
      ['--reason-code <code>', 'the reason of the acquirer, 000.100.2nn (default: 000.100.200)'],
      bookedBy,
    ],
    exitCodes: [5, 6],
    examples: [
      'recon chargebacks book 8ac7a4a1000000000000000000000001 --reason-code 000.100.203',
      'recon chargebacks book 8ac7a4a1000000000000000000000001 --amount 12.50 --by anna --json',
    ],
    load: async () => (await import('./commands/chargebacks.js')).book,
  },
  {
    name: 'chargebacks reverse <chargeback>',
    summary: 'reverse a chargeback, also one that came with a settlement file',
    options: [
      ['--amount <amount>', 'such as 12.50 (default: everything that is not reversed yet)'],
      bookedBy,
    ],
    exitCodes: [5, 6],
    examples: ['recon chargebacks reverse 3f2a9c1b7d20aa013f2a9c1b7d20aa01 --by anna'],
    load: async () => (await import('./commands/chargebacks.js')).reverse,
  },
  {
    name: 'serve',
    summary: 'answer the payment API over HTTP until it is stopped; makes scheduled payments that are due',
    options: [
      ['--port <n>', 'listen on this port (default: http.port of the configuration; 0: any free port)'],
    ],
    exitCodes: [5, 6],
    examples: ['recon serve', 'recon serve --port 0 --json   # the first line names the address'],
    load: async () => (await import('./commands/serve.js')).serve,
  },
  {
    name: 'tokens create',
    summary: 'make an access token for the API; it is printed once and stored as a hash',
    options: [
      ['--entity <id>', 'the entity that it acts for (may be repeated)'],
      ['--role <role>', 'payments (default), reports or backoffice (may be repeated)'],
      ['--environment <name>', 'test (default) or live'],
      ['--by <name>', 'who makes it (default: RECON_USER, else the account)'],
    ],
    repeatable: ['--entity', '--role'],
    exitCodes: [5, 6],
    examples: [
      'recon tokens create --entity 8a8294174b7ecb28014b9699220015ca',
      'recon tokens create --entity 8a8294174b7ecb28014b9699220015ca --role payments --role reports --json',
    ],
    load: async () => (await import('./commands/tokens.js')).create,
  },
  {
    name: 'tokens list',
    summary: 'list the access tokens and when they were last used; never the tokens themselves',
    options: [limit],
    exitCodes: [5, 6],
    examples: ['recon tokens list', 'recon tokens list --json'],
    load: async () => (await import('./commands/tokens.js')).list,
  },
  {
    name: 'tokens revoke <id>',
    summary: 'make a token invalid at once, in every process',
    exitCodes: [5, 6],
    examples: ['recon tokens revoke 3f2a9c1b7d20aa01'],
    load: async () => (await import('./commands/tokens.js')).revoke,
  },
  {
    name: 'tokens rotate <id>',
    summary: 'make a new token for the same entities and roles; the old one stays valid for a while',
    options: [
      ['--overlap <hours>', 'how long the old one stays valid (default: 24)'],
      ['--by <name>', 'who rotates it (default: RECON_USER, else the account)'],
    ],
    exitCodes: [5, 6],
    examples: [
      'recon tokens rotate 3f2a9c1b7d20aa01',
      'recon tokens rotate 3f2a9c1b7d20aa01 --overlap 1 --json',
    ],
    load: async () => (await import('./commands/tokens.js')).rotate,
  },
  {
    name: 'retire',
    summary: 'detach the records of old months as tables that can be dumped and dropped',
    options: [
      ['--before <date>', 'months before this date (by file receipt date)'],
      ['--dry-run', 'only show what would be detached'],
    ],
    exitCodes: [3, 5, 6],
    examples: ['recon retire --before 2025-01-01 --dry-run', 'recon retire --before 2025-01-01'],
    load: async () => (await import('./commands/retire.js')).retire,
  },
  {
    name: 'init',
    summary: 'write a configuration in which every setting is explained',
    options: [['--force', 'replace an existing file']],
    exitCodes: [6],
    examples: ['recon init', 'recon init --config /etc/recon/recon.config.yaml'],
    load: async () => (await import('./commands/init.js')).init,
  },
  {
    name: 'migrate',
    summary: 'update the database to the schema of this version',
    options: [['--check', 'only check whether it is current (exit code 5 if not)']],
    exitCodes: [5, 6],
    examples: ['recon migrate', 'recon migrate --check'],
    load: async () => (await import('./commands/migrate.js')).migrate,
  },
  {
    name: 'doctor',
    summary: 'check configuration, database, sources and folders, and report what is wrong',
    options: [
      ['--reports', 'check against the manifests that no report was changed'],
      [
        '--show-host-key <source>',
        'only show the host keys of an sftp server, to verify them; does not log in',
      ],
    ],
    exitCodes: [4, 5, 6, 8],
    examples: ['recon doctor', 'recon doctor --reports', 'recon doctor --show-host-key acquirer'],
    load: async () => (await import('./commands/doctor.js')).doctor,
  },
];
