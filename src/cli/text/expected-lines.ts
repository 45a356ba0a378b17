import type { ExpectedDelivery } from '../../outcome.js';
import type { Paint, Tone } from '../command-context.js';
import { printable } from './printable.js';

const tones: Readonly<Record<ExpectedDelivery['status'], Tone>> = {
  arrived: 'good',
  late: 'doubtful',
  outstanding: 'doubtful',
  missing: 'bad',
};

/**
 * The expected deliveries that need attention, a line each, and how many arrived in time; empty without expectations.
 */
export function expectedLines(expected: readonly ExpectedDelivery[], paint: Paint): string[] {
  if (expected.length === 0) return [];
  const arrived = expected.filter(({ status }) => status === 'arrived').length;
  return [
    ...expected.filter(({ status }) => status !== 'arrived').map((each) => deliveryLine(each, paint)),
    ...expected.flatMap(({ source, problems }) =>
      problems.map((problem) => `${source}: ${printable(problem)}`),
    ),
    arrived === expected.length
      ? paint('good', `${arrived} of ${expected.length} arrived in time`)
      : `${arrived} of ${expected.length} arrived in time`,
  ];
}

/** The expected deliveries that did not arrive by their deadline, a line each. */
export function missingLines(expected: readonly ExpectedDelivery[], paint: Paint): string[] {
  return expected.filter(({ status }) => status === 'missing').map((each) => deliveryLine(each, paint));
}

/** `acquirer 2026-11-19: missing since 2026-11-20T06:00Z` */
function deliveryLine(delivery: ExpectedDelivery, paint: Paint): string {
  const { source, date, status, due, files, filePattern } = delivery;
  const moment = due.replace(/:00\.000Z$/, 'Z');
  const when = {
    arrived: `before ${moment}`,
    late: `(due ${moment}): ${files.map(printable).join(', ')}`,
    outstanding: `until ${moment}`,
    missing: `since ${moment}`,
  }[status];
  const ofFiles = filePattern === undefined ? '' : ` (${filePattern})`;
  return `${source} ${date}${ofFiles}: ${paint(tones[status], status)} ${when}`;
}
