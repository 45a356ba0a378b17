import { rm, stat } from 'node:fs/promises';
import { archivedFiles } from '../archive/archived-files.js';
import type { Tx } from '../db/client.js';
import { onDisk } from '../disk/disk-errors.js';
import { failPoint } from '../fail-point.js';
import { dateInZone, type CalendarDate } from '../values/calendar-date.js';
import type { FileState } from './file-states.js';
import { judge, type RetentionJudgement } from './judge.js';
import { nothingGoes, type KindPlan, type PlanInput } from './kind-plan.js';
import { isLeftByPurge } from './left-by-purge.js';
import type { RetentionLimits } from './limits.js';
import { Tally } from './tally.js';

/** The settlement files on which the archived bytes depend: they are removed with the last of these. */
type Owners = ReadonlyMap<string, readonly FileState[]>;

/**
 * Which archived bytes are removed: those of old settlement files, of their announced totals, and of the packed files
 * that they were in. Bytes without a row are those of refused deliveries and of runs that died; their age is that of
 * the file on the disk. So is that of bytes that came back after their removal. Those that an interrupted purge left
 * are removed at once: they are older than their removal, however young `recon archive encrypt` or a restored backup
 * made the file.
 */
export async function planArchive(tx: Tx, input: PlanInput): Promise<KindPlan> {
  const { limits, files } = input;
  const tally = new Tally('archive', limits.before.archive);
  if (limits.before.archive === null) return nothingGoes(tally);
  const judgements = new Map<FileState, RetentionJudgement>();
  for (const file of files.filter(({ removedAtMs }) => removedAtMs === null)) {
    const judgement = judge('archive', file, limits);
    judgements.set(file, judgement);
    if (judgement !== 'remove') tally.add(judgement, { day: file.day, bytes: file.sizeBytes });
  }
  const owners = ownersOf(files, await readPacked(tx));
  const toRemove: string[] = [];
  const again: FileState[] = [];
  for (const { sha256, file } of await archivedFiles(input.dataDirectory)) {
    const all = owners.get(sha256) ?? [];
    const current = all.filter((owner) => judgements.has(owner));
    if (current.some((owner) => judgements.get(owner) !== 'remove')) continue;
    const { size, mtimeMs } = await onDisk(`look at ${file}`, () => stat(file));
    const dayOnDisk = dateInZone(Math.trunc(mtimeMs), input.timezone);
    // All of them: those that are removed now, or those for which an earlier purge left the bytes.
    const removed = isLeftByPurge(mtimeMs, lastRemoval(all)) ? all : current;
    const day = newestDay(removed) ?? dayOnDisk;
    const judgement = removed.length > 0 ? 'remove' : judgeReturned(all, dayOnDisk, limits);
    tally.add(judgement, { day, bytes: size });
    if (judgement !== 'remove') continue;
    toRemove.push(file);
    if (removed.length === 0) again.push(...all);
  }
  const goes = [...judgements].filter(([, judgement]) => judgement === 'remove').map(([file]) => file);
  const marked = [...goes, ...again].map(({ id }) => id);
  return {
    sums: tally.sums(),
    apply: async (change) => {
      await change`update settlement_files set archive_removed_at = ${input.now}
        where id = any (string_to_array(${marked.join(',')}, ',')::integer[])`;
    },
    removeFiles: async (stopIfInterrupted) => {
      for (const file of toRemove) {
        stopIfInterrupted();
        await onDisk(`delete ${file}`, () => rm(file, { force: true }));
        failPoint('purge.bytes');
      }
    },
  };
}

interface PackedFile {
  readonly packedSha256: string;
  readonly sha256: string;
}

async function readPacked(tx: Tx): Promise<readonly PackedFile[]> {
  return tx<PackedFile[]>`select packed_sha256 as "packedSha256", sha256 from packed_files`;
}

/** A packed file, and what is inside it without a row (totals), belong to the settlement files inside it. */
function ownersOf(files: readonly FileState[], packed: readonly PackedFile[]): Owners {
  const owners = new Map<string, FileState[]>();
  const add = (sha256: string, file: FileState) => {
    const known = owners.get(sha256);
    if (known === undefined) owners.set(sha256, [file]);
    else known.push(file);
  };
  const bySha256 = new Map(files.map((file) => [file.sha256, file]));
  for (const file of files) {
    add(file.sha256, file);
    if (file.totalsSha256 !== null) add(file.totalsSha256, file);
  }
  const contents = new Map<string, string[]>();
  for (const { packedSha256, sha256 } of packed) {
    contents.set(packedSha256, [...(contents.get(packedSha256) ?? []), sha256]);
  }
  for (const [packedSha256, inside] of contents) {
    const settlementFiles = inside.flatMap((sha256) => bySha256.get(sha256) ?? []);
    const others = inside.filter((sha256) => !bySha256.has(sha256));
    for (const file of settlementFiles) [packedSha256, ...others].forEach((sha256) => add(sha256, file));
  }
  return owners;
}

/**
 * Bytes that came back after their removal, or that no settlement file needs: their age is that of the file on the
 * disk. What keeps the bytes of a settlement file keeps those that came back too.
 */
function judgeReturned(
  owners: readonly FileState[],
  day: CalendarDate,
  limits: RetentionLimits,
): RetentionJudgement {
  const judgements = owners.map((owner) => judge('archive', { ...owner, day }, limits));
  return judgements.find((each) => each !== 'remove') ?? judge('archive', { day }, limits);
}

/** When a purge decided to remove the bytes that these files need; they were removed with the last of them. */
function lastRemoval(files: readonly FileState[]): number {
  return Math.max(-Infinity, ...files.map(({ removedAtMs }) => removedAtMs ?? -Infinity));
}

function newestDay(files: readonly FileState[]): CalendarDate | undefined {
  return files
    .map(({ day }) => day)
    .sort()
    .at(-1);
}
