import { Temporal } from 'temporal-polyfill';

/** A calendar day as `yyyy-MM-dd`, without time or zone. Text order is date order. */
export type CalendarDate = string;

const shape = /^(?:19|20)\d{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether the text is an existing day: `2027-02-30` is not (`new Date` would make it 2 March). */
export function isCalendarDate(text: string): boolean {
  if (!shape.test(text)) return false;
  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(5, 7));
  const day = Number(text.slice(8, 10));
  if (month === 2 && day === 29) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (daysInMonth[month - 1] ?? 0);
}

/** The day `days` later (earlier when negative). */
export function addDays(date: CalendarDate, days: number): CalendarDate {
  return Temporal.PlainDate.from(date).add({ days }).toString();
}

/** The date at `epochMs` in an IANA time zone. */
export function dateInZone(epochMs: number, timezone: string): CalendarDate {
  return Temporal.Instant.fromEpochMilliseconds(epochMs)
    .toZonedDateTimeISO(timezone)
    .toPlainDate()
    .toString();
}

/** The first moment of a day in an IANA time zone, in milliseconds since the epoch. */
export function startOfDay(date: CalendarDate, timezone: string): number {
  return Temporal.PlainDate.from(date).toZonedDateTime(timezone).epochMilliseconds;
}
