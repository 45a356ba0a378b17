import type { CalendarDate } from '../values/calendar-date.js';
import type { RunId } from '../values/ids.js';

/** `run-000017`: names sort in the order of the runs. */
export function reportFolderName(runId: RunId): string {
  return `run-${runId.toString().padStart(6, '0')}`;
}

/** The folder of a report on settlement dates that is not the report of a run; both ends are included. */
export function rangeFolderName(from: CalendarDate, to: CalendarDate): string {
  return `range-${from}-${to}`;
}

/** Whether a folder has a name of {@link rangeFolderName}. */
export function isRangeFolderName(name: string): boolean {
  return /^range-\d{4}-\d{2}-\d{2}-\d{4}-\d{2}-\d{2}$/.test(name);
}
