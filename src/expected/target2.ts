import { Temporal } from 'temporal-polyfill';
import type { CalendarDate } from '../values/calendar-date.js';

/**
 * Whether TARGET, the payment system of the euro, is closed on a day that is not a weekend day: New Year, Good Friday,
 * Easter Monday, 1 May, 25 and 26 December (the long-term calendar of the European Central Bank, since 2002).
 */
export function isTarget2Holiday(date: CalendarDate): boolean {
  if (['01-01', '05-01', '12-25', '12-26'].includes(date.slice(5))) return true;
  const easter = easterSunday(Number(date.slice(0, 4)));
  return date === easter.subtract({ days: 2 }).toString() || date === easter.add({ days: 1 }).toString();
}

/** The algorithm of Meeus, Jones and Butcher for the Gregorian calendar. */
function easterSunday(year: number): Temporal.PlainDate {
  const a = year % 19;
  const [b, c] = [Math.floor(year / 100), year % 100];
  const [d, e] = [Math.floor(b / 4), b % 4];
  const g = Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3);
  const h = (19 * a + b - d - g + 15) % 30;
  const [i, k] = [Math.floor(c / 4), c % 4];
  const l = (32 + 2 * e + 2 * i - h - k) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const sum = h + l - 7 * m + 114;
  return Temporal.PlainDate.from({ year, month: Math.floor(sum / 31), day: (sum % 31) + 1 });
}
