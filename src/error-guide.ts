import type { ErrorCode, exitCodes } from './errors.js';

/**
 * What the runbook says about each error and exit code besides the advice of the catalogue. A code without an
 * entry does not compile. `npx tsx scripts/write-readme-tables.ts` writes the runbook.
 */

/** What the runbook says about a code besides the advice of the catalogue. */
export interface ErrorGuideEntry {
  readonly happened: string;
  /** What is stored, and what is not. */
  readonly kept: string;
  /** Whether the next run repairs it without anybody; begins with "No" when somebody must correct something. */
  readonly nextRun: string;
}

const nothingYet = 'Nothing was begun; everything is as it was.';
const othersTaken = 'Nothing of this source; the files of the others were taken.';
const notThisFile = 'Nothing of this file; the others were taken.';
const bytesOnly = 'The bytes in the archive and the reason; no row of it.';
const committed = 'What was committed before; the current step was rolled back.';
const once = 'Yes, once it can be reached.';
const afterCorrection = 'No: correct it first; the next run then takes what waited.';
const needsNewFile = 'No: a corrected file has other bytes and is taken as a new one.';
const onceThereIsSpace = 'Yes, once there is space.';

export const errorGuide: Readonly<Record<ErrorCode, ErrorGuideEntry>> = {
  USAGE_INVALID: { happened: 'An argument is wrong.', kept: nothingYet, nextRun: 'No.' },
  CONFIG_UNREADABLE: {
    happened: 'The configuration file cannot be read.',
    kept: nothingYet,
    nextRun: 'No.',
  },
  CONFIG_INVALID: {
    happened: 'A setting, or a file that it names, is wrong; the message lists all that are wrong.',
    kept: nothingYet,
    nextRun: 'No.',
  },
  RUN_ACTIVE: {
    happened: 'Another run of this database is at work; the message names it.',
    kept: nothingYet,
    nextRun: 'Yes: what waits is taken by whichever run comes next.',
  },
  RUN_REPLACED: {
    happened: 'This run was silent for a minute, or lost the connection that holds its lock.',
    kept: 'What it committed before; the database refused everything later.',
    nextRun: 'Yes: the run that took over, or else the next one, goes on from there.',
  },
  RUN_INTERRUPTED: {
    happened: 'A signal asked it to stop, and it stopped at the next boundary (SIGTERM: exit code 143).',
    kept: committed,
    nextRun: 'Yes.',
  },
  RUN_NOT_FOUND: {
    happened: '`recon report` was asked for a run that does not exist or has no reports.',
    kept: nothingYet,
    nextRun: 'No.',
  },
  RECORDS_RETIRED: {
    happened: '`recon rerun` or `recon report` was asked for records that `recon retire` has set aside.',
    kept: nothingYet,
    nextRun: 'No: they stay aside.',
  },
  RECORD_NOT_FOUND: {
    happened: '`recon explain` was asked for a record that is not stored.',
    kept: nothingYet,
    nextRun: 'No.',
  },
  CONTROL_TOTALS_DISAGREE: {
    happened: 'Rows read and rows stored do not add up; somebody changed the tables, or this is a defect.',
    kept: 'The archive; nothing of the current file was stored, and no report was published.',
    nextRun: 'No: it stops at the same place until the cause is gone.',
  },
  SOURCE_UNREACHABLE: {
    happened: 'No connection to the server, or it was lost in the middle, in every attempt.',
    kept: othersTaken,
    nextRun: once,
  },
  SOURCE_AUTHENTICATION: {
    happened:
      'The server refused the user, the password or the key, or did not answer after it got the password.',
    kept: othersTaken,
    nextRun: afterCorrection,
  },
  SOURCE_HOST_KEY: {
    happened: 'The server shows a host key that is not pinned; nobody logged in.',
    kept: othersTaken,
    nextRun: afterCorrection,
  },
  SOURCE_CERTIFICATE: {
    happened:
      'The certificate is expired, of another name, or of an unknown authority; no password was sent.',
    kept: othersTaken,
    nextRun: afterCorrection,
  },
  SOURCE_INSECURE: {
    happened: 'The server offers less protection than is configured, or another host for the data.',
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
    nextRun: 'Yes, once the server answers; the file is fetched from its beginning.',
  },
  FILE_UNREADABLE: {
    happened: 'One file cannot be read, or is a link, a pipe or a folder.',
    kept: notThisFile,
    nextRun: afterCorrection,
  },
  FILE_VANISHED: {
    happened: 'The file was listed and then gone: renamed, moved or deleted by its sender.',
    kept: notThisFile,
    nextRun: 'Yes, if it comes back under any name.',
  },
  FILE_INCOMPLETE: {
    happened: 'Fewer or other bytes arrived than the server announced, in every attempt.',
    kept: notThisFile,
    nextRun: 'Yes, once the server sends it whole.',
  },
  FILE_CHANGING: {
    happened: 'The file is younger than `minimumAgeSeconds`, or changed between two looks.',
    kept: notThisFile,
    nextRun: 'Yes.',
  },
  FILE_NAME_UNSAFE: {
    happened: 'The name holds a path, control characters, or bytes that are not UTF-8.',
    kept: notThisFile,
    nextRun: 'No: it must be renamed.',
  },
  FILE_TOO_LARGE: {
    happened: 'The file is larger than `maximumSizeBytes`, or more bytes than that came.',
    kept: notThisFile,
    nextRun: afterCorrection,
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
    happened: 'The first line is not the header of the 36 columns; the message names the first that differs.',
    kept: bytesOnly,
    nextRun: needsNewFile,
  },
  FILE_QUOTE: {
    happened: 'A quote makes it unsure where rows end.',
    kept: bytesOnly,
    nextRun: needsNewFile,
  },
  FILE_RECORD_TOO_LONG: {
    happened: 'A record is longer than 1 MiB.',
    kept: bytesOnly,
    nextRun: needsNewFile,
  },
  FILE_NO_VALID_ROW: {
    happened: 'Not one row is valid; the message has a line for each column with an example.',
    kept: bytesOnly,
    nextRun: needsNewFile,
  },
  FILE_TOO_MANY_REJECTED: {
    happened: 'The share of rejected rows is above `maxRejectedShare`.',
    kept: bytesOnly,
    nextRun: 'No: get a corrected file, or raise the setting and re-run the range.',
  },
  PAYMENTS_CONTRADICTION: {
    happened:
      '`recon payments import` found values that differ from those of stored payments: another amount, currency, ' +
      'type, reference or moment, for example. Only empty values and the result of a pending payment may change.',
    kept: 'Nothing of the file; the stored payments are as they were.',
    nextRun: 'No.',
  },
  PAYMENTS_FILE_INVALID: {
    happened: '`recon payments import` found lines that are wrong.',
    kept: 'Nothing of the file; the stored payments are as they were.',
    nextRun: 'No.',
  },
  DATABASE_UNREACHABLE: {
    happened: 'No connection to the database, for a minute where the server is just starting.',
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
      'The tables are of another version, were changed by hand, or a restore of the database did not finish.',
    kept: nothingYet,
    nextRun: afterCorrection,
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
    nextRun: 'Yes, unless the message names a right or a setting.',
  },
  DATABASE_EMBEDDED: {
    happened: 'The embedded database cannot be created, started or used; the message says why.',
    kept: committed,
    nextRun: 'Where somebody else was starting or stopping it, yes; else as the message says.',
  },
  DISK_FULL: {
    happened: 'The local disk is full (or, in `recon doctor`, has less than 1 GB left).',
    kept: `${committed} No half file lies under a final name.`,
    nextRun: onceThereIsSpace,
  },
  DISK_FAILED: {
    happened: 'A local folder or file cannot be read or written, or archived bytes are damaged.',
    kept: `${committed} No half file lies under a final name.`,
    nextRun: 'Yes, once the folder may be written; damaged bytes must come from a backup.',
  },
  INTERNAL_ERROR: {
    happened: 'recon itself made a mistake.',
    kept: committed,
    nextRun: 'Perhaps: what was stored is whole, and nothing is lost by trying.',
  },
};

export const exitCodeGuide: Readonly<Record<keyof typeof exitCodes, { means: string; todo: string }>> = {
  done: { means: 'All was done.', todo: 'Nothing.' },
  rejected: {
    means: 'All was done, but a file or row was rejected.',
    todo: 'Look at `rejected-rows.csv` and ask the sender; the run is complete without them.',
  },
  usage: {
    means: 'An argument or the configuration is wrong.',
    todo: 'Correct what is named; nothing was begun.',
  },
  otherRunActive: { means: 'Another run is at work.', todo: 'Nothing, or see “A run that is stuck”.' },
  sourceUnreadable: {
    means: 'A source or file could not be read; the others were, and are matched and reported.',
    todo: 'Look which one; most causes pass, and the next run tries again.',
  },
  database: {
    means: 'The database ended the run.',
    todo: 'See the code below; run again when the cause is gone.',
  },
  disk: { means: 'The local disk ended the run.', todo: 'See “The disk is full”; run again.' },
  discrepancies: {
    means: 'All was done; `--fail-on` was given, and a discrepancy of that severity or higher is open.',
    todo: 'It is a finding, no fault: see `discrepancies.csv`.',
  },
  defect: {
    means: 'A defect of recon itself.',
    todo: 'Run it again with `--log-level debug` and report what it says.',
  },
  interrupted: { means: 'Stopped by SIGINT.', todo: 'Run it again.' },
  terminated: { means: 'Stopped by SIGTERM.', todo: 'Run it again.' },
};
