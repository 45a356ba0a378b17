import type { Archive } from '../archive/archive.js';
import type { Sql } from '../db/client.js';
import { ReconError } from '../errors.js';

/** How often a worker compares its archive: somebody may unmount the folder while it waits. */
const everyMs = 60_000;

/** Of a larger file, only its presence is looked at: this happens every minute. */
const largestReadBytes = 1_048_576;

/** What a worker finds when it looks into its archive for a file that the runs stored. */
export interface ArchiveFinding {
  /** Null if the file is there. */
  readonly problem: ReconError | null;
}

/** Whether the archive of a worker is that of the runs, found out before it gets the first file. */
export class SharedArchive {
  readonly #sql: Sql;
  readonly #archive: Archive;
  #checkedAtMs = -Infinity;

  constructor(sql: Sql, archive: Archive) {
    this.#sql = sql;
    this.#archive = archive;
  }

  /** Null when no file was stored yet, or when it looked less than a minute ago. */
  async check(nowMs: number): Promise<ArchiveFinding | null> {
    if (nowMs - this.#checkedAtMs < everyMs) return null;
    this.#checkedAtMs = nowMs;
    // A small one of the newest, so that a look costs the same in the first week and after years.
    const [file] = await this.#sql<{ name: string; sha256: string; is_small: boolean }[]>`
      select name, sha256, size_bytes <= ${largestReadBytes} as is_small from (
        select id, name, sha256, size_bytes from settlement_files
        where status <> 'received' and archive_removed_at is null order by id desc limit 100
      ) newest order by is_small desc, id desc limit 1`;
    if (file === undefined) return null;
    try {
      const { name, sha256 } = file;
      const isThere = file.is_small ? await this.#archive.isIntact(sha256) : await this.#archive.has(sha256);
      return { problem: isThere ? null : notShared(this.#archive, name, sha256) };
    } catch (thrown) {
      if (thrown instanceof ReconError) return { problem: thrown };
      throw thrown;
    }
  }
}

/** The archive of a worker may be a different folder from that of the run, or an old copy of it. */
export function notShared(archive: Archive, name: string, sha256: string): ReconError {
  return new ReconError(
    'ARCHIVE_NOT_SHARED',
    `${name} is not in the archive of this worker, or has other bytes there (${archive.pathOf(sha256)}). The run has it in its own archive.`,
  );
}
