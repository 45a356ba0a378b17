import { exitCodes } from '../../errors.js';
import {
  discrepancyCodes,
  severities,
  type DiscrepancyCode,
  type Severity,
} from '../../findings/discrepancy-codes.js';
import { discrepancyList } from '../../listings/list-discrepancies.js';
import { choiceOption, isGiven, openRangeOptions, runIdOption, usageError } from '../command-arguments.js';
import type { Tone } from '../command-context.js';
import type { RunCommand } from '../command-definition.js';
import { printList } from '../list-table.js';
import { printable } from '../text/printable.js';

const tones: Readonly<Record<Severity, Tone>> = { error: 'bad', warning: 'doubtful', info: 'faint' };

// The keys of an object literal are what its type says.
const codes = Object.keys(discrepancyCodes) as DiscrepancyCode[];

/** What is wrong with records and payments; without filter, all that is open. */
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
  };
  await printList(context, options, {
    source: discrepancyList(filter),
    head: ['severity', 'code', 'date', 'amount', 'cur.', 'difference', 'cur.'],
    cells: (one) => [
      { text: one.severity, tone: tones[severities.find((each) => each === one.severity) ?? 'error'] },
      one.code,
      one.date,
      one.amount,
      one.currency,
      one.difference,
      one.differenceCurrency,
    ],
    sentence: ({ file, line, message, resolvedRun }) =>
      printable(
        `${file === null ? '' : `${file}:${line ?? ''}: `}${message}` +
          (resolvedRun === null ? '' : ` (resolved by run ${resolvedRun})`),
      ),
    none: 'There are no open discrepancies.',
    foundByRuns: true,
    filter: { options: ['code', 'severity', 'from', 'to', 'run'], entry: 'discrepancy' },
  });
  return exitCodes.done;
};
