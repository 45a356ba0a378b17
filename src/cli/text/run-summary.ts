import path from 'node:path';
import { errorCatalogue } from '../../errors.js';
import type { FileOutcome, ReportDelivery, RunOutcome } from '../../outcome.js';
import type { Paint, Tone } from '../command-context.js';
import { discrepanciesBySeverity } from '../discrepancies-by-severity.js';
import { groupThousands } from '../../values/group-thousands.js';
import { expectedLines } from './expected-lines.js';
import { printable, printableLines } from './printable.js';
import { textTable, type TableCell } from './text-table.js';
import { totalsLines } from './totals-lines.js';

interface Reader {
  /** Paths below it are shown relative to it. */
  readonly cwd: string;
  readonly paint: Paint;
  /** The suggested next commands; the demo has its own. */
  readonly next?: readonly string[];
}

/** The summary of a completed run, with the most important facts first. */
export function runSummary(outcome: RunOutcome, { cwd, paint, next = nextLines(outcome) }: Reader): string {
  const name = outcome.kind === 'run' ? 'Run' : 'Re-run';
  const heading =
    outcome.runId === 0
      ? 'Reports of stored records'
      : `${name} ${outcome.runId} ${outcome.reports === null ? 'was a dry run: nothing was kept' : 'completed'}`;
  const { matching, chargebacks } = outcome;
  return [
    paint('strong', heading) + ` (as of ${outcome.asOf})`,
    ...(outcome.notices ?? []).map((notice) => paint('doubtful', printable(notice))),
    ...(isPlainRerun(outcome) ? [] : section('Files', filesLines(outcome, paint))),
    ...section('Expected deliveries', expectedLines(outcome.expected, paint)),
    ...section('Corrected deliveries', withdrawalLines(outcome)),
    ...section('Records', [
      `${count(matching.MATCHED)} matched, ${count(matching.MULTIPLE_MATCHES)} ambiguous, ` +
        `${count(matching.NOT_MATCHED)} not matched, ${feesText(matching.NOT_APPLICABLE)}`,
      `Chargebacks: ${count(chargebacks.assigned)} with an id, ${count(chargebacks.reversed)} reversed`,
    ]),
    ...section('Totals', outcome.totals === null ? [] : totalsLines(outcome.totals, paint)),
    ...section('Discrepancies', discrepancyLines(outcome, paint)),
    ...section('Open items', itemLines(outcome)),
    ...section('Reports', reportLines(outcome, cwd)),
    ...section('Next', next),
  ].join('\n');
}

/** A re-run without new files prints nothing about files. */
function isPlainRerun({ kind, files, sources }: RunOutcome): boolean {
  return kind === 'rerun' && files.length === 0 && sources.length === 0;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.flatMap((each) => each.split('\n')).map(indented)];
}

const indented = (line: string) => `  ${line}`;

const tones: Readonly<Record<FileOutcome['status'], Tone>> = {
  loaded: 'good',
  duplicate: 'faint',
  deferred: 'doubtful',
  rejected: 'bad',
  failed: 'bad',
};

function filesLines({ files, sources }: RunOutcome, paint: Paint): string[] {
  const unread = sources
    .filter((source) => source.error !== null)
    .map(
      ({ name, error }) =>
        `${paint('bad', `source ${name} could not be read`)}: ${printable(error?.message ?? '')} (${error?.code ?? ''})`,
    );
  if (files.length === 0) return [...unread, ...adviceLines({ files, sources }), 'none'];
  const rows = files.map(({ source, name, status, rows }): TableCell[] => [
    source,
    name,
    { text: status, tone: tones[status] },
    count(rows.total),
    count(rows.accepted),
    { text: count(rows.rejected), tone: rows.rejected > 0 ? 'bad' : 'faint' },
    count(rows.alreadyKnown),
  ]);
  const named = namedFiles(files);
  const notes = named.flatMap(({ called, note }) => (note === undefined ? [] : [`${called}: ${note}`]));
  const reasons = named.flatMap(({ called, error }) =>
    error === null ? [] : [`${afterName(called, printableLines(error.message))} (${error.code})`],
  );
  return [
    textTable(['source', 'file', 'status', 'rows', 'accepted', 'rejected', 'known'], rows, {
      paint,
      shorten: 1,
    }),
    ...reasons,
    ...notes,
    ...unread,
    ...adviceLines({ files, sources }),
  ];
}

/** What to do about the files and sources that could not be taken: once for each code. */
function adviceLines({ files, sources }: Pick<RunOutcome, 'files' | 'sources'>): string[] {
  const codes = new Set([...files, ...sources].flatMap(({ error }) => (error === null ? [] : [error.code])));
  return [...codes].map((code) => `${code}: ${errorCatalogue[code].advice}`);
}

/** A message after the name that it is about, unless the message begins with the name. */
function afterName(name: string, message: string): string {
  return message.startsWith(`${name} `) ? message : `${name}: ${message}`;
}

/** The files with their names, and with their sources where several sources had a file of one name. */
function namedFiles(files: RunOutcome['files']) {
  const firstSource = new Map<string, string>();
  const shared = new Set<string>();
  for (const { name, source } of files) {
    const first = firstSource.get(name);
    if (first === undefined) firstSource.set(name, source);
    else if (first !== source) shared.add(name);
  }
  return files.map((file) => ({
    ...file,
    called: shared.has(file.name)
      ? `${printable(file.name)} of ${printable(file.source)}`
      : printable(file.name),
  }));
}

/** The records that need no payment. */
function feesText(fees: number): string {
  return fees === 1 ? '1 fee of an account or payout' : `${count(fees)} fees of accounts or payouts`;
}

function withdrawalLines({ withdrawals = [] }: RunOutcome): string[] {
  return withdrawals.map(
    ({ status, name, sha256, records, by, reason }) =>
      `${printable(name)} (${sha256.slice(0, 8)}) was ${status} by ${printable(by)}: ` +
      `${countsAs(status, records)} (${printable(reason)})`,
  );
}

function countsAs(status: 'withdrawn' | 'restored', records: number): string {
  const [which, counts] = records === 1 ? ['1 record', 'counts'] : [`${count(records)} records`, 'count'];
  return status === 'withdrawn' ? `${which} no longer ${counts}` : `${which} ${counts} again`;
}

const severityTones = { error: 'bad', warning: 'doubtful', info: 'faint' } as const;

function discrepancyLines({ discrepancies }: RunOutcome, paint: Paint): string[] {
  const found = discrepanciesBySeverity(discrepancies);
  if (found.length === 0) return [paint('good', 'none')];
  const rows = found.flatMap(({ severity, code, withinTolerance, count: number, amounts }): TableCell[][] => {
    const [first = '', ...more] = wrapped(
      amounts.map(({ amount, currency }) => `${groupThousands(amount)} ${currency}`),
    );
    return [
      [
        { text: severity, tone: severityTones[severity] },
        withinTolerance ? `${code} (within the tolerance)` : code,
        count(number),
        first,
      ],
      ...more.map((line) => ['', '', '', line]),
    ];
  });
  return [textTable(['severity', 'code', 'count', 'amount'], rows, { paint })];
}

/** Amounts in lines that leave room for the columns beside them. */
function wrapped(amounts: readonly string[]): string[] {
  const lines: string[] = [];
  for (const amount of amounts) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + amount.length < 36)
      lines[lines.length - 1] = `${last}, ${amount}`;
    else lines.push(amount);
  }
  return lines;
}

/** What is open in the whole database, beyond what this run looked at. */
function itemLines({ items, runId }: RunOutcome): string[] {
  const lapsed = items.lapsed === 0 ? '' : `, ${count(items.lapsed)} of them with a decision that lapsed`;
  return [
    `${count(items.open)} open${lapsed}; ${count(items.waiting)} waiting, ${count(items.accepted)} accepted`,
    ...(runId === 0 ? [] : [`${count(items.new)} new in this run, ${count(items.resolved)} resolved by it`]),
  ];
}

function reportLines({ reports, deliveries = [] }: RunOutcome, cwd: string): string[] {
  if (reports === null) return [];
  const near = (file: string) => {
    const relative = path.relative(cwd, file);
    return printable(relative === '' || relative.startsWith('..') ? file : relative);
  };
  return [
    `${near(reports.directory)}${path.sep}`,
    `to read: ${near(reports.page)}`,
    `for finance: ${near(reports.openItemsXlsx)}`,
    `of this run: ${near(reports.discrepancies)}`,
    `totals: ${near(reports.totals)}`,
    `rejected rows: ${near(reports.rejectedRows)}`,
    `to correct them: ${near(reports.corrections)}`,
    ...deliveryLines(deliveries),
  ];
}

/** What was delivered; a notice at the top says what was not. */
function deliveryLines(deliveries: readonly ReportDelivery[]): string[] {
  return deliveries
    .filter(({ status }) => status === 'delivered')
    .map(({ target, folder }) => `delivered to ${target}: ${folder}`);
}

/** What to do next; empty if there is nothing to do. */
function nextLines({ kind, files, sources, discrepancies, reports }: RunOutcome): string[] {
  if (reports === null) return [];
  const is = (status: FileOutcome['status']) => files.some((file) => file.status === status);
  const unread = sources.some(({ status }) => status === 'failed');
  // Files that were given with --file belong to no source, so no other run looks at them.
  const isGiven = kind === 'run' && sources.length === 0;
  const isAgain =
    unread || files.some(({ status, source }) => status === 'failed' && !(isGiven && source === 'local'));
  return [
    ...(discrepancies.total > 0
      ? [
          'recon items                      open items, the most money first',
          'recon explain FILE:LINE          why a record matched as it did',
        ]
      : []),
    ...(is('rejected') ? ['recon files --status rejected    which files were not taken, and why'] : []),
    ...(isAgain ? ['recon doctor                     what is wrong; the next run tries again'] : []),
    ...((is('failed') || (isGiven && is('deferred'))) && !isAgain
      ? ['recon run --file PATH            again, once that is corrected; no other run reads the file']
      : []),
  ];
}

/** `1,234` */
const count = (number: number) => groupThousands(String(number));
