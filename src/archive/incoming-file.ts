import { createHash } from 'node:crypto';
import { rm, type FileHandle } from 'node:fs/promises';
import { onDisk } from '../disk/disk-errors.js';
import { ReconError } from '../errors.js';
import type { ArchiveKeys } from './archive-keys.js';
import { chunkBytes, sealChunk, type FileKey } from './encrypted-format.js';
import { StoredBytes } from './stored-bytes.js';

/**
 * A file while its bytes arrive: they are counted, hashed and, if the archive has a key, encrypted before they are
 * written.
 */
export class IncomingFile {
  readonly file: string;
  readonly #handle: FileHandle;
  readonly #fileKey: FileKey | null;
  readonly #keys: ArchiveKeys;
  readonly #hash = createHash('sha256');
  /** Content that is not written yet: a chunk is sealed when it is known whether it is the last. */
  readonly #pending: Buffer;
  #pendingBytes = 0;
  #position = 0;
  #sizeBytes = 0;
  #writtenBytes = 0;
  #sha256 = '';

  constructor(file: string, handle: FileHandle, fileKey: FileKey | null, keys: ArchiveKeys) {
    this.file = file;
    this.#handle = handle;
    this.#fileKey = fileKey;
    this.#keys = keys;
    this.#pending = Buffer.allocUnsafeSlow(fileKey === null ? 0 : chunkBytes);
  }

  get isEncrypted(): boolean {
    return this.#fileKey !== null;
  }

  /** Of the bytes as they arrived. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Of the bytes as they arrived, once the file has ended. */
  get sha256(): string {
    return this.#sha256;
  }

  /** Takes the next bytes. Throws an error of the system. */
  async write(bytes: Buffer): Promise<void> {
    this.#sizeBytes += bytes.length;
    this.#hash.update(bytes);
    if (this.#fileKey === null) return this.#store(bytes);
    for (let at = 0; at < bytes.length;) {
      if (this.#pendingBytes === chunkBytes) await this.#seal(this.#fileKey, null);
      const taken = bytes.copy(this.#pending, this.#pendingBytes, at);
      this.#pendingBytes += taken;
      at += taken;
    }
  }

  /** Writes what is pending: no more bytes come. */
  async end(): Promise<void> {
    this.#sha256 = this.#hash.digest('hex');
    if (this.#fileKey !== null) await this.#seal(this.#fileKey, this.#sha256);
  }

  /** Syncs the file, and checks that the disk has all of it. */
  async sync(what: string): Promise<void> {
    await this.#handle.sync();
    const { size } = await this.#handle.stat();
    if (size === this.#writtenBytes) return;
    throw new ReconError(
      'DISK_FAILED',
      `Could not ${what}: ${size} of ${this.#writtenBytes} bytes are on disk.`,
    );
  }

  /** Throws an error of the system. */
  async setTimes(atime: Date, mtime: Date): Promise<void> {
    await this.#handle.utimes(atime, mtime);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  /** Deletes the file if it is still there (after archiving it no longer is). */
  async remove(): Promise<void> {
    await onDisk(`delete ${this.file}`, () => rm(this.file, { force: true }));
  }

  /** The bytes, once the file has ended. */
  bytes(): StoredBytes {
    const missing = `${this.file}.none`;
    const place = this.isEncrypted
      ? { plain: missing, encrypted: this.file }
      : { plain: this.file, encrypted: missing };
    return new StoredBytes({ sha256: this.#sha256, ...place }, this.#keys);
  }

  async #seal(fileKey: FileKey, endOf: string | null): Promise<void> {
    if (this.#position === 0) await this.#store(fileKey.header);
    const place = { position: this.#position, endOf };
    const content = this.#pending.subarray(0, this.#pendingBytes);
    for (const part of sealChunk(fileKey, place, content)) await this.#store(part);
    this.#position += 1;
    this.#pendingBytes = 0;
  }

  async #store(bytes: Buffer): Promise<void> {
    await this.#handle.writeFile(bytes);
    this.#writtenBytes += bytes.length;
  }
}
