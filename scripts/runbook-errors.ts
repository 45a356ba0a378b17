import { errorCatalogue, exitCodes, type ErrorCode, type FailureClass } from '../src/errors.js';
import { errorGuide, exitCodeGuide } from '../src/error-guide.js';
import { headingAnchor } from './heading-anchor.js';

const ends: Readonly<Record<FailureClass, string>> = {
  content: 'this file, which is rejected; the run continues',
  file: 'this file; the run continues',
  connection: 'the file that is being fetched, or the source if no file is being fetched; the run continues',
  source: 'this source; the run continues',
  run: 'the command',
};

/** Where the class of the error says too much. */
const endsOf: Partial<Record<ErrorCode, string>> = {
  ARCHIVE_NOT_SHARED: 'nothing: the worker continues with other files. `recon doctor` ends with exit code 6',
  WORKER_UNUSABLE: '`recon doctor`, after its other checks; runs and workers continue',
};

/** The situations of the runbook, step by step, that an error code leads to: their headings. */
const situations: Partial<Record<ErrorCode, readonly string[]>> = {
  FILE_EMPTY: ['A rejected file, and its second delivery'],
  FILE_ENCODING: ['A rejected file, and its second delivery', 'A file went through a spreadsheet'],
  FILE_HEADER: ['A rejected file, and its second delivery', 'A file went through a spreadsheet'],
  FILE_QUOTE: ['A rejected file, and its second delivery', 'A file went through a spreadsheet'],
  FILE_RECORD_TOO_LONG: ['A rejected file, and its second delivery'],
  FILE_NO_VALID_ROW: ['A rejected file, and its second delivery', 'A file went through a spreadsheet'],
  FILE_TOO_MANY_REJECTED: ['A rejected file, and its second delivery'],
  FILE_TOTALS_DIFFER: ['A rejected file, and its second delivery'],
  RECORDS_RETIRED: ['Removing old months'],
  ARCHIVE_REMOVED: ['Removing old data'],
  WORKER_UNUSABLE: ['A worker loads nothing, or is to be updated'],
  ARCHIVE_KEY_MISSING: ['Changing the key of the archive'],
  FILE_IS_WITHDRAWN: ['A file was loaded that should not count'],
  FILE_NOT_WITHDRAWN: ['A file was loaded that should not count'],
  REVIEW_REFUSED: ['The review page cannot be opened'],
  PAYMENTS_FILE_INVALID: ['A file went through a spreadsheet'],
  PAYMENTS_CONTRADICTION: ['A payments file contradicts stored payments'],
  DIVISION_REFUSED: ['The data no longer fits on one server'],
  MOVE_REFUSED: ['Moving the database to a server, or back'],
  RUN_ACTIVE: ['A run that is stuck', 'Taking a run over'],
  SOURCE_AUTHENTICATION: ['Passwords and keys of a source are changed'],
  FILE_DECRYPTION_FAILED: ['An encrypted file is refused'],
  FILE_SIGNATURE_INVALID: ['An encrypted file is refused'],
  SOURCE_HOST_KEY: ['The host key changed', 'A new SFTP source, and its host key'],
  SOURCE_CERTIFICATE: ['The certificate is expired, or not accepted'],
  SOURCE_INSECURE: ['An old SFTP server that knows only SHA-1'],
  REPORT_UNDELIVERED: ['A report was not delivered'],
  RUN_REPLACED: ['Taking a run over'],
  AUDIT_BROKEN: ['Who did it, and whether the audit log is complete'],
  DATABASE_UNREACHABLE: ['The database is down', 'The database and TLS'],
  DATABASE_AUTHENTICATION: ['The database and TLS'],
  DATABASE_SCHEMA: ['A backup, and restoring it'],
  SHARD_UNREACHABLE: ['A shard does not answer, or is refused'],
  SHARD_INVALID: ['A shard does not answer, or is refused'],
  DIVISION_NOT_VERIFIED: ['The data no longer fits on one server'],
  DATABASE_MOVED: ['Moving the database to a server, or back'],
  MOVE_NOT_VERIFIED: ['Moving the database to a server, or back'],
  DATABASE_FULL: ['The disk is full'],
  DATABASE_FAILED: ['The database is down'],
  DATABASE_EMBEDDED: ['The embedded database belongs to the wrong user'],
  ARCHIVE_NOT_SHARED: ['A worker loads nothing, or is to be updated'],
  DISK_FULL: ['The disk is full'],
  DISK_FAILED: ['A permission is missing, or too wide', 'Proving that reports are unchanged'],
  RUN_MISSING: ['A scheduled run was missed'],
};

// The keys of the record are the names; Object.entries loses their type.
const exitNames = Object.keys(exitCodes) as (keyof typeof exitCodes)[];

export const runbookTables: Readonly<Record<string, string>> = {
  'exit codes': [
    '| code | what happened | what to do |',
    '| --- | --- | --- |',
    ...exitNames.map((name) => {
      const { means, whatToDo } = exitCodeGuide[name];
      return `| ${exitCodes[name]} | ${means} | ${whatToDo} |`;
    }),
  ].join('\n'),
  'error codes': exitNames
    .flatMap((name) => {
      const codes = (Object.keys(errorCatalogue) as ErrorCode[]).filter(
        (code) => errorCatalogue[code].exitCode === exitCodes[name],
      );
      if (codes.length === 0) return [];
      return [[`### Exit code ${exitCodes[name]}`, ...codes.map((code) => section(code))].join('\n\n')];
    })
    .join('\n\n'),
};

function section(code: ErrorCode): string {
  const { happened, kept, nextRun } = errorGuide[code];
  return [
    `#### \`${code}\``,
    '',
    happened,
    '',
    `- What it ends: ${endsOf[code] ?? ends[errorCatalogue[code].of]}.`,
    `- What was kept: ${kept}`,
    `- What to do: ${errorCatalogue[code].advice}`,
    `- Fixed by the next run: ${nextRun}`,
    ...stepByStep(code),
  ].join('\n');
}

function stepByStep(code: ErrorCode): string[] {
  const links = situations[code]?.map((heading) => `[${heading}](#${headingAnchor(heading)})`);
  return links === undefined ? [] : [`- Step by step: ${links.join('; ')}.`];
}
