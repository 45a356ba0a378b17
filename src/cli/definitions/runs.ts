import type { CommandDefinition } from '../command-definition.js';
import { asOf, days, dryRun, failOn, from, limit, required, to } from './shared-options.js';

/** A report that could not be delivered does not change the exit code of a run. */
const ofRuns = {
  4: 'a source or file could not be read, the others were',
  8: 'an expected file is missing past its deadline',
};

/** Runs: start them, repeat them, list them. */
export const runCommands: readonly CommandDefinition[] = [
  {
    name: 'run',
    summary: 'fetch new files, match their records and write reports',
    options: [
      ['--source <name>', 'read only this source (may be repeated)'],
      ['--file <path>', 'take this local file instead of the sources (may be repeated)'],
      asOf,
      dryRun,
      failOn,
    ],
    repeatable: ['--source', '--file'],
    exitCodes: [1, 3, 4, 5, 6, 7, 8],
    exitMeanings: ofRuns,
    examples: [
      'recon run',
      'recon run --source acquirer --json',
      'recon run --file settlement-2026-11-19.csv --dry-run',
      'recon run --fail-on error',
      'recon run --fail-on new:error',
    ],
    stopsAtSafePoint: true,
    load: async () => (await import('../commands/run.js')).run,
  },
  {
    name: 'rerun',
    summary: 'match and report the stored records of a range of settlement dates again',
    options: [
      required(from),
      required(to),
      ['--fetch', 'fetch new files from the sources first'],
      asOf,
      dryRun,
      failOn,
    ],
    exitCodes: [1, 3, 4, 5, 6, 7, 8],
    exitMeanings: ofRuns,
    examples: [
      'recon rerun --from 2026-11-01 --to 2026-11-30',
      'recon rerun --from 2026-11-19 --to 2026-11-19 --fetch',
    ],
    stopsAtSafePoint: true,
    load: async () => (await import('../commands/rerun.js')).rerun,
  },
  {
    name: 'schedule',
    summary: 'keep running and start runs by the configured schedule; make up for missed runs',
    exitCodes: [5, 6],
    examples: ['recon schedule', 'recon schedule --json >> runs.jsonl   # one document per line'],
    stopsAtSafePoint: true,
    load: async () => (await import('../commands/schedule.js')).schedule,
  },
  {
    name: 'worker',
    summary:
      'download and load files of the runs of this database until it is stopped; for runs that need more than one machine',
    exitCodes: [5, 6],
    examples: ['recon worker', 'recon worker --config worker.config.yaml'],
    stopsAtSafePoint: true,
    load: async () => (await import('../commands/worker.js')).worker,
  },
  {
    name: 'report',
    summary: 'write the reports of a run or a range of settlement dates again',
    options: [['--run <id>', 'the run to report on (default: the latest)'], from, to, days, failOn],
    exitCodes: [5, 6, 7],
    examples: [
      'recon report',
      'recon report --run 17',
      'recon report --from 2026-11-01 --to 2026-11-30',
      'recon report --from 2026-11-01 --to 2026-11-30 --as-of 2026-11-30',
    ],
    stopsAtSafePoint: true,
    load: async () => (await import('../commands/report.js')).report,
  },
  {
    name: 'reports deliver',
    summary: 'deliver the reports that wait to the places of reports.deliverTo',
    options: [['--run <id>', 'deliver the report of this run again, if the place does not have it']],
    exitCodes: [4, 5, 6],
    exitMeanings: { 4: 'a report could not be delivered' },
    examples: ['recon reports deliver', 'recon reports deliver --run 17 --json'],
    stopsAtSafePoint: true,
    load: async () => (await import('../commands/reports-deliver.js')).reportsDeliver,
  },
  {
    name: 'runs',
    summary: 'list the runs, the latest first',
    options: [['--status <status>', 'running, completed, failed, interrupted or abandoned'], limit],
    exitCodes: [5, 6],
    examples: ['recon runs', 'recon runs --status failed --json'],
    load: async () => (await import('../commands/runs.js')).runs,
  },
];
