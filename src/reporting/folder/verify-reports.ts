import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { isMissing, onDisk } from '../../disk/disk-errors.js';
import { readTextIfThere } from '../../disk/unless-missing.js';
import { readPieces } from '../../disk/read-pieces.js';
import type { AuditPlace } from '../../db/audit-log/audit-head.js';
import { ReconError } from '../../errors.js';
import { byBytes } from '../../values/by-bytes.js';
import { manifestName, parseManifest } from './manifest.js';
import type { WrittenFile } from './report-file.js';

/** Whether a report folder is as it was published. */
export interface FolderVerdict {
  /** Name of the folder below the reports directory. */
  readonly folder: string;
  readonly ok: boolean;
  /** A sentence each. */
  readonly problems: readonly string[];
}

/**
 * Compares every published folder with its manifest (`recon doctor --reports`): a changed byte, a missing file, an
 * extra file and a damaged manifest are reported. Folders that are being published are skipped. Without a reports
 * directory the result is empty.
 *
 * @throws ReconError DISK_FAILED when the directory itself cannot be read.
 */
export async function verifyReports(reportsDirectory: string): Promise<FolderVerdict[]> {
  const folders = await onDisk(`read ${reportsDirectory}`, () => foldersOf(reportsDirectory));
  const verdicts: FolderVerdict[] = [];
  for (const folder of folders) {
    const problems = await verify(path.join(reportsDirectory, folder));
    verdicts.push({ folder, ok: problems.length === 0, problems });
  }
  return verdicts;
}

/**
 * The end of the audit log that each report carries. Folders whose manifest is damaged or of an older version are
 * left out; `verifyReports` reports the damage.
 *
 * @throws ReconError DISK_FAILED when the directory cannot be read
 */
export async function readAuditAnchors(
  reportsDirectory: string,
): Promise<{ readonly folder: string; readonly audit: AuditPlace }[]> {
  return onDisk(`read ${reportsDirectory}`, async () => {
    const anchors: { readonly folder: string; readonly audit: AuditPlace }[] = [];
    for (const folder of await foldersOf(reportsDirectory)) {
      const text = await readTextIfThere(path.join(reportsDirectory, folder, manifestName));
      const audit = text === undefined ? undefined : parseManifest(text)?.audit;
      if (audit !== undefined) anchors.push({ folder, audit });
    }
    return anchors;
  });
}

/** A folder that cannot be read is a problem of that folder only; the others are still checked. */
async function verify(folder: string): Promise<string[]> {
  try {
    return await onDisk(`read ${folder}`, () => problemsOf(folder));
  } catch (thrown) {
    if (thrown instanceof ReconError) return [thrown.message];
    throw thrown;
  }
}

async function foldersOf(reportsDirectory: string): Promise<string[]> {
  try {
    const entries = await readdir(reportsDirectory, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map((entry) => entry.name)
      .sort(byBytes);
  } catch (thrown) {
    if (isMissing(thrown)) return [];
    throw thrown;
  }
}

async function problemsOf(folder: string): Promise<string[]> {
  const listed = await readManifest(folder);
  if (typeof listed === 'string') return [listed];
  const present = new Map(
    (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => !entry.isDirectory())
      .map((entry) => [
        path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'),
        entry.isFile(),
      ]),
  );
  const names = new Set([...listed.map((file) => file.name), manifestName]);
  const extra = [...present.keys()]
    .filter((name) => !names.has(name))
    .sort(byBytes)
    .map((name) => `${name} does not belong to the report.`);
  const problems: string[] = [];
  for (const file of listed) {
    // A link could show other bytes tomorrow, so only a regular file counts.
    const problem =
      present.get(file.name) === true ? await compare(folder, file) : `${file.name} is missing.`;
    if (problem !== undefined) problems.push(problem);
  }
  return [...problems, ...extra];
}

/** The files that the manifest lists, or what is wrong with it. */
async function readManifest(folder: string): Promise<readonly WrittenFile[] | string> {
  const text = await readTextIfThere(path.join(folder, manifestName));
  if (text === undefined) return `${manifestName} is missing.`;
  return parseManifest(text)?.files ?? `${manifestName} is damaged.`;
}

async function compare(folder: string, file: WrittenFile): Promise<string | undefined> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of readPieces(path.join(folder, file.name), 256 * 1024)) {
    hash.update(piece);
    bytes += piece.length;
  }
  if (bytes !== file.bytes) return `${file.name} has ${bytes} bytes; the manifest says ${file.bytes}.`;
  return hash.digest('hex') === file.sha256
    ? undefined
    : `${file.name} was changed: its SHA-256 is different.`;
}
