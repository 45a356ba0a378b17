import { cronParts, notComputable, readCronExpression } from '../../fields/cron.js';
import { endsBeforeStart } from './dates-in-order.js';
import { missing, violation, type Rule } from './rule.js';

const section = 'catalogue 2.24';
const kinds = ['job'] as const;
const oneDay = 'and the other day field exclude each other: exactly one of them must be a question mark';

const pairs = [
  ['job.durationNumber', 'job.durationUnit'],
  ['job.noticeNumber', 'job.noticeUnit'],
] as const;

/** The rules about job.* (catalogue 2.24): a time that can be computed, and numbers with their units. */
export const jobRules: readonly Rule[] = [
  {
    name: 'day-of-month-or-of-week',
    section,
    statement:
      'If both are sent, exactly one of job.dayOfMonth and job.dayOfWeek is `?`. Not checked when job.expression overwrites them.',
    kinds,
    check: (request) => {
      const days = [request.value('job.dayOfMonth'), request.value('job.dayOfWeek')];
      if (request.has('job.expression') || days.includes(undefined)) return [];
      return violation(days.filter((day) => day === '?').length !== 1, 'job.dayOfWeek', oneDay);
    },
  },
  {
    name: 'expression-day-of-month-or-of-week',
    section,
    statement: 'In job.expression exactly one of day of month and day of week is `?`.',
    kinds,
    check: (request) => {
      const expression = readCronExpression(request.value('job.expression') ?? '');
      if (expression === undefined) return [];
      const marks = [expression.dayOfMonth, expression.dayOfWeek].filter((day) => day === '?').length;
      return violation(
        marks !== 1,
        'job.expression',
        'must have a question mark in exactly one of day of month and day of week',
      );
    },
  },
  {
    name: 'job-time-that-can-be-computed',
    section,
    statement:
      'A day of month does not count back from the last day (`L-2`) and has `LW` only alone; years do not run backwards (`2030-2027`).',
    kinds,
    judgesEachAlone: true,
    check: (request) => {
      const expression = readCronExpression(request.value('job.expression') ?? '');
      return cronParts.flatMap((part) => {
        const name = request.has('job.expression') ? 'job.expression' : (`job.${part}` as const);
        const text = request.has('job.expression') ? expression?.[part] : request.value(`job.${part}`);
        const reason = notComputable(part, text ?? '');
        return reason === undefined ? [] : [{ name, message: reason }];
      });
    },
  },
  {
    name: 'job-ends-after-start',
    section,
    statement: 'job.endDate is not before job.startDate.',
    kinds,
    check: (request) =>
      violation(
        endsBeforeStart(request, 'job.startDate', 'job.endDate'),
        'job.endDate',
        'is before job.startDate',
      ),
  },
  {
    name: 'job-number-with-unit',
    section,
    statement:
      'job.durationNumber and job.durationUnit are sent together, and so are job.noticeNumber and job.noticeUnit.',
    kinds,
    check: (request) =>
      pairs
        .filter((pair) => pair.some((name) => request.has(name)))
        .flatMap((pair) => missing(request, pair, 'is required: a number and its unit are sent together')),
  },
];
