import { alertKinds, type AlertKind } from '../src/alerts/alert.js';
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
  DELIVERY_MISSING: 'nothing: the run continues, and ends with exit code 8',
  REPORT_UNDELIVERED: 'the delivery to this place; the run, and deliveries to other places, continue',
  REVIEW_REFUSED: 'the request of the browser; `recon review` continues',
  REVIEW_BUSY: 'the request of the browser; `recon review` continues',
  RUN_MISSING: 'nothing: `recon doctor` makes its other checks, and ends with exit code 8',
  WORKER_UNUSABLE: '`recon doctor`, after its other checks; runs and workers continue',
};

/** The situations of the runbook, step by step, that an error code leads to: their headings. */
const situations: Partial<Record<ErrorCode, readonly string[]>> = {
  FILE_PACKED_DAMAGED: ['A rejected file, and its second delivery'],
  FILE_PACKED_ENTRIES: ['A rejected file, and its second delivery'],
  FILE_PACKED_PASSWORD: ['A rejected file, and its second delivery'],
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
  ARCHIVE_KEY_MISSING: ['Changing the key of the archive, and a lost key'],
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
  RUN_INTERRUPTED: ['Without a terminal'],
  RUN_REPLACED: ['Taking a run over'],
  AUDIT_BROKEN: ['Who did it, and whether the audit log is complete'],
  DATABASE_UNREACHABLE: ['The database is down', 'A connection pooler', 'The database and TLS'],
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
  DELIVERY_MISSING: ['A delivery did not arrive'],
  SOURCE_UNREACHABLE: ['A source cannot be read'],
  SOURCE_LISTING: ['A source cannot be read'],
  SOURCE_STALLED: ['A source cannot be read'],
};

/** What a kind of alert says, and the heading of the steps. */
const alertGuide: Readonly<Record<AlertKind, readonly [says: string, heading: string]>> = {
  'run-failed': ['A run failed, or could not begin.', 'A run failed'],
  'run-missing': ['A planned run did not begin.', 'A scheduled run was missed'],
  'file-missing': ['An expected delivery is missing past its deadline.', 'A delivery did not arrive'],
  'source-down': ['A run could not read a source.', 'A source cannot be read'],
  'delivery-failed': ['A report could not be delivered.', 'A report was not delivered'],
  'new-items': ['A run found more new items than the threshold.', 'A threshold of an alert is exceeded'],
  'new-at-risk': [
    'The new items put more money at risk than the threshold.',
    'A threshold of an alert is exceeded',
  ],
  'open-at-risk': [
    'All open and waiting items put more money at risk than the threshold.',
    'A threshold of an alert is exceeded',
  ],
};

// The keys of the record are the names; Object.entries loses their type.
const exitNames = Object.keys(exitCodes) as (keyof typeof exitCodes)[];

const allCodes = Object.keys(errorCatalogue) as ErrorCode[];

export const runbookTables: Readonly<Record<string, string>> = {
  'index of error codes': indexOfCodes(),
  'index of alert kinds': [
    '| kind | what it says | what to do |',
    '| --- | --- | --- |',
    ...alertKinds.map((kind) => {
      const [says, heading] = alertGuide[kind];
      return `| \`${kind}\` | ${says} | ${linkTo(heading)} |`;
    }),
  ].join('\n'),
  'exit codes': [
    '| code | what happened | what to do |',
    '| --- | --- | --- |',
    ...exitNames.map((name) => {
      const { means, whatToDo } = exitCodeGuide[name];
      return `| ${exitCodes[name]} | ${means} | ${withLinks(whatToDo)} |`;
    }),
  ].join('\n'),
  'error codes': exitNames
    .flatMap((name) => {
      const codes = allCodes.filter((code) => errorCatalogue[code].exitCode === exitCodes[name]);
      if (codes.length === 0) return [];
      const shared = sharedLines(codes);
      const intro =
        shared.length === 0 ? [] : [['Unless an entry says otherwise:', '', ...shared].join('\n')];
      return [
        [`### Exit code ${exitCodes[name]}`, ...intro, ...codes.map((code) => section(code, shared))].join(
          '\n\n',
        ),
      ];
    })
    .join('\n\n'),
};

/** The codes in alphabetical order, one row for those with the same first word. */
function indexOfCodes(): string {
  const rows = new Map<string, string[]>();
  for (const code of [...allCodes].sort(byWords)) {
    const [word = ''] = code.split('_');
    rows.set(word, [...(rows.get(word) ?? []), `[\`${code}\`](#${headingAnchor(code)})`]);
  }
  return [
    '| begins with | error codes |',
    '| --- | --- |',
    ...[...rows].map(([word, links]) => `| ${word} | ${links.join(' · ')} |`),
  ].join('\n');
}

/** `RECORD_NOT_FOUND` is before `RECORDS_RETIRED`, as in a dictionary. */
function byWords(one: string, other: string): number {
  return one.replaceAll('_', ' ') < other.replaceAll('_', ' ') ? -1 : 1;
}

/** What the entry of a code says, except what to do. */
function factsOf(code: ErrorCode): readonly string[] {
  const { kept, nextRun } = errorGuide[code];
  return [
    `- What it ends: ${endsOf[code] ?? ends[errorCatalogue[code].of]}.`,
    `- What was kept: ${kept}`,
    `- Fixed by the next run: ${nextRun}`,
  ];
}

/** The lines that more than half of several codes have; the entries then leave them out. */
function sharedLines(codes: readonly ErrorCode[]): string[] {
  if (codes.length < 3) return [];
  const lines = codes.flatMap(factsOf);
  return [...new Set(lines)]
    .filter((line) => lines.filter((each) => each === line).length > codes.length / 2)
    .sort((one, other) => order(one) - order(other));
}

function order(line: string): number {
  return ['- What it ends', '- What was kept', '- Fixed'].findIndex((begin) => line.startsWith(begin));
}

function section(code: ErrorCode, shared: readonly string[]): string {
  return [
    `#### \`${code}\``,
    '',
    errorGuide[code].happened,
    '',
    `- What to do: ${errorCatalogue[code].advice}`,
    ...factsOf(code).filter((line) => !shared.includes(line)),
    ...stepByStep(code),
  ].join('\n');
}

function stepByStep(code: ErrorCode): string[] {
  const links = situations[code]?.map(linkTo);
  return links === undefined ? [] : [`- Step by step: ${links.join('; ')}.`];
}

/** A heading in quotes becomes a link. */
function withLinks(text: string): string {
  return text.replace(/“([^”]*)”/g, (_all, heading: string) => linkTo(heading));
}

function linkTo(heading: string): string {
  return `[${heading}](#${headingAnchor(heading)})`;
}
