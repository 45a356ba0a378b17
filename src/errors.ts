import { maskCardNumbers } from './values/mask-card-numbers.js';

/**
 * The closed catalogue of failures. Every error a user can meet has a stable code here, the exit code it
 * leads to (design 5), what it ends, whether trying again may help, and what to do about it. Further text for the
 * runbook is in `error-guide.ts`. docs/codes.md and the runbook list the same codes, and tests compare them.
 *
 * Only failures of a file, a source, the environment or the request are errors. A bad row is a value
 * (`RowIssue`), and a programming mistake in recon is a plain `Error`; that of a program that uses it, USAGE_INVALID.
 */

/** How a command can end (design 5). 2, 3, 5 and 6 end a run; of 1, 4, 7 and 8, the highest that applies is given. */
export const exitCodes = {
  done: 0,
  rejected: 1,
  usage: 2,
  otherRunActive: 3,
  sourceUnreadable: 4,
  database: 5,
  disk: 6,
  discrepancies: 7,
  deliveryMissing: 8,
  /** A defect in the program (EX_SOFTWARE); a separate code, because the others say what was done. */
  defect: 70,
  interrupted: 130,
  terminated: 143,
} as const;

/**
 * What a failure ends. Code that handles a failure reads this class, so that a new code needs no other list:
 *
 * - `content`: the bytes of a file arrived and are archived, but they are wrong: the file is rejected.
 * - `file`: one file of a source could not be fetched; the run fetches the other files of the source.
 * - `connection`: the connection to a source. It ends the file being fetched, or the source when no file is.
 * - `source`: the source as a whole (its login, its folder); the run continues with the other sources.
 * - `run`: the command.
 */
export type FailureClass = 'content' | 'file' | 'connection' | 'source' | 'run';

/**
 * Whether trying again may help: `at once` (the same run tries again after a pause), in the `next run` without
 * any action, or only `after correction`.
 */
export type Retry = 'at once' | 'next run' | 'after correction';

/** What the program and people have to know of an error code. */
interface CatalogueEntry {
  readonly exitCode: number;
  readonly of: FailureClass;
  readonly retry: Retry;
  /** What to do next, in one sentence. */
  readonly advice: string;
}

/** Every error code: its exit code, what it ends, whether trying again may help, and its advice. */
export const errorCatalogue = {
  USAGE_INVALID: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice:
      'Correct the argument: `--help` describes the options of a command, docs/library.md and docs/payment-core.md those of the library.',
  },
  CONFIG_UNREADABLE: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice: 'Check the file that --config or RECON_CONFIG names, or write a configuration with `recon init`.',
  },
  CONFIG_INVALID: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice:
      'Correct the settings that are named; `recon init` writes an example that explains every setting.',
  },
  RUN_ACTIVE: {
    exitCode: exitCodes.otherRunActive,
    of: 'run',
    retry: 'next run',
    advice:
      'Wait until the run or command that the message names has ended. `recon runs` lists runs, but no other commands.',
  },
  RUN_REPLACED: {
    exitCode: exitCodes.database,
    of: 'run',
    retry: 'next run',
    advice:
      'List the runs with `recon runs`. If another run took over because this one stopped responding, look at that run. Otherwise the connection to the database was lost: run again.',
  },
  RUN_INTERRUPTED: {
    exitCode: exitCodes.interrupted,
    of: 'run',
    retry: 'next run',
    advice: 'Start the command again; a run continues where it stopped.',
  },
  RUN_NOT_FOUND: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice: 'List the runs with `recon runs`.',
  },
  AUDIT_BROKEN: {
    exitCode: exitCodes.database,
    of: 'run',
    retry: 'after correction',
    advice:
      'Keep the database as it is, and compare the log with a backup: somebody changed it, or a restore was incomplete.',
  },
  RECORDS_RETIRED: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice:
      'Choose other dates or another run; reports that were written earlier still exist unless they were removed too.',
  },
  ARCHIVE_REMOVED: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice:
      'Give recon the file again with `recon run --file FILE`, which archives its bytes, and repeat the command; reports that were written earlier still exist unless they were removed too.',
  },
  ARCHIVE_NOT_SHARED: {
    exitCode: exitCodes.disk,
    of: 'run',
    retry: 'after correction',
    advice:
      'Let the worker and the run use one archive: mount the same folder as dataDirectory/archive on both machines.',
  },
  WORKER_UNUSABLE: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice:
      'Install the release of the runs on every worker, and allow enough connections (max_connections), or start fewer workers.',
  },
  ARCHIVE_KEY_MISSING: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice:
      'Write the right key into archive.keysFile (or RECON_ARCHIVE_KEYS) under the name that the message gives, and repeat the command.',
  },
  RECORD_NOT_FOUND: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice: 'Name the record as FILE:LINE, by UniqueID, SettlementTxId or DiscrepancyId.',
  },
  FILE_NOT_KNOWN: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice:
      'List the files with `recon files`, and name one by its name or the first eight digits of its SHA-256.',
  },
  FILE_NAME_AMBIGUOUS: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice: 'Name the file by the digits that the message lists in front of it.',
  },
  FILE_NOT_LOADED: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice: 'Choose a file that `recon files --status loaded` lists.',
  },
  FILE_IS_WITHDRAWN: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice: 'Nothing to do; `recon files restore` takes a withdrawal back.',
  },
  FILE_NOT_WITHDRAWN: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice: 'List the withdrawn files with `recon files --status withdrawn`.',
  },
  ITEM_NOT_FOUND: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice:
      'Name the item by its DiscrepancyId, or its record as FILE:LINE; `recon items` lists what is open.',
  },
  TOKEN_NOT_FOUND: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice: 'List the tokens with `recon tokens list`.',
  },
  CHARGEBACK_REFUSED: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice: 'Look at the chargebacks of the payment with `recon chargebacks list --payment ID`.',
  },
  WEBHOOK_NOT_FOUND: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice:
      'List the webhooks with `recon webhooks list`, and what was given up with `recon webhooks dead-letters`.',
  },
  DECISION_REFUSED: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice: 'Correct what the message names; `recon items` shows the state of each item.',
  },
  DECISION_CONFLICT: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice:
      'Look at the items or rows that are named, as they are now, and decide again; `recon items --csv` writes a new sheet of items, and `recon report` a new corrections.csv.',
  },
  SHEET_INVALID: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice: 'Correct the lines that are named, and give the sheet back again.',
  },
  REVIEW_REFUSED: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice: 'Open the link that `recon review` printed last, in a browser on the same machine.',
  },
  REVIEW_BUSY: {
    exitCode: exitCodes.database,
    of: 'run',
    retry: 'next run',
    advice: 'Wait a moment and try again.',
  },
  PORT_UNAVAILABLE: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice:
      'Stop the program that uses the port, or choose another one: with --port, or the setting of the port (such as schedule.adminPort).',
  },
  CONTROL_TOTALS_DISAGREE: {
    exitCode: exitCodes.database,
    of: 'run',
    retry: 'after correction',
    advice: 'Nothing was published. Keep the archive and report this as a defect with the run number.',
  },

  SOURCE_UNREACHABLE: {
    exitCode: exitCodes.sourceUnreadable,
    of: 'connection',
    retry: 'at once',
    advice: 'Check host, port and network; the next run tries again.',
  },
  SOURCE_AUTHENTICATION: {
    exitCode: exitCodes.sourceUnreadable,
    of: 'source',
    retry: 'after correction',
    advice:
      'Check user name, password or key; this run does not try again, so that the account is not locked.',
  },
  SOURCE_HOST_KEY: {
    exitCode: exitCodes.sourceUnreadable,
    of: 'source',
    retry: 'after correction',
    advice:
      'Ask the operator of the server for the fingerprint, compare the two, then write it into hostKeys, or the key into the file of knownHostsFile.',
  },
  SOURCE_CERTIFICATE: {
    exitCode: exitCodes.sourceUnreadable,
    of: 'source',
    retry: 'after correction',
    advice:
      'If it expired, the operator of the server must renew it. If its authority is unknown, configure caFile; if it has another name, serverName. The check cannot be turned off.',
  },
  SOURCE_INSECURE: {
    exitCode: exitCodes.sourceUnreadable,
    of: 'source',
    retry: 'after correction',
    advice:
      'Do what the message says, or ask the operator of the server for the protection that the configuration requires.',
  },
  SOURCE_LISTING: {
    exitCode: exitCodes.sourceUnreadable,
    of: 'source',
    retry: 'after correction',
    advice:
      'Check that the folder exists and that recon may read it. If it has too many entries, have old ones removed, or raise maximumEntries.',
  },
  SOURCE_STALLED: {
    exitCode: exitCodes.sourceUnreadable,
    of: 'connection',
    retry: 'at once',
    advice: 'The server stopped answering; the next run tries again.',
  },

  RUN_MISSING: {
    exitCode: exitCodes.deliveryMissing,
    of: 'run',
    retry: 'next run',
    advice:
      'Look at the log of cron or of the timer, and at `recon runs`; then start the run with `recon run`.',
  },
  DELIVERY_MISSING: {
    exitCode: exitCodes.deliveryMissing,
    of: 'source',
    retry: 'next run',
    advice:
      'Ask the sender for the file; a later run takes it. A day without a delivery belongs in `holidays`.',
  },

  FILE_UNREADABLE: {
    exitCode: exitCodes.sourceUnreadable,
    of: 'file',
    retry: 'after correction',
    advice: 'Check that the file exists, is a regular file, and that recon may read it.',
  },
  FILE_VANISHED: {
    exitCode: exitCodes.sourceUnreadable,
    of: 'file',
    retry: 'next run',
    advice: 'The file disappeared while it was being fetched; the next run looks again.',
  },
  FILE_INCOMPLETE: {
    exitCode: exitCodes.sourceUnreadable,
    of: 'file',
    retry: 'at once',
    advice: 'The bytes differ from what the server announced; the next run fetches the file again.',
  },
  FILE_CHANGING: {
    exitCode: exitCodes.done,
    of: 'file',
    retry: 'next run',
    advice:
      'The file is still being written; a later run takes it. A file that was given with --file must be given again.',
  },
  FILE_NAME_UNSAFE: {
    exitCode: exitCodes.sourceUnreadable,
    of: 'file',
    retry: 'after correction',
    advice: 'Ask the sender to use a plain file name.',
  },
  FILE_TOO_LARGE: {
    exitCode: exitCodes.sourceUnreadable,
    of: 'file',
    retry: 'after correction',
    advice: 'If the file is genuine, raise maximumSizeBytes of the source.',
  },

  FILE_PACKED_TOO_LARGE: {
    exitCode: exitCodes.sourceUnreadable,
    of: 'file',
    retry: 'after correction',
    advice:
      'If the file is genuine, raise maximumSizeBytes, unpack.maximumRatio or unpack.maximumFiles of the source.',
  },

  FILE_DECRYPTION_FAILED: {
    exitCode: exitCodes.sourceUnreadable,
    of: 'file',
    retry: 'after correction',
    advice:
      'Check `openpgp` of the source: the private key, its passphrase, senderKeyFile, and which key the sender encrypts for. If the file is damaged, ask the sender for it again.',
  },
  FILE_SIGNATURE_INVALID: {
    exitCode: exitCodes.sourceUnreadable,
    of: 'file',
    retry: 'after correction',
    advice:
      'Ask the sender whether the file is genuine and whether the key was changed; then correct senderKeyFile.',
  },
  FILE_NOT_ENCRYPTED: {
    exitCode: exitCodes.sourceUnreadable,
    of: 'file',
    retry: 'after correction',
    advice: 'Ask the sender to encrypt the file. If plain files are agreed, set openpgp.required: false.',
  },
  OPENPGP_MISSING: {
    exitCode: exitCodes.sourceUnreadable,
    of: 'source',
    retry: 'after correction',
    advice:
      'Install the package where recon is installed: npm install openpgp@6, with -g if recon was installed with -g.',
  },

  FILE_TOTALS_MISSING: {
    exitCode: exitCodes.sourceUnreadable,
    of: 'file',
    retry: 'next run',
    advice: 'Ask the sender for the file with the totals; a later run then takes both.',
  },
  FILE_TOTALS_INVALID: {
    exitCode: exitCodes.sourceUnreadable,
    of: 'file',
    retry: 'after correction',
    advice:
      'Ask the sender for correct totals: a line Records;3, then a line such as EUR;1234.50 per currency.',
  },

  FILE_PACKED_DAMAGED: {
    exitCode: exitCodes.rejected,
    of: 'content',
    retry: 'after correction',
    advice: 'Ask the sender for the file again.',
  },
  FILE_PACKED_ENTRIES: {
    exitCode: exitCodes.rejected,
    of: 'content',
    retry: 'after correction',
    advice:
      'Ask the sender for an archive of plain files, compressed with Deflate: no folders, paths or links, and no name twice.',
  },
  FILE_PACKED_PASSWORD: {
    exitCode: exitCodes.rejected,
    of: 'content',
    retry: 'after correction',
    advice: 'Ask the sender for a ZIP archive without a password.',
  },
  FILE_EMPTY: {
    exitCode: exitCodes.rejected,
    of: 'content',
    retry: 'after correction',
    advice: 'Ask the sender for the file again.',
  },
  FILE_ENCODING: {
    exitCode: exitCodes.rejected,
    of: 'content',
    retry: 'after correction',
    advice: 'Do what the message says, or ask the sender for a CSV file in UTF-8.',
  },
  FILE_HEADER: {
    exitCode: exitCodes.rejected,
    of: 'content',
    retry: 'after correction',
    advice:
      'Do what the message says, or compare the first line, from the named column on, with the 36 names in docs/input-files.md; semicolons separate the names. Correct the file or ask the sender for a correct one, and give it to recon again, under any name.',
  },
  FILE_QUOTE: {
    exitCode: exitCodes.rejected,
    of: 'content',
    retry: 'after correction',
    advice: 'Ask for a correct file: a quote is not closed, or is inside an unquoted cell.',
  },
  FILE_RECORD_TOO_LONG: {
    exitCode: exitCodes.rejected,
    of: 'content',
    retry: 'after correction',
    advice: 'Ask for a correct file: a record may be at most 1 MiB long.',
  },
  FILE_NO_VALID_ROW: {
    exitCode: exitCodes.rejected,
    of: 'content',
    retry: 'after correction',
    advice: 'Ask for a correct file; the message says what is wrong in each column.',
  },
  FILE_TOO_MANY_REJECTED: {
    exitCode: exitCodes.rejected,
    of: 'content',
    retry: 'after correction',
    advice: 'Ask for a correct file: more rows were rejected than maxRejectedShare of the source allows.',
  },
  FILE_TOTALS_DIFFER: {
    exitCode: exitCodes.rejected,
    of: 'content',
    retry: 'after correction',
    advice:
      'Ask the sender which is right. The next run takes a corrected file or corrected totals; the files were not moved.',
  },

  PAYMENTS_FILE_INVALID: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice: 'Correct the lines that are named; nothing was stored.',
  },
  PAYMENTS_CONTRADICTION: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice: 'Check which values are right; --dry-run lists all differences, --allow-changes stores them.',
  },

  DATABASE_UNREACHABLE: {
    exitCode: exitCodes.database,
    of: 'run',
    retry: 'next run',
    advice:
      'Check that the database server is running and that its URL is right (RECON_DATABASE_URL, databaseUrl, or the one given to the command).',
  },
  DATABASE_AUTHENTICATION: {
    exitCode: exitCodes.database,
    of: 'run',
    retry: 'after correction',
    advice:
      'Check the user and password in the URL (RECON_DATABASE_URL, databaseUrl, or the one given to the command).',
  },
  DATABASE_SCHEMA: {
    exitCode: exitCodes.database,
    of: 'run',
    retry: 'after correction',
    advice:
      'Run `recon migrate`, or install the version of recon that fits the database. If neither helps, `recon doctor` shows what is missing: restore the database again from its backup.',
  },
  SHARD_UNREACHABLE: {
    exitCode: exitCodes.database,
    of: 'run',
    retry: 'next run',
    advice:
      'Start the database server of the shard, or repair the network between it, the home server and this machine. If its password or address was changed, change what the home database keeps. `recon shards check` asks each shard.',
  },
  SHARD_INVALID: {
    exitCode: exitCodes.database,
    of: 'run',
    retry: 'after correction',
    advice:
      'Correct what the message names; `recon shards check` shows the state of each shard, and `recon migrate` updates the schema of all.',
  },
  SHARDS_UNSUPPORTED: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice: 'Use a database without shards for this; docs/scaling.md says what works with shards.',
  },
  DIVISION_REFUSED: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice: 'Correct what the message names, then run `recon shards divide` again.',
  },
  DIVISION_NOT_VERIFIED: {
    exitCode: exitCodes.database,
    of: 'run',
    retry: 'next run',
    advice:
      'Continue with the home database, which has all data; run `recon shards divide` again, and if it happens twice, report it as a defect.',
  },
  DATABASE_MOVED: {
    exitCode: exitCodes.database,
    of: 'run',
    retry: 'after correction',
    advice:
      'Use the database that the message names (RECON_DATABASE_URL or databaseUrl), or finish the move with `recon move`.',
  },
  MOVE_REFUSED: {
    exitCode: exitCodes.usage,
    of: 'run',
    retry: 'after correction',
    advice:
      'Move from the database that is in use, into an empty one or the one that an interrupted move has begun to fill.',
  },
  MOVE_NOT_VERIFIED: {
    exitCode: exitCodes.database,
    of: 'run',
    retry: 'next run',
    advice: 'Run `recon move` again; if it happens twice, keep both databases and report it as a defect.',
  },
  DATABASE_FULL: {
    exitCode: exitCodes.database,
    of: 'run',
    retry: 'next run',
    advice: 'Free space on the disk of the database and run again; nothing is stored in part.',
  },
  DATABASE_FAILED: {
    exitCode: exitCodes.database,
    of: 'run',
    retry: 'next run',
    advice: 'Read the message and the database log, then run again.',
  },
  DATABASE_EMBEDDED: {
    exitCode: exitCodes.database,
    of: 'run',
    retry: 'next run',
    advice:
      'Read the message, and the log database.log in the data directory. To use your own server instead, set RECON_DATABASE_URL or databaseUrl.',
  },

  DISK_FULL: {
    exitCode: exitCodes.disk,
    of: 'run',
    retry: 'next run',
    advice: 'Free space on the disk of the data directory and run again.',
  },
  DISK_FAILED: {
    exitCode: exitCodes.disk,
    of: 'run',
    retry: 'next run',
    advice:
      'Correct what the message names (permission, owner, path or disk), or restore it from a backup; then run again.',
  },
  LIMIT_REACHED: {
    exitCode: exitCodes.disk,
    of: 'run',
    retry: 'after correction',
    advice:
      'Raise the limit that the message names: with ulimit, LimitNOFILE= of systemd or --ulimit of Docker. Then run again.',
  },
  REPORT_UNDELIVERED: {
    exitCode: exitCodes.sourceUnreadable,
    of: 'run',
    retry: 'at once',
    advice:
      'Correct what the message names; the report is complete in the reports folder here. The next run delivers it, or `recon reports deliver` at once.',
  },
  INTERNAL_ERROR: {
    exitCode: exitCodes.defect,
    of: 'run',
    retry: 'next run',
    advice: 'Run it again with --log-level debug and report the output; what was stored is kept.',
  },
} as const satisfies Record<string, CatalogueEntry>;

/** A stable code of an error; docs/codes.md lists them. */
export type ErrorCode = keyof typeof errorCatalogue;

/**
 * A failure with a stable code. `message` says what happened, where and what was kept, in words for the
 * person who reads it; it never contains a password, token or SQL parameters. A card number in quoted text (an
 * argument, a name) is truncated here, because messages are printed, logged and stored.
 */
export class ReconError extends Error {
  /** Stable, for programs and scripts. docs/codes.md lists all of them. */
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(maskCardNumbers(message), options);
    this.name = 'ReconError';
    this.code = code;
  }

  /** What the command line ends with for this error (design 5). */
  get exitCode(): number {
    return errorCatalogue[this.code].exitCode;
  }

  /** What the failure ends. */
  get of(): FailureClass {
    return errorCatalogue[this.code].of;
  }

  /** Whether trying again may help. */
  get retry(): Retry {
    return errorCatalogue[this.code].retry;
  }

  /** What the operator can do about it, as a sentence; docs/runbook.md has more. */
  get advice(): string {
    return errorCatalogue[this.code].advice;
  }
}

/** What a thrown value says. Other packages may throw values that are not errors. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Whether a failure ends only a source or one of its files: the run continues with the others. */
export function isSourceFailure(thrown: unknown): thrown is ReconError {
  return thrown instanceof ReconError && (thrown.of === 'source' || isFetchFailure(thrown));
}

/** Whether a failure may concern only the file that is being fetched. */
export function isFetchFailure(thrown: unknown): thrown is ReconError {
  return thrown instanceof ReconError && (thrown.of === 'file' || thrown.of === 'connection');
}
