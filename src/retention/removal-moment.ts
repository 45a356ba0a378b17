import { databaseMoment } from '../db/database-moment.js';
import type { RunContext } from '../run/run-context.js';
import { dateInZone, type CalendarDate } from '../values/calendar-date.js';

/**
 * The present for what is removed by its age: by the clock of this machine or of the database server, whichever is
 * earlier. What is removed does not come back, so a clock that is ahead must not remove anything early; one that is
 * behind only removes it later. A clock that the program gave is used instead.
 */
export async function removalMoment({ clock, givenClock, database }: RunContext): Promise<number> {
  return givenClock === undefined ? Math.min(clock(), await databaseMoment(database.sql)) : givenClock();
}

/** The day of that moment in the configured time zone: ages are counted to it. */
export async function removalDay(context: RunContext): Promise<CalendarDate> {
  return dateInZone(await removalMoment(context), context.timezone);
}
