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

/**
 * The command that writes the report of a folder again, if the folder has a name of recon.
 *
 * @param asOf the as-of date of the report of a range; null if it is not known. A run keeps its own.
 */
export function commandToWriteAgain(folderName: string, asOf: CalendarDate | null): string | undefined {
  const run = /^run-(\d{6,})$/.exec(folderName)?.[1];
  if (run !== undefined) return `recon report --run ${Number(run)}`;
  const range = /^range-(\d{4}-\d{2}-\d{2})-(\d{4}-\d{2}-\d{2})$/.exec(folderName);
  return range === null
    ? undefined
    : `recon report --from ${range[1]} --to ${range[2]} --as-of ${asOf ?? 'DATE'}`;
}
