import { exitCodes } from '../../errors.js';
import { keptReasons } from '../../retention/judge.js';
import type { RetainedKind } from '../../retention/limits.js';
import { purge as purgeOld, type Purged } from '../../retention/purge.js';
import { removalDay } from '../../retention/removal-moment.js';
import type { KindSums, Sum } from '../../retention/tally.js';
import { groupThousands } from '../../values/group-thousands.js';
import { dateOption, isGiven, usageError } from '../command-arguments.js';
import type { Paint } from '../command-context.js';
import type { RunCommand } from '../command-definition.js';
import { textTable, type TableCell } from '../text/text-table.js';

/** Removes what is older than `retention` allows, or shows it. */
export const purge: RunCommand = async (context, _args, options) => {
  const dryRun = isGiven(options, 'dryRun');
  const runContext = await context.runContext();
  const today = await removalDay(runContext);
  const asOf = dateOption(options, 'asOf') ?? today;
  if (asOf > today && !dryRun) {
    throw usageError(
      `--as-of ${asOf} is later than today, ${today}: add --dry-run to see what would be removed then.`,
    );
  }
  const policy = context.config().retention;
  const purged = await purgeOld(runContext, { policy, asOf, dryRun });
  context.print(purged, (paint) => describe(purged, paint));
  return exitCodes.done;
};

const names: Readonly<Record<RetainedKind, string>> = {
  archive: 'archived files',
  reports: 'report folders',
  records: 'records',
  rejectedRows: 'rejected rows',
  audit: 'audit events',
  events: 'notifications',
  checkouts: 'unpaid checkouts',
  fires: 'fires of jobs',
  jobs: 'ended jobs',
  registrations: 'deleted registrations',
};

function describe({ asOf, dryRun, kinds, expiredKeys }: Purged, paint: Paint): string {
  const limited = kinds.filter(({ before }) => before !== null);
  if (limited.length === 0) {
    return [
      'Nothing is ever removed: the configuration has no `retention` with a number of days or months.',
      ...linesOfKeys(expiredKeys, dryRun),
    ].join('\n');
  }
  const table = textTable(
    [dryRun ? 'would be removed' : 'removed', 'before', 'number', 'bytes', 'oldest', 'newest'],
    limited.map(({ kind, before, removed }) => [names[kind], before, ...cellsOf(removed)]),
    { paint },
  );
  const kept = limited.flatMap(keptRows);
  const keptTable = textTable(['old, and stays', 'number', 'bytes', 'oldest', 'newest', 'because'], kept, {
    paint,
  });
  const forever = kinds.filter(({ before }) => before === null).map(({ kind }) => names[kind]);
  return [
    `Ages are counted to ${asOf}.`,
    table,
    ...(kept.length === 0 ? [] : ['', keptTable]),
    ...(forever.length === 0
      ? []
      : [
          '',
          `Kept without limit, because the configuration has no setting for them (retention): ${forever.join(', ')}.`,
        ]),
    ...linesOfKeys(expiredKeys, dryRun),
  ].join('\n');
}

function linesOfKeys(expiredKeys: number, dryRun: boolean): readonly string[] {
  if (expiredKeys === 0) return [];
  const what = `Idempotency keys older than 24 hours ${dryRun ? 'would be removed' : 'were removed'}`;
  return ['', `${what}: ${groupThousands(String(expiredKeys))}.`];
}

function keptRows({ kind, kept }: KindSums): readonly TableCell[][] {
  return kept.map(({ reason, ...sum }) => [names[kind], ...cellsOf(sum), keptReasons[reason]]);
}

function cellsOf({ count, bytes, oldest, newest }: Sum): TableCell[] {
  return [groupThousands(String(count)), groupThousands(String(bytes)), oldest, newest];
}
