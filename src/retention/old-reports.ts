import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Tx } from '../db/client.js';
import { waitingDeliveries } from '../delivery/stored-deliveries.js';
import { onDisk } from '../disk/disk-errors.js';
import { namesIn, statIfThere } from '../disk/unless-missing.js';
import { failPoint } from '../fail-point.js';
import { manifestName } from '../reporting/folder/manifest.js';
import { recoverReports, removeReports } from '../reporting/folder/report-folder.js';
import { isRangeFolderName, reportFolderName } from '../run/report-folder-name.js';
import { dateInZone, type CalendarDate } from '../values/calendar-date.js';
import type { RunId } from '../values/ids.js';
import { judge } from './judge.js';
import { nothingGoes, type KindPlan, type PlanInput } from './kind-plan.js';
import { isLeftByPurge } from './left-by-purge.js';
import { Tally } from './tally.js';

interface ReportedRun {
  readonly id: RunId;
  /** When it ended. */
  readonly day: CalendarDate;
  readonly isNewest: boolean;
  /** When retention removed its folder, in milliseconds since 1970; null if it did not. */
  readonly removedAtMs: number | null;
}

/**
 * Which report folders are removed: those of old runs, and old ones of `recon report --from --to`, whose age is that of
 * the folder. The newest report of a run and of a re-run, and what waits to be delivered, stay. Folders with other
 * names are not touched. The age of a folder that was written again after its removal is that of the folder, too; one
 * that an interrupted purge left is older than its removal, and is removed.
 */
export async function planReports(tx: Tx, input: PlanInput): Promise<KindPlan> {
  const { limits } = input;
  const tally = new Tally('reports', limits.before.reports);
  if (limits.before.reports === null) return nothingGoes(tally);
  const directory = path.join(input.dataDirectory, 'reports');
  const runs = new Map((await readRuns(tx, input.timezone)).map((run) => [reportFolderName(run.id), run]));
  const waiting = new Set((await waitingDeliveries(tx, input.deliverTo)).map(({ folder }) => folder));
  const toRemove: { readonly name: string; readonly run: ReportedRun | undefined }[] = [];
  for (const name of (await onDisk(`read ${directory}`, () => namesIn(directory))).sort()) {
    const run = runs.get(name);
    if (run === undefined && !isRangeFolderName(name)) continue;
    const folder = path.join(directory, name);
    const isOfRun = run !== undefined && (await isUntouched(folder, run));
    const day = isOfRun ? run.day : dateInZone(await publishedAt(folder), input.timezone);
    const judgement = judge(
      'reports',
      { day, isNewest: run?.isNewest ?? false, isWaiting: waiting.has(name) },
      limits,
    );
    if (judgement !== 'young') tally.add(judgement, { day, bytes: await sizeOf(folder) });
    if (judgement === 'remove') toRemove.push({ name, run: isOfRun ? run : undefined });
  }
  const marked = toRemove.flatMap(({ run }) => run?.id ?? []);
  return {
    sums: tally.sums(),
    apply: async (change) => {
      await change`update runs set reports_removed_at = ${input.now}
        where id = any (string_to_array(${marked.join(',')}, ',')::integer[])`;
    },
    removeFiles: async (stopIfInterrupted) => {
      await recoverReports(directory, input.reportFileMode);
      for (const { name } of toRemove) {
        stopIfInterrupted();
        await removeReports(directory, name);
        failPoint('purge.reports');
      }
    },
  };
}

async function readRuns(tx: Tx, timezone: string): Promise<readonly ReportedRun[]> {
  return tx<ReportedRun[]>`
    select id, (coalesce(finished_at, started_at) at time zone ${timezone})::date::text as day,
      (extract(epoch from reports_removed_at) * 1000)::float8 as "removedAtMs",
      id in (select max(id) from runs where report_directory is not null group by kind) as "isNewest"
    from runs where report_directory is not null`;
}

/** Whether the age of a folder is that of its run: it was not removed, or an interrupted purge left it. */
async function isUntouched(folder: string, { removedAtMs }: ReportedRun): Promise<boolean> {
  return removedAtMs === null || isLeftByPurge(await publishedAt(folder), removedAtMs);
}

/** By its last file, in milliseconds since 1970: a copy of a folder may keep the times of the files alone. */
function publishedAt(folder: string): Promise<number> {
  return onDisk(`look at ${folder}`, async () => {
    const { mtimeMs } = (await statIfThere(path.join(folder, manifestName))) ?? (await lstat(folder));
    return Math.trunc(mtimeMs);
  });
}

async function sizeOf(folder: string): Promise<number> {
  return onDisk(`look at ${folder}`, async () => {
    let bytes = 0;
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isDirectory()) bytes += (await lstat(path.join(entry.parentPath, entry.name))).size;
    }
    return bytes;
  });
}
