import type { ErrorCode, exitCodes } from './errors.js';

/**
 * What the runbook says about each error and exit code in addition to the advice of the catalogue. A code without an
 * entry does not compile. `npx tsx scripts/write-readme-tables.ts` writes the runbook.
 */

/** What the runbook says about one code. */
export interface ErrorGuideEntry {
  readonly happened: string;
  /** What is stored, and what is not. */
  readonly kept: string;
  /** Whether the next run fixes it without any action; begins with "No" when somebody must correct something. */
  readonly nextRun: string;
}

const nothingYet = 'Nothing was started; nothing has changed.';
const othersTaken = 'Nothing from this source; the files of the other sources were processed.';
const notThisFile = 'Nothing from this file; the other files were processed.';
const bytesOnly = 'The bytes (in the archive) and the reason, but none of the rows.';
const committed = 'Everything that was committed before; the current step was rolled back.';
const once = 'Yes, once the server can be reached.';
const afterCorrection = 'No: correct it first; the next run then processes the waiting files.';
const needsNewFile = 'No: the sender must send a corrected file, which counts as a new file.';
const onceThereIsSpace = 'Yes, once there is space.';
const nothingPartial = 'No report or archived file is incomplete.';

/** What the runbook says about each error code. */
export const errorGuide: Readonly<Record<ErrorCode, ErrorGuideEntry>> = {
  USAGE_INVALID: { happened: 'An argument is wrong.', kept: nothingYet, nextRun: 'No.' },
  CONFIG_UNREADABLE: {
    happened: 'The configuration file cannot be read.',
    kept: nothingYet,
    nextRun: 'No.',
  },
  CONFIG_INVALID: {
    happened: 'A setting, or a file that it names, is wrong; the message lists every problem.',
    kept: nothingYet,
    nextRun: 'No.',
  },
  RUN_ACTIVE: {
    happened:
      'A run is active on this database, or a command that no run may accompany: a dry run, `recon purge`, `recon retire`, `recon archive encrypt`, `recon move`, `recon shards divide`. The message names it.',
    kept: nothingYet,
    nextRun: 'Yes: the next run processes the waiting files.',
  },
  RUN_REPLACED: {
    happened: 'This run did not respond for a minute, or lost the connection that holds its lock.',
    kept: 'Everything that it committed before; the database refused everything after that.',
    nextRun: 'Yes: the run that took over, or the next one, continues from there.',
  },
  RUN_INTERRUPTED: {
    happened:
      'The command received a signal and stopped at the next safe point (SIGTERM or SIGHUP: exit code 143).',
    kept: committed,
    nextRun: 'Yes.',
  },
  RUN_NOT_FOUND: {
    happened: 'The run given to `recon report` does not exist or has no reports.',
    kept: nothingYet,
    nextRun: 'No.',
  },
  AUDIT_BROKEN: {
    happened: 'The audit log is not as it was written: an event was changed, removed, inserted or moved.',
    kept: 'Everything; the check only reads.',
    nextRun: 'No: runs go on and add events, but the broken place stays, and every check reports it.',
  },
  RECORDS_RETIRED: {
    happened:
      'A re-run, a report, an explanation, a withdrawal or a comparison needs records of an old month, which `recon retire` or `recon purge` removed.',
    kept: nothingYet,
    nextRun: 'No: the records of that month stay removed.',
  },
  ARCHIVE_REMOVED: {
    happened:
      'A re-run, a report or `recon archive read` needs the bytes of a settlement file that `recon purge` removed from the archive, by the settings of `retention`.',
    kept: nothingYet,
    nextRun: 'No: the bytes are gone until the file is received again.',
  },
  ARCHIVE_NOT_SHARED: {
    happened:
      'A worker claimed a file, and its archive folder does not have the bytes of the file, or has other bytes. It handed the file back and does not get it again.',
    kept: 'Everything: the run, or another worker, loads the file.',
    nextRun:
      'No: the worker hands back every file until it sees the archive of the run. The run itself needs no worker.',
  },
  WORKER_UNUSABLE: {
    happened:
      '`recon doctor` found a worker that cannot help the runs: it has another version, or all workers together may open more connections than the database allows.',
    kept: 'Everything; runs load every file without workers.',
    nextRun: 'No, but a run needs no worker. A worker joins once it has the version of the run.',
  },
  ARCHIVE_KEY_MISSING: {
    happened:
      'A file of the archive is encrypted, and recon does not have the key that the file names, or has another key under that name.',
    kept: `${committed} The encrypted file stays as it is.`,
    nextRun:
      'No, not until recon has the key. Without the key nobody can read the file: get it again from its sender.',
  },
  RECORD_NOT_FOUND: {
    happened: 'The record given to `recon explain` is not stored.',
    kept: nothingYet,
    nextRun: 'No.',
  },
  FILE_NOT_KNOWN: {
    happened: 'A command named a settlement file that was never received.',
    kept: nothingYet,
    nextRun: 'No.',
  },
  FILE_NAME_AMBIGUOUS: {
    happened:
      'A command named a settlement file by a name or digits that several files have; the message lists them.',
    kept: nothingYet,
    nextRun: 'No.',
  },
  FILE_NOT_LOADED: {
    happened:
      'A command named a file that has no stored records: to compare it, although it was rejected, or to withdraw or compare it before it was loaded.',
    kept: nothingYet,
    nextRun: 'No.',
  },
  FILE_IS_WITHDRAWN: {
    happened:
      '`recon files withdraw` named a file that is already withdrawn; the message says by whom, when and why.',
    kept: nothingYet,
    nextRun: 'No.',
  },
  FILE_NOT_WITHDRAWN: {
    happened: '`recon files restore` named a file that is not withdrawn.',
    kept: nothingYet,
    nextRun: 'No.',
  },
  ITEM_NOT_FOUND: {
    happened: 'An id or a FILE:LINE given to `recon decide` belongs to no item, or to several.',
    kept: nothingYet,
    nextRun: 'No.',
  },
  TOKEN_NOT_FOUND: {
    happened: 'No valid token has the id given to `recon tokens revoke` or `rotate`.',
    kept: 'All tokens as they were.',
    nextRun: 'No.',
  },
  CHARGEBACK_REFUSED: {
    happened:
      '`recon chargebacks book` or `reverse` named an unknown payment, or one that does not allow it; the message has the reason and its result code.',
    kept: 'All payments and chargebacks as they were.',
    nextRun: 'No.',
  },
  WEBHOOK_NOT_FOUND: {
    happened:
      'No webhook, or no notification that was given up, has the id given to a `recon webhooks` command.',
    kept: 'All webhooks and notifications as they were.',
    nextRun: 'No.',
  },
  DECISION_REFUSED: {
    happened: 'A decision lacks something, or cannot be made about an item; the message names each.',
    kept: 'None of the decisions of the command, not even the valid ones.',
    nextRun: 'No.',
  },
  DECISION_CONFLICT: {
    happened: 'Somebody decided an item after the sheet or page showed it, or its facts changed.',
    kept: 'The decisions of the other person; none of these.',
    nextRun: 'No.',
  },
  SHEET_INVALID: {
    happened: 'A sheet that was given back cannot be read; the message names the lines.',
    kept: 'No decision of the sheet.',
    nextRun: 'No.',
  },
  REVIEW_REFUSED: {
    happened:
      'A browser asked the review page for something without the cookie of its link, under another name, or from another page.',
    kept: 'Everything; nothing was decided.',
    nextRun: 'No.',
  },
  REVIEW_BUSY: {
    happened: 'The review page got more requests at once than it lets wait for the database.',
    kept: 'Everything; the request was not answered, so nothing was decided.',
    nextRun: 'Yes: the same request may be sent again.',
  },
  PORT_UNAVAILABLE: {
    happened: 'The port is used by another program, or this account may not listen on it.',
    kept: 'Everything; the command ended before it did anything.',
    nextRun: 'No.',
  },
  CONTROL_TOTALS_DISAGREE: {
    happened: 'Rows read and rows stored do not agree; somebody changed the tables, or this is a defect.',
    kept: 'The archive. Nothing from the current file was stored, and no report was published.',
    nextRun: 'No: it stops at the same place until the cause is removed.',
  },
  SOURCE_UNREACHABLE: {
    happened: 'In every attempt, no connection could be made, or it was lost during the transfer.',
    kept: othersTaken,
    nextRun: once,
  },
  SOURCE_AUTHENTICATION: {
    happened:
      'The server refused the user, the password or the key, or did not answer after it received the password.',
    kept: othersTaken,
    nextRun: afterCorrection,
  },
  SOURCE_HOST_KEY: {
    happened: 'The server presented a host key that is not pinned; recon did not log in.',
    kept: othersTaken,
    nextRun: afterCorrection,
  },
  SOURCE_CERTIFICATE: {
    happened:
      'The certificate has expired, is for another name, or is from an unknown authority; no password was sent.',
    kept: othersTaken,
    nextRun: afterCorrection,
  },
  SOURCE_INSECURE: {
    happened:
      'The server offers less protection than is configured, or wants to send the data from another host.',
    kept: othersTaken,
    nextRun: afterCorrection,
  },
  SOURCE_LISTING: {
    happened: 'The folder cannot be read, or has more entries than `maximumEntries`.',
    kept: othersTaken,
    nextRun: afterCorrection,
  },
  SOURCE_STALLED: {
    happened: 'The server sent nothing for too long, or a file took longer than `fileTimeoutMs`.',
    kept: notThisFile,
    nextRun: 'Yes, once the server answers; the file is fetched from the beginning.',
  },
  FILE_UNREADABLE: {
    happened: 'A file cannot be read, or is a link, a pipe or a folder.',
    kept: notThisFile,
    nextRun: afterCorrection,
  },
  FILE_VANISHED: {
    happened: 'The file was listed but then disappeared: its sender renamed, moved or deleted it.',
    kept: notThisFile,
    nextRun: 'Yes, if the file appears again, under any name.',
  },
  FILE_INCOMPLETE: {
    happened: 'In every attempt, the bytes that arrived differed from what the server announced.',
    kept: notThisFile,
    nextRun: 'Yes, once the server sends the complete file.',
  },
  FILE_CHANGING: {
    happened: 'The file is younger than `minimumAgeSeconds`, or changed while recon watched it.',
    kept: notThisFile,
    nextRun: 'Yes.',
  },
  FILE_NAME_UNSAFE: {
    happened: 'The name contains a path, control characters, or bytes that are not UTF-8.',
    kept: notThisFile,
    nextRun: 'No: the file must be renamed.',
  },
  FILE_TOO_LARGE: {
    happened: 'The file is larger than `maximumSizeBytes`.',
    kept: notThisFile,
    nextRun: afterCorrection,
  },
  RUN_MISSING: {
    happened: '`recon doctor --since` found that no run was completed within the given time.',
    kept: 'Everything.',
    nextRun: 'Yes, if the next run is started.',
  },
  DELIVERY_MISSING: {
    happened:
      'A delivery that a source expects did not arrive before its deadline; `recon doctor` reports it.',
    kept: 'Everything that arrived.',
    nextRun: 'Yes, once the file is there.',
  },
  FILE_TOTALS_MISSING: {
    happened:
      'The source announces totals, and the file that contains them is not there. For `waitHours` the file is deferred, ' +
      'with exit code 0; after that it counts as failed.',
    kept: notThisFile,
    nextRun: 'Yes, once the file with the totals is there.',
  },
  FILE_TOTALS_INVALID: {
    happened: 'The file with the announced totals cannot be read; the message names its lines.',
    kept: notThisFile,
    nextRun: 'No: the sender must correct the totals; the next run then takes both files.',
  },
  FILE_EMPTY: { happened: 'The file has no content.', kept: bytesOnly, nextRun: needsNewFile },
  FILE_ENCODING: {
    happened:
      'The file is not UTF-8 text: an archive, a workbook, a web page, or text in another encoding. The message says ' +
      'which, and where.',
    kept: bytesOnly,
    nextRun: needsNewFile,
  },
  FILE_HEADER: {
    happened:
      'The first line is not the header of the 36 columns; the message names the first column that differs.',
    kept: bytesOnly,
    nextRun: needsNewFile,
  },
  FILE_QUOTE: {
    happened: 'Because of a misplaced quote, it is unclear where rows end.',
    kept: bytesOnly,
    nextRun: needsNewFile,
  },
  FILE_RECORD_TOO_LONG: {
    happened: 'A record is longer than 1 MiB.',
    kept: bytesOnly,
    nextRun: needsNewFile,
  },
  FILE_NO_VALID_ROW: {
    happened: 'No row is valid; the message has one line per affected column, with an example.',
    kept: bytesOnly,
    nextRun: needsNewFile,
  },
  FILE_TOO_MANY_REJECTED: {
    happened: 'The share of rejected rows is above `maxRejectedShare`.',
    kept: bytesOnly,
    nextRun: 'No: get a corrected file, or raise the setting and re-run the range of dates.',
  },
  FILE_PACKED_TOO_LARGE: {
    happened:
      'A gzip, ZIP or OpenPGP file unpacks to more bytes or files than the limits of its source allow.',
    kept: notThisFile,
    nextRun:
      'No: raise the limit if the file is genuine, or ask the sender for a correct one. A file that was given with `--file` has no source: unpack it, and give recon what is inside.',
  },
  FILE_DECRYPTION_FAILED: {
    happened: 'A file is encrypted with OpenPGP and could not be decrypted; the message has the reason.',
    kept: notThisFile,
    nextRun: 'No: once the keys are right, the next run decrypts the file.',
  },
  FILE_SIGNATURE_INVALID: {
    happened: 'An encrypted file has no valid signature of the sender, whose key the source names.',
    kept: notThisFile,
    nextRun: 'No: do not load the file before the sender has confirmed it.',
  },
  FILE_NOT_ENCRYPTED: {
    happened: 'A file arrived unencrypted from a source whose files must be encrypted.',
    kept: notThisFile,
    nextRun: 'No.',
  },
  OPENPGP_MISSING: {
    happened: 'A source has encrypted files, and the optional package openpgp is not installed.',
    kept: othersTaken,
    nextRun: 'No: install the package first; the next run then takes the files.',
  },
  FILE_PACKED_DAMAGED: {
    happened: 'A gzip or ZIP file is cut short, or its checksum or structure is wrong.',
    kept: bytesOnly,
    nextRun: needsNewFile,
  },
  FILE_PACKED_ENTRIES: {
    happened:
      'A ZIP archive contains a path, a folder, a link, an unsafe name, a name twice, no file, or only announced totals, or is compressed with a method other than Deflate; the message has the entry.',
    kept: bytesOnly,
    nextRun: needsNewFile,
  },
  FILE_PACKED_PASSWORD: {
    happened: 'A ZIP archive is protected with a password.',
    kept: bytesOnly,
    nextRun: needsNewFile,
  },
  FILE_TOTALS_DIFFER: {
    happened:
      'The number of rows or the sum of a currency is not what the sender announced; the message has both.',
    kept: bytesOnly,
    nextRun:
      'No: the file or its totals must be corrected; the same file with other totals is compared again. If the sender ' +
      'confirms that only the totals are wrong, write correct ones beside the file and run it with `--file`.',
  },
  PAYMENTS_CONTRADICTION: {
    happened:
      '`recon payments import` found values that differ from those of stored payments: another amount, currency, ' +
      'type, reference or time, for example. Only empty values and the result of a pending payment may change.',
    kept: 'Nothing from the file; the stored payments are unchanged.',
    nextRun: 'No.',
  },
  PAYMENTS_FILE_INVALID: {
    happened: '`recon payments import` found invalid lines.',
    kept: 'Nothing from the file; the stored payments are unchanged.',
    nextRun: 'No.',
  },
  DATABASE_UNREACHABLE: {
    happened:
      'recon could not connect to the database. It waits up to a minute for a server that is starting.',
    kept: committed,
    nextRun: once,
  },
  DATABASE_AUTHENTICATION: {
    happened: 'The database refused the user or the password.',
    kept: nothingYet,
    nextRun: afterCorrection,
  },
  DATABASE_SCHEMA: {
    happened:
      'The tables belong to another version or were changed by hand, or a restore of the database did not finish.',
    kept: nothingYet,
    nextRun: afterCorrection,
  },
  SHARD_UNREACHABLE: {
    happened:
      'The database server of a shard does not answer the home server or this machine, or its connection was lost.',
    kept: 'Everything that was committed before; what the step stored on other shards is undone before the next one reads it.',
    nextRun: 'Yes, once the shard can be reached.',
  },
  SHARD_INVALID: {
    happened:
      'The database of a shard is not the one that was added, has another schema, or cannot be added or removed; or the configured database is itself a shard.',
    kept: nothingYet,
    nextRun: afterCorrection,
  },
  SHARDS_UNSUPPORTED: {
    happened: 'The command does not work with a database that has shards.',
    kept: nothingYet,
    nextRun: 'No.',
  },
  DIVISION_REFUSED: {
    happened:
      'The data cannot be moved to the shards as long as something is in the way: another program of recon, the gateway, or a table that belongs to somebody else. The message names it.',
    kept: nothingYet,
    nextRun: 'No: `recon shards divide` is refused until it is corrected. Runs work as before.',
  },
  DIVISION_NOT_VERIFIED: {
    happened: 'After they were copied, the rows on the shards differ from those of the home database.',
    kept: 'The home database, unchanged and in use. The next `recon shards divide` removes what is on the shards.',
    nextRun: 'Perhaps: `recon shards divide` copies all rows again. Runs work as before.',
  },
  DATABASE_MOVED: {
    happened:
      'The database was moved with `recon move`, perhaps while this program used it, or a move into it is not complete.',
    kept: 'What was stored before the move is in the other database. Nothing of this step was stored.',
    nextRun: 'No: the configuration must name the database that is in use now.',
  },
  MOVE_REFUSED: {
    happened:
      'The database cannot be moved there, because the other one has data, or tables that refer to those of recon, or this one is outdated.',
    kept: nothingYet,
    nextRun: 'No.',
  },
  MOVE_NOT_VERIFIED: {
    happened: 'After the copy, a table differs from the original.',
    kept: 'The old database, unchanged and still in use. The new one is refused until a move into it is complete.',
    nextRun: 'Yes: `recon move` copies the table again.',
  },
  DATABASE_FULL: {
    happened: 'The disk of the database server is full.',
    kept: committed,
    nextRun: onceThereIsSpace,
  },
  DATABASE_FAILED: {
    happened:
      'The connection was lost, a lock was held for half a minute, or a statement was refused; the message says which.',
    kept: committed,
    nextRun: 'Yes, unless the message names a missing permission or a setting.',
  },
  DATABASE_EMBEDDED: {
    happened:
      'The embedded database cannot be created, started or used, or one of its processes was killed; the message says why.',
    kept: committed,
    nextRun:
      'Yes, if another process was starting or stopping it, or once there is enough memory; otherwise the message says what to do.',
  },
  DISK_FULL: {
    happened:
      'The local disk is full, or has no room for more files. In `recon doctor`: it has less than 1 GB, or room for fewer than 5,000 files.',
    kept: `${committed} ${nothingPartial}`,
    nextRun: onceThereIsSpace,
  },
  DISK_FAILED: {
    happened: 'A local folder or file cannot be read or written, or archived bytes are damaged.',
    kept: `${committed} ${nothingPartial}`,
    nextRun: 'Yes, once recon may write to the folder; restore damaged bytes from a backup.',
  },
  LIMIT_REACHED: {
    happened:
      'The system refused recon another open file or more addresses, because of a limit of the process or of the whole system. The disk is not the cause.',
    kept: `${committed} ${nothingPartial}`,
    nextRun: 'Not before the limit is raised, unless other programs used the files.',
  },
  REPORT_UNDELIVERED: {
    happened:
      'A published report could not be copied to a place of `reports.deliverTo`. A run never fails because of it.',
    kept: 'The report in the reports folder, and what was delivered before.',
    nextRun: 'Yes: the next run delivers it, after older reports that wait.',
  },
  INTERNAL_ERROR: {
    happened: 'There is a defect in recon.',
    kept: committed,
    nextRun: 'Perhaps. What was stored is complete, and it is safe to try again.',
  },
};

/** The meaning of an exit code. */
export interface ExitCodeMeaning {
  /** For `--help` and the README, where a code has one line. */
  readonly short: string;
  readonly means: string;
  readonly whatToDo: string;
}

/** What help, the manual page, the README and the runbook say about each exit code. */
export const exitCodeGuide: Readonly<Record<keyof typeof exitCodes, ExitCodeMeaning>> = {
  done: { short: 'done', means: 'Everything was done.', whatToDo: 'Nothing.' },
  rejected: {
    short: 'done, but a file or row was rejected',
    means: 'Everything was done, but a file or row was rejected.',
    whatToDo: 'Look at `rejected-rows.csv` and ask the sender; the run is complete without these rows.',
  },
  usage: {
    short: 'usage or configuration error',
    means: 'An argument or the configuration is wrong.',
    whatToDo: 'Correct what the message names; nothing was started.',
  },
  otherRunActive: {
    short: 'another run is active',
    means: 'Another run is active.',
    whatToDo: 'Nothing, or see “A run that is stuck”.',
  },
  sourceUnreadable: {
    short: 'a source or file could not be read, the others were; or a report could not be delivered',
    means:
      'A source or file could not be read; the others were read, matched and reported. Or `reports deliver` could not deliver a report.',
    whatToDo: 'Find out which one it was; most causes are temporary, and the next run tries again.',
  },
  database: {
    short: 'database error',
    means: 'A database error ended the run.',
    whatToDo: 'See the error code below; run again once the cause is removed.',
  },
  disk: {
    short: 'local disk error',
    means: 'A local disk error ended the run.',
    whatToDo: 'See “The disk is full” and “A permission is missing, or too wide”; run again.',
  },
  discrepancies: {
    short:
      'with --fail-on SEVERITY: the run reports such an open discrepancy (with new:SEVERITY: found by it for the first time)',
    means:
      'Everything was done; `--fail-on` was given, and the run reports an open discrepancy of that severity or higher. With `--fail-on new:SEVERITY`, the run found such a discrepancy for the first time.',
    whatToDo: 'This is a finding, not a failure: see `discrepancies.csv`.',
  },
  deliveryMissing: {
    short: 'an expected file, or with doctor --since a run, is missing past its deadline',
    means:
      'Everything was done, but a delivery that a source expects is missing past its deadline, or `doctor --since` found no recent run.',
    whatToDo: 'Ask the sender; `recon doctor` and the summary of the run name the source and the day.',
  },
  defect: {
    short: 'a defect in recon',
    means: 'There is a defect in recon.',
    whatToDo: 'Run it again with `--log-level debug` and report the output.',
  },
  interrupted: { short: 'interrupted by SIGINT', means: 'Stopped by SIGINT.', whatToDo: 'Run it again.' },
  terminated: {
    short: 'interrupted by SIGTERM or SIGHUP',
    means: 'Stopped by SIGTERM, or by SIGHUP (its terminal was closed).',
    whatToDo: 'Run it again. To keep a program running without its terminal, see “Without a terminal”.',
  },
};
