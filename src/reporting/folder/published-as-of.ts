import { createHash } from 'node:crypto';
import path from 'node:path';
import { onDisk } from '../../disk/disk-errors.js';
import { readTextIfThere } from '../../disk/unless-missing.js';
import { isCalendarDate, type CalendarDate } from '../../values/calendar-date.js';
import { isObject } from '../../values/is-object.js';
import { manifestName, parseManifest } from './manifest.js';

const summaryName = 'summary.json';

/**
 * The as-of date of a published report; null if its summary or its manifest is missing or was changed.
 *
 * @throws ReconError DISK_FAILED
 */
export async function publishedAsOf(folder: string): Promise<CalendarDate | null> {
  const [manifest, summary] = await onDisk(`read ${folder}`, () =>
    Promise.all([manifestName, summaryName].map((name) => readTextIfThere(path.join(folder, name)))),
  );
  if (manifest === undefined || summary === undefined) return null;
  const listed = parseManifest(manifest)?.files.find(({ name }) => name === summaryName);
  if (listed?.sha256 !== createHash('sha256').update(summary).digest('hex')) return null;
  const document: unknown = JSON.parse(summary);
  const asOf = isObject(document) ? document['asOf'] : null;
  return typeof asOf === 'string' && isCalendarDate(asOf) ? asOf : null;
}
