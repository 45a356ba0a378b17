import { Temporal } from 'temporal-polyfill';
import { addDays, type CalendarDate } from '../values/calendar-date.js';
import { keepsEverything, type RetentionPolicy } from '../values/retention-policy.js';

/** The kinds of data that retention can remove (design 11). */
export type RetainedKind =
  | 'archive'
  | 'reports'
  | 'records'
  | 'rejectedRows'
  | 'audit'
  | 'events'
  | 'checkouts'
  | 'fires'
  | 'jobs'
  | 'registrations';

/** The days that decide what is old. */
export interface RetentionLimits {
  /** Nothing of this day or a later one is removed, whatever the policy: it is checked again, or still due. */
  readonly lookBackFrom: CalendarDate;
  /** By kind, the first day that stays; null: the kind has no policy, and nothing of it is removed. */
  readonly before: Readonly<Record<RetainedKind, CalendarDate | null>>;
}

interface DueDays {
  readonly lookbackDays: number;
  readonly settlementDueDays: number;
}

/** The limits of a policy on a day. Whole months of records are removed, so their limit is the first day of a month. */
export function limitsOf(policy: RetentionPolicy, asOf: CalendarDate, due: DueDays): RetentionLimits {
  const daysBefore = (days: number | null) => (days === null ? null : addDays(asOf, -days));
  return {
    lookBackFrom: addDays(asOf, -(due.lookbackDays + due.settlementDueDays)),
    before: {
      archive: daysBefore(policy.archiveDays),
      reports: daysBefore(policy.reportsDays),
      records: policy.recordsMonths === null ? null : monthsBefore(asOf, policy.recordsMonths),
      rejectedRows: daysBefore(policy.rejectedRowsDays),
      audit: daysBefore(policy.auditDays),
      events: daysBefore(policy.eventsDays),
      checkouts: daysBefore(policy.checkoutsDays),
      fires: daysBefore(policy.jobsDays),
      jobs: daysBefore(policy.jobsDays),
      registrations: daysBefore(policy.registrationsDays),
    },
  };
}

/** The limits of a request that names the day itself, and is about records alone. */
export function limitsOfRecords(before: CalendarDate, asOf: CalendarDate, due: DueDays): RetentionLimits {
  const limits = limitsOf(keepsEverything, asOf, due);
  return { ...limits, before: { ...limits.before, records: before } };
}

/** The first day of the month that lies this many months before. */
function monthsBefore(asOf: CalendarDate, months: number): CalendarDate {
  return Temporal.PlainDate.from(asOf).with({ day: 1 }).subtract({ months }).toString();
}
