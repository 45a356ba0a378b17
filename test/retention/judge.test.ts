import { expect, test } from 'vitest';
import { judge, type Candidate, type RetentionJudgement } from '../../src/retention/judge.js';
import { limitsOf } from '../../src/retention/limits.js';
import type { RetentionPolicy } from '../../src/values/retention-policy.js';

/** What retention removes, what it keeps, and why: every rule as a case. */

const policy: RetentionPolicy = {
  archiveDays: 100,
  reportsDays: 10,
  recordsMonths: 6,
  rejectedRowsDays: null,
  auditDays: 100,
  eventsDays: 66,
  checkoutsDays: 90,
  jobsDays: 80,
  registrationsDays: 90,
  afterRun: false,
};
const due = { lookbackDays: 60, settlementDueDays: 5 };
const limits = limitsOf(policy, '2026-12-31', due);

test('the limits are days of the calendar, and first days of months for records', () => {
  expect(limits).toEqual({
    lookBackFrom: '2026-10-27',
    before: {
      archive: '2026-09-22',
      reports: '2026-12-21',
      records: '2026-06-01',
      rejectedRows: null,
      audit: '2026-09-22',
      events: '2026-10-26',
      checkouts: '2026-10-02',
      jobs: '2026-10-12',
      fires: '2026-10-12',
      registrations: '2026-10-02',
    },
  });
  // The month before a long month, and a leap day.
  const months = (recordsMonths: number, asOf: string) =>
    limitsOf({ ...policy, recordsMonths }, asOf, due).before.records;
  expect([months(1, '2026-03-31'), months(12, '2028-02-29'), months(1, '2027-01-01')]).toEqual([
    '2026-02-01',
    '2027-02-01',
    '2026-12-01',
  ]);
});

const old = { day: '2026-01-15' };

test.each<[story: string, kind: Parameters<typeof judge>[0], candidate: Candidate, RetentionJudgement]>([
  ['an old file', 'archive', old, 'remove'],
  ['a file of the first day that stays', 'archive', { day: '2026-09-22' }, 'young'],
  ['a file of the day before it', 'archive', { day: '2026-09-21' }, 'remove'],
  ['an old file that a run will load or report', 'archive', { ...old, isWaiting: true }, 'waiting'],
  ['an old file with an open item', 'archive', { ...old, hasOpenItem: true }, 'open-item'],
  [
    'an old file with a settlement in the look-back',
    'archive',
    { ...old, lastDay: '2026-10-27' },
    'look-back',
  ],
  [
    'an old file with a settlement a day before the look-back',
    'archive',
    { ...old, lastDay: '2026-10-26' },
    'remove',
  ],
  ['a settlement that is earlier than its file', 'archive', { ...old, lastDay: '2026-01-14' }, 'remove'],
  ['a file without any readable day', 'archive', { ...old, lastDay: null }, 'remove'],
  ['the newest report, however old', 'reports', { ...old, isNewest: true }, 'newest'],
  ['a report that is old by its policy, in the look-back', 'reports', { day: '2026-12-01' }, 'look-back'],
  ['a report on the first day of the look-back', 'reports', { day: '2026-10-27' }, 'look-back'],
  ['a report on the day before', 'reports', { day: '2026-10-26' }, 'remove'],
  ['a month whose last day is before the limit', 'records', { day: '2026-05-31' }, 'remove'],
  ['the month of the limit', 'records', { day: '2026-06-30' }, 'young'],
  ['a month that a later file refers to', 'records', { ...old, isInUse: true }, 'in-use'],
  ['a kind without a policy, however old', 'rejectedRows', { day: '1999-01-01' }, 'young'],
  ['an old checkout without a payment', 'checkouts', { ...old, hasPayment: false }, 'remove'],
  ['an old checkout with a payment', 'checkouts', { ...old, hasPayment: true }, 'has-payment'],
  ['a registration that was deleted long ago', 'registrations', old, 'remove'],
  ['one that an active job would pay with', 'registrations', { ...old, hasJob: true }, 'has-job'],
  ['an old fire, the last one of its job', 'fires', { ...old, isNewest: true }, 'newest'],
  ['an event that a webhook waits for', 'events', { ...old, isWaiting: true }, 'waiting'],
  ['young and open: it needs no reason', 'archive', { day: '2026-12-30', hasOpenItem: true }, 'young'],
  [
    'several reasons: the first that a person can act on',
    'archive',
    { ...old, hasOpenItem: true, isWaiting: true, lastDay: '2026-12-01' },
    'waiting',
  ],
  [
    'an open item before the look-back',
    'archive',
    { ...old, hasOpenItem: true, lastDay: '2026-12-01' },
    'open-item',
  ],
])('%s', (_story, kind, candidate, expected) => {
  expect(judge(kind, candidate, limits)).toBe(expected);
});
