import { exitCodes } from '../../errors.js';
import { listRuns, runStatuses, type RunStatus } from '../../listings/list-runs.js';
import { choiceOption, numberOption } from '../command-arguments.js';
import type { Tone } from '../command-context.js';
import type { RunCommand } from '../commands.js';
import { printList, minuteOf, usualLimit } from '../list-table.js';

const tones: Readonly<Record<RunStatus, Tone>> = {
  running: 'strong',
  completed: 'good',
  failed: 'bad',
  interrupted: 'doubtful',
  abandoned: 'doubtful',
};

export const runs: RunCommand = async (context, _args, options) => {
  const filter = {
    status: choiceOption(options, 'status', runStatuses),
    limit: numberOption(options, 'limit') ?? usualLimit,
  };
  const { rows, total } = await listRuns((await context.database()).sql, filter);
  const toneOf = (status: string) => tones[runStatuses.find((each) => each === status) ?? 'running'];
  printList(context, rows, {
    head: ['run', 'kind', 'status', 'as of', 'from', 'to', 'started (UTC)', 'ended', 'exit', 'open', 'error'],
    rows: rows.map((run) => [
      run.runId,
      run.kind,
      { text: run.status, tone: toneOf(run.status) },
      run.asOf,
      run.from,
      run.to,
      minuteOf(run.startedAt),
      minuteOf(run.finishedAt),
      run.exitCode,
      run.discrepancies,
      run.errorCode,
    ]),
    total,
    none: 'No runs yet.',
  });
  return exitCodes.done;
};
