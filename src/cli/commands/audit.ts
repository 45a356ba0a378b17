import path from 'node:path';
import { verifyLog, type LogVerdict } from '../../audit/verify-log.js';
import { exitCodes, ReconError } from '../../errors.js';
import { auditList, type ListedEvent } from '../../listings/list-audit-events.js';
import { noBatches, onSnapshot, type Batches, type ListSource } from '../../listings/listing.js';
import {
  freeTextCell,
  serializeHeader,
  serializeRows,
  textCell,
  type Cell,
  type CsvFormat,
} from '../../reporting/tables/csv-cells.js';
import { readAuditAnchors } from '../../reporting/folder/verify-reports.js';
import { auditNames } from '../audit-names.js';
import {
  choiceOption,
  isGiven,
  numberOption,
  openRangeOptions,
  textOption,
  usageError,
} from '../command-arguments.js';
import type { CommandContext } from '../command-context.js';
import type { RunCommand } from '../command-definition.js';
import { minuteOf, printList } from '../list-table.js';
import { writeTexts } from '../long-answers.js';
import { printable } from '../text/printable.js';
import { writeOutput } from '../write-output.js';

/** Events of the audit log, the latest first. */
export const list: RunCommand = async (context, _args, options) => {
  const asCsv = isGiven(options, 'csv');
  if (asCsv && context.options.json) throw usageError('--csv and --json exclude each other.');
  const source = auditList({
    action: choiceOption(options, 'action', auditNames),
    author: textOption(options, 'by'),
    subject: textOption(options, 'subject'),
    ...openRangeOptions(options),
  });
  if (asCsv) {
    await printCsv(context, source, numberOption(options, 'limit'));
    return exitCodes.done;
  }
  await printList(context, options, {
    source,
    head: ['event', 'when (UTC)', 'by', 'action', 'about'],
    cells: (event) => [
      event.number,
      minuteOf(event.at),
      printable(event.by),
      event.action,
      printable(event.subject),
    ],
    shorten: 4,
    sentence: ({ details }) => printable(shortened(JSON.stringify(details))),
    none: 'There are no events.',
    filter: { options: ['action', 'by', 'subject', 'from', 'to'], entry: 'event' },
  });
  return exitCodes.done;
};

/** The details fill a line below their event; with --json and --csv, they are whole. */
const mostCharacters = 96;

const shortened = (text: string) =>
  text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters)}…`;

const header = ['Event', 'At', 'By', 'Action', 'Subject', 'Details', 'Hash'];

async function printCsv(
  context: CommandContext,
  source: ListSource<ListedEvent>,
  limit: number | null,
): Promise<void> {
  const format = context.config().reports;
  const database = await context.existingDatabase();
  await writeOutput(context.stdout, (out) =>
    database === undefined
      ? writeTexts(out, csvOf(noBatches, format))
      : onSnapshot(database.sql, (tx) => writeTexts(out, csvOf(source.batches(tx, limit), format))),
  );
}

async function* csvOf(batches: Batches<ListedEvent>, format: CsvFormat): AsyncGenerator<string> {
  yield serializeHeader(header, format);
  for await (const batch of batches) yield serializeRows(batch.map(cellsOf), format);
}

function cellsOf({ number, at, by, action, subject, details, hash }: ListedEvent): Cell[] {
  return [
    Number(number),
    textCell(at),
    freeTextCell(by),
    textCell(action),
    freeTextCell(subject),
    freeTextCell(JSON.stringify(details)),
    textCell(hash),
  ];
}

/**
 * Reads the whole chain of the audit log, also against the manifests of reports; the error of a broken chain is part of
 * the document.
 */
export const verify: RunCommand = async (context, _args, options) => {
  const head = textOption(options, 'head')?.toLowerCase() ?? null;
  if (head !== null && !/^[0-9a-f]{64}$/.test(head)) {
    throw usageError('--head must be a hash of 64 hexadecimal digits.');
  }
  const reports = await readAuditAnchors(path.join(context.config().dataDirectory, 'reports'));
  const anchors = reports.map(({ folder, audit }) => ({ name: `the report ${folder}`, ...audit }));
  const given = head === null ? [] : [{ name: '--head', number: null, hash: head }];
  const { sql } = await context.database();
  const verdict = await verifyLog(sql, [...given, ...anchors]);
  if (verdict.broken !== null) return printBroken(context, verdict, verdict.broken.message);
  context.print(documentOf(verdict), () => sentences(verdict).join('\n'));
  return exitCodes.done;
};

function printBroken(context: CommandContext, verdict: LogVerdict, message: string): number {
  const error = new ReconError('AUDIT_BROKEN', `The audit log is not as it was written. ${message}`);
  if (!context.options.json) throw error;
  const { code, advice, exitCode } = error;
  const document = { ...documentOf(verdict), error: { code, message: error.message, advice }, exitCode };
  context.print(document, () => '');
  return exitCode;
}

function documentOf({ intact, events, removedThrough, head, anchors, broken }: LogVerdict) {
  return {
    intact,
    events,
    removedThrough: removedThrough.toString(),
    head: { number: head.number.toString(), hash: head.hash },
    anchors,
    broken: broken === null ? null : { ...broken, number: broken.number.toString() },
  };
}

function sentences({ events, removedThrough, head, anchors }: LogVerdict): string[] {
  const { found, tooOld } = anchors;
  return [
    `The audit log is intact: ${events === 1 ? '1 event' : `${events} events`}; the last is ${head.number}, with the hash ${head.hash}.`,
    ...(removedThrough === 0n ? [] : [`Retention removed the events up to ${removedThrough}.`]),
    ...(found === 0
      ? ['No report names one of its hashes yet.']
      : [
          found === 1
            ? 'It contains 1 hash that a report or --head names.'
            : `It contains ${found} hashes that reports or --head name.`,
        ]),
    ...(tooOld === 0
      ? []
      : [
          `${tooOld === 1 ? '1 hash of a report is' : `${tooOld} hashes of reports are`} older than the events that are kept.`,
        ]),
  ];
}
