import { listDiscrepancies, listFiles, listRuns } from '../../run/list-stored.js';
import { choiceOption, countOption, rangeOptions, severities, textOption } from '../command-arguments.js';
import type { RunCommand } from '../program.js';
import { textTable } from '../text-table.js';

const usualLimit = 50;
const shown = (value: string | number | null) => (value === null ? '' : String(value));
/** `2026-11-20 05:30:01.5+00` without what nobody reads in a table. */
const minute = (moment: string | null) => shown(moment).slice(0, 16);

function tableOf(
  head: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
  none: string,
): string {
  return rows.length === 0
    ? none
    : textTable(
        head,
        rows.map((row) => row.map(shown)),
      );
}

export const runs: RunCommand = async (context, _args, options) => {
  const status = choiceOption(options, 'status', [
    'running',
    'completed',
    'failed',
    'interrupted',
    'abandoned',
  ]);
  const list = await listRuns(await context.database(), {
    status,
    limit: countOption(options, 'limit', usualLimit),
  });
  context.print(list, () =>
    tableOf(
      ['run', 'kind', 'status', 'started (UTC)', 'ended', 'as of', 'from', 'to', 'exit', 'error'],
      list.map((run) => [
        run.runId,
        run.kind,
        run.status,
        minute(run.startedAt),
        minute(run.finishedAt),
        run.asOf,
        run.from,
        run.to,
        run.exitCode,
        run.errorCode,
      ]),
      'No runs yet.',
    ),
  );
  return 0;
};

export const files: RunCommand = async (context, _args, options) => {
  const list = await listFiles(await context.database(), {
    status: choiceOption(options, 'status', ['received', 'loaded', 'rejected', 'failed']),
    source: textOption(options, 'source'),
    runId: textOption(options, 'run') === null ? null : countOption(options, 'run', 0),
    limit: countOption(options, 'limit', usualLimit),
  });
  context.print(list, () =>
    tableOf(
      [
        'file',
        'source',
        'name',
        'status',
        'received (UTC)',
        'rows',
        'rejected',
        'known',
        'from',
        'to',
        'error',
      ],
      list.map((file) => [
        file.fileId,
        file.source,
        file.name,
        file.status,
        minute(file.receivedAt),
        file.total,
        file.rejected,
        file.alreadyKnown,
        file.from,
        file.to,
        file.errorCode,
      ]),
      'No files.',
    ),
  );
  return 0;
};

export const discrepancies: RunCommand = async (context, _args, options) => {
  const list = await listDiscrepancies(await context.database(), {
    code: textOption(options, 'code'),
    severity: choiceOption(options, 'severity', severities),
    range: rangeOptions(options),
    withResolved: options['all'] === true,
    limit: countOption(options, 'limit', usualLimit),
  });
  context.print(list, () =>
    tableOf(
      ['severity', 'code', 'where', 'date', 'difference', 'message'],
      list.map((one) => [
        one.severity,
        one.code,
        one.file === null ? one.paymentId : `${one.file}:${one.line ?? ''}`,
        one.date,
        one.difference,
        one.message,
      ]),
      'Nothing is open.',
    ),
  );
  return 0;
};
