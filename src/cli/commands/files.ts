import { exitCodes } from '../../errors.js';
import { withdrawFile, type WithdrawalRequest, type WithdrawnFile } from '../../intake/withdraw-file.js';
import { inOwnTransaction } from '../../db/transaction.js';
import { fileList, fileStatuses, type FileStatus, type ListedFile } from '../../listings/list-files.js';
import { authorOption, choiceOption, runIdOption, textOption, usageError } from '../command-arguments.js';
import type { Tone } from '../command-context.js';
import type { RunCommand } from '../command-definition.js';
import { maskCardNumbers } from '../../values/mask-card-numbers.js';
import { printable } from '../text/printable.js';
import { printList, minuteOf } from '../list-table.js';

const tones: Readonly<Record<FileStatus, Tone>> = {
  received: 'doubtful',
  loaded: 'good',
  rejected: 'bad',
  retired: 'faint',
  withdrawn: 'doubtful',
};

/** The settlement files, the latest first. */
export const files: RunCommand = async (context, _args, options) => {
  const filter = {
    status: choiceOption(options, 'status', fileStatuses),
    source: textOption(options, 'source'),
    runId: runIdOption(options),
  };
  await printList(context, options, {
    source: fileList(filter),
    head: [
      'file',
      'run',
      'source',
      'name',
      'sha256',
      'status',
      'received (UTC)',
      'rows',
      'rejected',
      'known',
      'from',
      'to',
      'error, or why withdrawn',
    ],
    cells: (file) => [
      file.fileId,
      file.runId,
      file.source,
      file.name,
      // As many digits as other messages name, and as FILE accepts.
      file.sha256.slice(0, 8),
      { text: file.status, tone: tones[file.status] },
      minuteOf(file.receivedAt),
      file.rows.total,
      file.rows.rejected,
      file.rows.alreadyKnown,
      file.firstSettlementDate,
      file.lastSettlementDate,
      remarkOf(file),
    ],
    none: 'There are no files.',
    foundByRuns: true,
    filter: { options: ['status', 'source', 'run'], entry: 'file' },
  });
  return exitCodes.done;
};

function remarkOf({ withdrawal, error, archiveRemovedAt }: ListedFile): string | null {
  if (withdrawal !== null) return `by ${withdrawal.by}: ${withdrawal.reason}`;
  if (error !== null) return error.code;
  return archiveRemovedAt === null ? null : `bytes removed on ${archiveRemovedAt.slice(0, 10)}`;
}

/** Excludes the records of a file from the next run on. */
export const withdraw: RunCommand = (...given) => decideAboutFile('withdraw', ...given);

/** Takes a withdrawal back, from the next run on. */
export const restore: RunCommand = (...given) => decideAboutFile('restore', ...given);

async function decideAboutFile(
  kind: WithdrawalRequest['kind'],
  ...[context, [file = ''], options]: Parameters<RunCommand>
): Promise<number> {
  // As it is stored: this is printed too.
  const reason = maskCardNumbers(textOption(options, 'reason')?.trim() ?? '');
  if (reason === '') throw usageError(`files ${kind} needs --reason TEXT: it is kept with the file.`);
  const author = authorOption(options, context.environment);
  const { sql } = await context.database();
  const decidedAt = new Date().toISOString();
  const done = await inOwnTransaction(sql, (tx) =>
    withdrawFile(tx, { kind, file, reason, author, decidedAt }),
  );
  context.print({ ...done, by: author, reason, at: decidedAt }, () => {
    return effectOf(kind, done);
  });
  return exitCodes.done;
}

/** What a withdrawal or restoration changes, and when. */
function effectOf(kind: WithdrawalRequest['kind'], done: WithdrawnFile): string {
  const called = `${printable(done.name)} (${done.sha256.slice(0, 8)})`;
  const { firstSettlementDate: from, lastSettlementDate: to } = done;
  if (done.wasRejected) {
    return kind === 'withdraw'
      ? `${called} is withdrawn. It was rejected, so it has no records: re-runs no longer try or report it.`
      : `${called} is restored. It was rejected: re-runs of its days try it again.`;
  }
  const effect =
    kind === 'withdraw'
      ? `${called} is withdrawn: from the next run on its records do not count.`
      : `${called} is restored: from the next run on its records count again.`;
  const rerun = from === null || to === null ? 'recon run' : `recon rerun --from ${from} --to ${to}`;
  return `${effect}\nTo apply this at once: ${rerun}`;
}
