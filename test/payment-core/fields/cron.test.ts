import { describe, expect, test } from 'vitest';
import {
  isJobField,
  readCronExpression,
  whyNotExpression,
  type CronPart,
} from '../../../src/payment-core/fields/cron.js';

const cases: readonly (readonly [part: CronPart, text: string, accepted: boolean])[] = [
  ['year', '', true],
  ['year', '*', true],
  ['year', '1970', true],
  ['year', '2099', true],
  ['year', '1969', false],
  ['year', '2100', false],
  ['year', '2026-2030,2035/2', true],
  ['year', '?', false],
  ['month', '1', true],
  ['month', '12', true],
  ['month', '0', false],
  ['month', '13', false],
  ['month', '1,4,7,10', true],
  ['month', '*/3', true],
  ['month', 'JAN', false],
  ['month', '', false],
  ['dayOfMonth', '1', true],
  ['dayOfMonth', '31', true],
  ['dayOfMonth', '0', false],
  ['dayOfMonth', '32', false],
  ['dayOfMonth', '?', true],
  ['dayOfMonth', 'L', true],
  ['dayOfMonth', 'LW', true],
  ['dayOfMonth', 'L-3', true],
  ['dayOfMonth', '15W', true],
  ['dayOfMonth', 'W', false],
  ['dayOfMonth', '1,?', false],
  ['dayOfMonth', '2#1', false],
  ['dayOfWeek', '1', true],
  ['dayOfWeek', '7', true],
  ['dayOfWeek', '0', false],
  ['dayOfWeek', '8', false],
  ['dayOfWeek', 'MON-FRI', true],
  ['dayOfWeek', 'SUN,SAT', true],
  ['dayOfWeek', 'mon', false],
  ['dayOfWeek', '6L', true],
  ['dayOfWeek', 'FRIL', true],
  ['dayOfWeek', '6#3', true],
  ['dayOfWeek', '6#6', false],
  ['dayOfWeek', '6#', false],
  ['dayOfWeek', '?', true],
  ['dayOfWeek', '15W', false],
  ['hour', '0', true],
  ['hour', '23', true],
  ['hour', '24', false],
  ['hour', '8-18/2', true],
  ['hour', '8-18/0', false],
  ['hour', '8-18-20', false],
  ['hour', '?', false],
  ['minute', '0', true],
  ['minute', '59', true],
  ['minute', '60', false],
  ['minute', '*', false],
  ['minute', '0,30', false],
  ['second', '0', true],
  ['second', '59', true],
  ['second', '60', false],
  ['second', '*/10', true],
  ['second', '-1', false],
];

describe('fields of a job', () => {
  test.each(cases)('%s=%s: %s', (part, text, accepted) => {
    expect(isJobField(part, text)).toBe(accepted);
  });
});

describe('expressions', () => {
  test('are read in their order, the year left out being every year', () => {
    expect(readCronExpression('1 2 3 ? 4 MON')).toEqual({
      second: '1',
      minute: '2',
      hour: '3',
      dayOfMonth: '?',
      month: '4',
      dayOfWeek: 'MON',
      year: '*',
    });
    expect(readCronExpression('1 0/5 3 L 4 ? 2030')).toMatchObject({
      minute: '0/5',
      dayOfMonth: 'L',
      year: '2030',
    });
  });

  test.each(['', '* * * * *', '1 2 3 4 5 ? 2030 1', '61 2 3 ? 4 MON', '1 2 3 ? 13 MON', '1 2 3 MON 4 ?'])(
    '%s is not a valid field',
    (text) => {
      expect(readCronExpression(text)).toBeUndefined();
    },
  );

  const six = 'second, minute, hour, day of month, month, day of week, year';
  test.each([
    ['', `must have 6 or 7 fields between blanks, and this one has 0: ${six}`],
    [' 0 6 1 * ? ', `must have 6 or 7 fields between blanks, and this one has 5: ${six}`],
    ['0 0 6 1 * ? * *', `must have 6 or 7 fields between blanks, and this one has 8: ${six}`],
    ['60 0 6 1 * ? *', 'has a wrong second (0-59, with comma, hyphen, asterisk and slash)'],
    ['0 61 6 1 * ? *', 'has a wrong minute (0-59, with comma, hyphen, asterisk and slash)'],
    ['0 0 6 1 * ? 1969', 'has a wrong year (1970-2099, with comma, hyphen, asterisk and slash)'],
    [
      '0 0 6 32 JAN ? *',
      'has a wrong day of month (1-31, with comma, hyphen, asterisk, question mark, slash, L and W) ' +
        'and a wrong month (1-12, with comma, hyphen, asterisk and slash)',
    ],
  ])('why %j is none', (text, reason) => {
    expect(readCronExpression(text)).toBeUndefined();
    expect(whyNotExpression(text)).toBe(reason);
  });
});
