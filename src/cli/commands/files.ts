import { exitCodes } from '../../errors.js';
import { fileStatuses, listFiles } from '../../listings/list-files.js';
import { choiceOption, numberOption, runIdOption, textOption } from '../command-arguments.js';
import type { RunCommand } from '../commands.js';
import { printList, minuteOf, usualLimit } from '../list-table.js';

export const files: RunCommand = async (context, _args, options) => {
  const filter = {
    status: choiceOption(options, 'status', fileStatuses),
    source: textOption(options, 'source'),
    runId: runIdOption(options),
    limit: numberOption(options, 'limit') ?? usualLimit,
  };
  const { rows, total } = await listFiles((await context.database()).sql, filter);
  printList(context, rows, {
    head: [
      'file',
      'run',
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
    rows: rows.map((file) => [
      file.fileId,
      file.runId,
      file.source,
      file.name,
      { text: file.status, tone: file.status === 'loaded' ? 'good' : 'bad' },
      minuteOf(file.receivedAt),
      file.rows.total,
      file.rows.rejected,
      file.rows.alreadyKnown,
      file.firstSettlementDate,
      file.lastSettlementDate,
      file.error?.code ?? null,
    ]),
    total,
    none: 'No files.',
  });
  return exitCodes.done;
};
