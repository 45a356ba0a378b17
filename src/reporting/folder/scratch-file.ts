import { rm, type FileHandle } from 'node:fs/promises';
import { onDisk } from '../../disk/disk-errors.js';
import { createFile } from '../../disk/private-files.js';
import type { Scratch } from '../../spreadsheet/workbook-writer.js';
import { nothingPublished } from './report-file.js';

const pieceBytes = 64 * 1024;

/** A file without a name: it ends with its handle, so nothing of it is left after a crash. */
export class ScratchFile implements Scratch {
  readonly #handle: FileHandle;
  #bytes = 0;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** @param path where to make it, on the disk of the reports */
  static create(path: string): Promise<ScratchFile> {
    return onDisk(
      'create a scratch file for a report',
      async () => {
        const handle = await createFile(path, { isReadable: true });
        await rm(path);
        return new ScratchFile(handle);
      },
      nothingPublished,
    );
  }

  async write(bytes: Buffer): Promise<void> {
    await onDisk(
      'write a scratch file for a report',
      async () => {
        let written = 0;
        while (written < bytes.length) {
          const rest = bytes.subarray(written);
          written += (await this.#handle.write(rest, 0, rest.length, this.#bytes + written)).bytesWritten;
        }
      },
      nothingPublished,
    );
    this.#bytes += bytes.length;
  }

  async *read(): AsyncGenerator<Buffer> {
    let position = 0;
    while (position < this.#bytes) {
      const { bytesRead, buffer } = await onDisk(
        'read a scratch file of a report',
        () => this.#handle.read(Buffer.alloc(pieceBytes), 0, pieceBytes, position),
        nothingPublished,
      );
      if (bytesRead === 0) throw new Error('A scratch file ended early');
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  /** Frees its space. */
  async close(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
  }
}
