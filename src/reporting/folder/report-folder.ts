import { readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { isMissing, isOccupied, onDisk } from '../../disk/disk-errors.js';
import { syncDirectory } from '../../disk/durable.js';
import { statIfThere } from '../../disk/unless-missing.js';
import { claimFolder, folderModeFor, letThrough, makeFolder, privateFile } from '../../disk/private-files.js';
import { failPoint } from '../../fail-point.js';
import type { AuditPlace } from '../../db/audit-log/audit-head.js';
import { manifestName, serializeManifest, type TableTotal } from './manifest.js';
import type { Scratch } from '../../spreadsheet/workbook-writer.js';
import { nothingPublished, ReportFile, type WrittenFile } from './report-file.js';
import { ScratchFile } from './scratch-file.js';
import {
  isAbandoned,
  isOfOtherMachine,
  parseStagingName,
  releaseStagingNames,
  reserveStagingNames,
} from './staging-names.js';

/** A file of a report folder by its path, for another thread. */
export interface FilePlace {
  readonly name: string;
  readonly path: string;
  readonly fileMode: number;
}

/** Where reports are written. A file that is not finished is closed when the folder is discarded. */
export interface ReportFolder {
  /** @param name relative to the folder, with `/` */
  create(name: string): Promise<ReportFile>;
  /** Finishes a file and adds it to the manifest. */
  finish(file: ReportFile, rows: number | null): Promise<void>;
  /** Where another thread writes a file, which is added once it is finished. */
  place(name: string): FilePlace;
  add(written: WrittenFile): void;
  /** A file for the time of writing only, which is not part of the folder. */
  scratch(): Promise<Scratch>;
  readonly files: readonly WrittenFile[];
}

/**
 * A report folder that becomes visible complete or not at all (design 6). It is written beside its final place under a
 * temporary name, every file and folder is synced, the manifest last, and then it is renamed. If a folder of that name
 * exists already (a report is written again), it is moved aside during the rename; {@link recoverReports} repairs the
 * state after a crash at that moment.
 */
export class StagedFolder implements ReportFolder {
  readonly files: WrittenFile[] = [];
  readonly #reportsDirectory: string;
  readonly #name: string;
  readonly #fileMode: number;
  readonly #staging: { readonly tmp: string; readonly old: string };
  readonly #directories = new Set<string>(['.']);
  readonly #open = new Set<ReportFile>();
  readonly #scratch = new Set<ScratchFile>();

  private constructor(reportsDirectory: string, name: string, fileMode: number) {
    this.#reportsDirectory = reportsDirectory;
    this.#name = name;
    this.#fileMode = fileMode;
    this.#staging = reserveStagingNames(name);
  }

  /** @throws ReconError DISK_FULL, DISK_FAILED */
  static async create(reportsDirectory: string, name: string, fileMode = privateFile): Promise<StagedFolder> {
    const folder = new StagedFolder(reportsDirectory, name, fileMode);
    try {
      await folder.#makeFolder(name, folder.#path(folder.#staging.tmp));
      return folder;
    } catch (thrown) {
      releaseStagingNames(folder.#staging);
      throw thrown;
    }
  }

  async create(name: string): Promise<ReportFile> {
    failPoint('publish.file.before');
    const target = path.join(this.#path(this.#staging.tmp), name);
    const directory = path.posix.dirname(name);
    if (!this.#directories.has(directory)) {
      await this.#makeFolder(directory, path.dirname(target));
      this.#directories.add(directory);
    }
    const file = await ReportFile.create(name, target, this.#fileMode);
    this.#open.add(file);
    return file;
  }

  async finish(file: ReportFile, rows: number | null): Promise<void> {
    const written = await file.finish(rows);
    this.#open.delete(file);
    this.add(written);
  }

  place(name: string): FilePlace {
    failPoint('publish.file.before');
    return { name, path: path.join(this.#path(this.#staging.tmp), name), fileMode: this.#fileMode };
  }

  add(written: WrittenFile): void {
    this.files.push(written);
    failPoint('publish.file.after');
  }

  async scratch(): Promise<Scratch> {
    const name = `.scratch-${this.#scratch.size}`;
    const file = await ScratchFile.create(path.join(this.#path(this.#staging.tmp), name));
    this.#scratch.add(file);
    return file;
  }

  /** Writes the manifest and syncs the folder; only {@link publish} is left to do. */
  async seal(totals: Readonly<Record<string, TableTotal>>, audit?: AuditPlace): Promise<void> {
    await this.#closeScratch();
    failPoint('publish.manifest.before');
    const text = serializeManifest(this.files, totals, audit);
    const manifest = await ReportFile.create(
      manifestName,
      path.join(this.#path(this.#staging.tmp), manifestName),
      this.#fileMode,
    );
    this.#open.add(manifest);
    await manifest.write(text);
    await manifest.finish(null);
    this.#open.delete(manifest);
    failPoint('publish.manifest.after');
    for (const directory of this.#directories) {
      await syncReports(path.join(this.#path(this.#staging.tmp), directory));
    }
  }

  /** Gives the folder its final name. */
  async publish(): Promise<void> {
    failPoint('publish.rename.before');
    await onDisk(`publish the report folder ${this.#name}`, () => this.#swap(), nothingPublished);
    failPoint('publish.rename.after');
    await syncReports(this.#reportsDirectory);
    await removeFolder(this.#path(this.#staging.old));
    releaseStagingNames(this.#staging);
  }

  /** Closes and removes what was written. */
  async discard(): Promise<void> {
    for (const file of this.#open) await file.abandon();
    this.#open.clear();
    await this.#closeScratch();
    await removeFolder(this.#path(this.#staging.tmp));
    releaseStagingNames(this.#staging);
  }

  async #closeScratch(): Promise<void> {
    for (const file of this.#scratch) await file.close();
    this.#scratch.clear();
  }

  async #swap(): Promise<void> {
    const { tmp, old } = this.#staging;
    const final = this.#path(this.#name);
    const isReplacing = await renameUnlessMissing(final, this.#path(old));
    if (isReplacing) failPoint('publish.aside.after');
    try {
      await rename(this.#path(tmp), final);
    } catch (thrown) {
      // Another process has published its folder meanwhile. Both are complete; the last one stays.
      if (isOccupied(thrown)) {
        await removeFolder(this.#path(old));
        return this.#swap();
      }
      if (isReplacing) await rename(this.#path(old), final).catch(() => undefined);
      throw thrown;
    }
  }

  #makeFolder(name: string, directory: string): Promise<unknown> {
    const mode = folderModeFor(this.#fileMode);
    return onDisk(
      `create the report folder ${name}`,
      () => makeFolder(directory, { mode }),
      nothingPublished,
    );
  }

  #path(name: string): string {
    return path.join(this.#reportsDirectory, name);
  }
}

/**
 * Repairs what a process left that died while it published: half-written folders are removed, and a folder that was
 * moved aside returns to its place unless the new one is there. Folders of a running process are left alone. The
 * reports directory gets the mode that fits `fileMode`, even if an earlier version made it wider.
 */
export async function recoverReports(reportsDirectory: string, fileMode = privateFile): Promise<void> {
  await onDisk(`prepare the reports folder ${reportsDirectory}`, async () => {
    await makeFolder(path.dirname(reportsDirectory), { owner: 'account' });
    await letThrough(path.dirname(reportsDirectory), fileMode);
    await claimFolder(reportsDirectory, folderModeFor(fileMode));
    const names = await readdir(reportsDirectory);
    const staged = names.flatMap((name) => {
      const staging = parseStagingName(name);
      return staging === undefined ? [] : [{ name, staging }];
    });
    // Only the age of another machine's folders counts, and for that every report is looked at.
    const isShared = staged.some(({ staging }) => isOfOtherMachine(staging));
    const newest = isShared ? await newestChange(reportsDirectory, names) : 0;
    for (const { name, staging } of staged) {
      const leftover = path.join(reportsDirectory, name);
      const changed = await changedAt(leftover);
      if (changed === undefined || !isAbandoned(name, staging, newest - changed)) continue;
      const final = await changedAt(path.join(reportsDirectory, staging.folder));
      if (staging.kind === 'old' && final === undefined) {
        await rename(leftover, path.join(reportsDirectory, staging.folder));
      } else {
        await removeFolder(leftover);
      }
    }
  });
}

/**
 * Removes a published folder. It first gets the name of a folder that is being published, so that it is never visible
 * in parts; if the process dies before the rest, {@link recoverReports} removes it.
 *
 * @throws ReconError DISK_FAILED
 */
export async function removeReports(reportsDirectory: string, name: string): Promise<void> {
  const staging = reserveStagingNames(name);
  try {
    await onDisk(`remove the reports ${name}`, async () => {
      const aside = path.join(reportsDirectory, staging.tmp);
      if (!(await renameUnlessMissing(path.join(reportsDirectory, name), aside))) return;
      failPoint('purge.aside');
      await rm(aside, { recursive: true, force: true });
    });
  } finally {
    releaseStagingNames(staging);
  }
}

/** The present by the clock of the file system: the last change in the folder. */
async function newestChange(reportsDirectory: string, names: readonly string[]): Promise<number> {
  let newest = 0;
  for (const name of names)
    newest = Math.max(newest, (await changedAt(path.join(reportsDirectory, name))) ?? 0);
  return newest;
}

/** Undefined if it does not exist (any more). */
async function changedAt(target: string): Promise<number | undefined> {
  return (await statIfThere(target))?.mtimeMs;
}

async function renameUnlessMissing(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (thrown) {
    if (isMissing(thrown)) return false;
    throw thrown;
  }
}

/** A folder that cannot be removed now is not a failure: the next publication tries again. */
async function removeFolder(target: string): Promise<void> {
  await rm(target, { recursive: true, force: true }).catch(() => undefined);
}

function syncReports(directory: string): Promise<void> {
  return onDisk(`sync the report folder ${directory}`, () => syncDirectory(directory));
}
