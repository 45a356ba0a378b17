import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { onDisk } from '../disk/disk-errors.js';
import { createFile, privateFile } from '../disk/private-files.js';

/** What a failure while reports are written leaves intact. */
export const nothingPublished = 'No report was published; what was loaded is kept.';

/** A finished file as the manifest lists it. */
export interface WrittenFile {
  /** Relative to the report folder, with `/`. */
  readonly name: string;
  /** Rows of data; null for a file that is no table. */
  readonly rows: number | null;
  readonly bytes: number;
  readonly sha256: string;
}

/** A file of a report folder under way: counted and hashed as it is written, on the disk when finished. */
export class ReportFile {
  readonly #name: string;
  readonly #handle: FileHandle | null;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  private constructor(name: string, handle: FileHandle | null) {
    this.#name = name;
    this.#handle = handle;
  }

  /**
   * @param path null to count and hash without writing anything (a dry run)
   * @param mode the permission bits of the file
   */
  static async create(name: string, path: string | null, mode = privateFile): Promise<ReportFile> {
    const handle =
      path === null
        ? null
        : await onDisk(`create ${name}`, () => createFile(path, { mode }), nothingPublished);
    return new ReportFile(name, handle);
  }

  async write(data: string | Buffer): Promise<void> {
    const bytes = typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    const handle = this.#handle;
    if (handle === null) return;
    await this.#onDisk(async () => {
      let written = 0;
      while (written < bytes.length) {
        written += (await handle.write(bytes, written)).bytesWritten;
      }
    });
  }

  /** Brings the bytes to the disk and closes the file. */
  async finish(rows: number | null): Promise<WrittenFile> {
    await this.#onDisk(async () => {
      await this.#handle?.sync();
      await this.#handle?.close();
    });
    return { name: this.#name, rows, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  #onDisk(work: () => Promise<void>): Promise<void> {
    return onDisk(`write ${this.#name}`, work, nothingPublished);
  }

  /** Closes a file that will be thrown away; one that is closed stays so. */
  async abandon(): Promise<void> {
    await this.#handle?.close().catch(() => undefined);
  }
}
