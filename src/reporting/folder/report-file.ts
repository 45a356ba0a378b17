import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { onDisk } from '../../disk/disk-errors.js';
import { createFile, privateFile } from '../../disk/private-files.js';

/** The sentence for a failure while reports are written. */
export const nothingPublished = 'No report was published; what was loaded is kept.';

/** A finished file as the manifest lists it. */
export interface WrittenFile {
  /** Relative to the report folder, with `/`. */
  readonly name: string;
  /** Rows of data; null for a file that is not a table. */
  readonly rows: number | null;
  readonly bytes: number;
  readonly sha256: string;
}

/** A file of a report folder: counted and hashed as it is written, and synced when it is finished. */
export class ReportFile {
  readonly #name: string;
  readonly #handle: FileHandle;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  private constructor(name: string, handle: FileHandle) {
    this.#name = name;
    this.#handle = handle;
  }

  /** @param mode the permission bits of the file */
  static async create(name: string, path: string, mode = privateFile): Promise<ReportFile> {
    const handle = await onDisk(`create ${name}`, () => createFile(path, { mode }), nothingPublished);
    return new ReportFile(name, handle);
  }

  async write(data: string | Buffer): Promise<void> {
    const bytes = typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    await this.#onDisk(async () => {
      let written = 0;
      while (written < bytes.length) {
        written += (await this.#handle.write(bytes, written)).bytesWritten;
      }
    });
  }

  /** Syncs and closes the file. */
  async finish(rows: number | null): Promise<WrittenFile> {
    await this.#onDisk(async () => {
      await this.#handle.sync();
      await this.#handle.close();
    });
    return { name: this.#name, rows, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  #onDisk(work: () => Promise<void>): Promise<void> {
    return onDisk(`write ${this.#name}`, work, nothingPublished);
  }

  /** Closes a file that will be deleted, if it is still open. */
  async abandon(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
  }
}
