import { endsBeforeStart } from './dates-in-order.js';
import { missing, violation, type Rule } from './rule.js';

const inOrder: Omit<Rule, 'name' | 'section' | 'kinds'> = {
  statement: 'date.from is not after date.to.',
  check: (request) =>
    violation(endsBeforeStart(request, 'date.from', 'date.to'), 'date.to', 'is before date.from'),
};

/** The rules about what a report or a query looks for (catalogue 2.25, 2.26). */
export const searchRules: readonly Rule[] = [
  { ...inOrder, name: 'report-range-in-order', section: 'catalogue 2.25', kinds: ['reporting'] },
  {
    name: 'time-frame-has-two-ends',
    section: 'catalogue 2.26',
    statement: 'date.from and date.to are sent together.',
    kinds: ['query'],
    check: (request) =>
      request.under('date.').length === 0
        ? []
        : missing(request, ['date.from', 'date.to'], 'is required: a time frame needs both ends'),
  },
  { ...inOrder, name: 'query-range-in-order', section: 'catalogue 2.26', kinds: ['query'] },
  {
    name: 'reference-or-time-frame',
    section: 'operations 8, catalogue 2.26',
    statement: 'merchantTransactionId is not combined with date.from or date.to.',
    kinds: ['query'],
    check: (request) =>
      violation(
        request.has('merchantTransactionId') && request.under('date.').length > 0,
        'merchantTransactionId',
        'cannot be combined with a time frame (date.from, date.to)',
      ),
  },
];
