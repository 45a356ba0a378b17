import { exitCodes } from '../../errors.js';
import { discrepancyCodes, type DiscrepancyCode } from '../../findings/discrepancy-codes.js';
import { listDiscrepancies } from '../../listings/list-discrepancies.js';
import {
  choiceOption,
  isGiven,
  numberOption,
  openRangeOptions,
  runIdOption,
  severities,
  usageError,
  type Severity,
} from '../command-arguments.js';
import type { Tone } from '../command-context.js';
import type { RunCommand } from '../commands.js';
import { printList, usualLimit } from '../list-table.js';

const tones: Readonly<Record<Severity, Tone>> = { error: 'bad', warning: 'doubtful', info: 'faint' };

// The keys of an object literal are what its type says.
const codes = Object.keys(discrepancyCodes) as DiscrepancyCode[];

export const discrepancies: RunCommand = async (context, _args, options) => {
  if (isGiven(options, 'open') && isGiven(options, 'all'))
    throw usageError('--open and --all cannot be combined.');
  const filter = {
    code: choiceOption(options, 'code', codes),
    severity: choiceOption(options, 'severity', severities),
    ...openRangeOptions(options),
    timezone: context.config().timezone,
    runId: runIdOption(options),
    withResolved: isGiven(options, 'all'),
    limit: numberOption(options, 'limit') ?? usualLimit,
  };
  const { rows, total } = await listDiscrepancies((await context.database()).sql, filter);
  printList(context, rows, {
    head: [
      'severity',
      'code',
      'where',
      'date',
      'amount',
      'cur.',
      'difference',
      ...(filter.withResolved ? ['resolved'] : []),
      'what',
    ],
    rows: rows.map((one) => [
      { text: one.severity, tone: tones[severities.find((each) => each === one.severity) ?? 'error'] },
      one.code,
      one.file === null ? `payment ${one.paymentId ?? ''}` : `${one.file}:${one.line ?? ''}`,
      one.date,
      one.amount,
      one.currency,
      one.difference,
      ...(filter.withResolved ? [one.resolvedRun === null ? '' : `by run ${one.resolvedRun}`] : []),
      one.message,
    ]),
    total,
    none: 'There are no open discrepancies.',
  });
  return exitCodes.done;
};
