import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { foreignContent, headBytes } from '../../damaged-input/foreign-content.js';
import { onDisk, systemErrorOf } from '../../disk/disk-errors.js';
import { createFile } from '../../disk/private-files.js';
import { ReconError, messageOf } from '../../errors.js';
import { showName } from '../../remote/file-names.js';
import type { UnpackLimits } from '../../remote/source-settings.js';
import { archiveFile, newIncomingFile, removeIncomingFile } from '../archive.js';
import { gzipEntries } from './gzip-layer.js';
import type { PackedEntry, PackedFile, PackedForm } from './layer.js';
import { refuseNames, zipEntries } from './zip-layer.js';

/** What unpacking depends on. */
export interface UnpackSettings extends UnpackLimits {
  /** Contains the incoming files and the archive. */
  readonly dataDirectory: string;
  /** All files inside together may have this many bytes. */
  readonly maximumSizeBytes: number;
  /** Throws when the run is to stop; called for every chunk. */
  readonly stopIfInterrupted: () => void;
}

/** A file that was inside a packed file; its bytes are in the archive. */
export interface UnpackedFile {
  readonly name: string;
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** A packed file may contain a packed file: a ZIP archive of gzip files. Deeper nesting has no honest use. */
const maximumLayers = 3;

/** A small file may unpack to this size whatever the ratio: a short, repetitive file compresses very well. */
const alwaysAllowedBytes = 16 * 1024 ** 2;

/**
 * Unpacks a received file if its first bytes are those of a packed form, and archives what is inside, under the SHA-256
 * of the unpacked bytes: a file is thus known whether it comes plain or packed. All of it is unpacked and checked
 * before any of it is archived.
 *
 * @returns the files inside; undefined if the file is not packed
 * @throws ReconError FILE_PACKED_*; DISK_*; what `stopIfInterrupted` throws
 */
export async function unpack(
  file: PackedFile,
  settings: UnpackSettings,
): Promise<UnpackedFile[] | undefined> {
  const form = await packedForm(file.path);
  if (form === undefined) return undefined;
  const unpacking = new Unpacking(file, settings);
  try {
    await unpacking.open(file, form, 1);
    const files = unpacking.files.map(({ name, sha256, sizeBytes }) => ({ name, sha256, sizeBytes }));
    refuseNames(
      file,
      files.map(({ name }) => name),
    );
    for (const each of unpacking.files) await archiveFile(settings.dataDirectory, each.path, each.sha256);
    return files;
  } finally {
    await unpacking.end();
  }
}

/** The form of a packed file, by its first bytes; undefined for any other file, a workbook included. */
async function packedForm(path: string): Promise<PackedForm | undefined> {
  const head = await onDisk(`read ${path}`, async () => {
    const handle = await open(path);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  });
  return foreignContent(head)?.packed;
}

interface StoredEntry extends UnpackedFile {
  readonly path: string;
}

/** The state of one unpacking. */
class Unpacking {
  readonly files: StoredEntry[] = [];
  readonly #outer: PackedFile;
  readonly #settings: UnpackSettings;
  readonly #written: string[] = [];
  /** Of all layers: what lies on the disk at the same time. */
  #unpackedBytes = 0;

  constructor(outer: PackedFile, settings: UnpackSettings) {
    this.#outer = outer;
    this.#settings = settings;
  }

  async open(file: PackedFile, form: PackedForm, layer: number): Promise<void> {
    if (layer > maximumLayers) {
      throw new ReconError(
        'FILE_PACKED_ENTRIES',
        `${showName(this.#outer.name)} is packed more than ${maximumLayers} times. Nothing of it was loaded.`,
      );
    }
    try {
      const entries = form === 'gzip' ? gzipEntries(file) : zipEntries(file, this.#settings.maximumFiles);
      for await (const entry of entries) await this.#take(entry, layer);
    } catch (thrown) {
      throw this.#asFailure(thrown);
    }
  }

  /** Deletes what was not archived. */
  async end(): Promise<void> {
    for (const path of this.#written) await removeIncomingFile(path);
  }

  async #take(entry: PackedEntry, layer: number): Promise<void> {
    const stored = await this.#store(entry);
    const form = await packedForm(stored.path);
    if (form === undefined) this.files.push(stored);
    else await this.open(stored, form, layer + 1);
    if (this.files.length > this.#settings.maximumFiles) {
      throw this.#tooLarge(`contains more files than unpack.maximumFiles (${this.#settings.maximumFiles})`);
    }
  }

  async #store({ name, bytes }: PackedEntry): Promise<StoredEntry> {
    const { dataDirectory, stopIfInterrupted } = this.#settings;
    const path = await newIncomingFile(dataDirectory);
    const what = `unpack ${showName(name)}`;
    const target = await onDisk(what, () => createFile(path));
    this.#written.push(path);
    const hash = createHash('sha256');
    let sizeBytes = 0;
    try {
      for await (const chunk of bytes) {
        stopIfInterrupted();
        sizeBytes += chunk.length;
        this.#count(chunk.length);
        hash.update(chunk);
        await onDisk(what, () => target.writeFile(chunk));
      }
      await onDisk(what, () => target.sync());
    } finally {
      await onDisk(what, () => target.close());
    }
    return { name, path, sha256: hash.digest('hex'), sizeBytes };
  }

  #count(bytes: number): void {
    this.#unpackedBytes += bytes;
    const { maximumSizeBytes, maximumRatio } = this.#settings;
    if (this.#unpackedBytes > maximumSizeBytes) {
      throw this.#tooLarge(`unpacks to more than maximumSizeBytes (${maximumSizeBytes})`);
    }
    if (this.#unpackedBytes > Math.max(alwaysAllowedBytes, maximumRatio * this.#outer.sizeBytes)) {
      throw this.#tooLarge(
        `unpacks to more than ${maximumRatio} times its ${this.#outer.sizeBytes} bytes (unpack.maximumRatio)`,
      );
    }
  }

  #tooLarge(what: string): ReconError {
    return new ReconError(
      'FILE_PACKED_TOO_LARGE',
      `${showName(this.#outer.name)} ${what}; no part of it was kept.`,
    );
  }

  /** What the libraries throw about the bytes means that they are damaged. */
  #asFailure(thrown: unknown): unknown {
    if (thrown instanceof ReconError || systemErrorOf(thrown) !== undefined) return thrown;
    return new ReconError(
      'FILE_PACKED_DAMAGED',
      `${showName(this.#outer.name)} is damaged or incomplete and cannot be unpacked: ${messageOf(thrown)}. ` +
        'Nothing of it was loaded; the bytes are in the archive.',
      { cause: thrown },
    );
  }
}
