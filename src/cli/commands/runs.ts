import { exitCodes } from '../../errors.js';
import { runList, runStatuses, type RunStatus } from '../../listings/list-runs.js';
import { choiceOption } from '../command-arguments.js';
import type { Tone } from '../command-context.js';
import type { RunCommand } from '../command-definition.js';
import { printList, minuteOf } from '../list-table.js';

const tones: Readonly<Record<RunStatus, Tone>> = {
  running: 'strong',
  completed: 'good',
  failed: 'bad',
  interrupted: 'doubtful',
  abandoned: 'doubtful',
};

/** `recon runs`: the runs and re-runs, the latest first; `--status` narrows them. */
export const runs: RunCommand = async (context, _args, options) => {
  const filter = {
    status: choiceOption(options, 'status', runStatuses),
  };
  const toneOf = (status: string) => tones[runStatuses.find((each) => each === status) ?? 'running'];
  await printList(context, options, {
    source: runList(filter),
    head: [
      'run',
      'kind',
      'status',
      'as of',
      'from',
      'to',
      'started (UTC)',
      'ended',
      'exit',
      'found',
      'error',
    ],
    cells: (run) => [
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
    ],
    none: 'There are no runs yet.',
    filter: { options: ['status'], entry: 'run' },
  });
  return exitCodes.done;
};
