import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import yauzl from 'yauzl';
import type { OpenBytes } from '../../archive/stored-bytes.js';
import { ReconError, messageOf } from '../../errors.js';
import { isSafeName, showName, showPath } from '../../remote/file-names.js';
import type { PackedEntry, PackedFile } from './layer.js';

/**
 * The files in a ZIP archive. The list of all of them is read and judged before the first is unpacked: an archive with
 * one entry that cannot be taken is not taken in part.
 *
 * @throws ReconError FILE_PACKED_ENTRIES, FILE_PACKED_PASSWORD, FILE_PACKED_TOO_LARGE; other errors mean that the
 *   archive is damaged
 */
export async function* zipEntries(file: PackedFile, maximumFiles: number): AsyncGenerator<PackedEntry> {
  const bytes = await file.bytes.open();
  try {
    yield* entriesOf(file, bytes, maximumFiles);
  } finally {
    await bytes.close();
  }
}

async function* entriesOf(
  file: PackedFile,
  bytes: OpenBytes,
  maximumFiles: number,
): AsyncGenerator<PackedEntry> {
  const archive = await yauzl.fromRandomAccessReaderPromise(new StoredReader(bytes), bytes.sizeBytes, {
    autoClose: false,
    lazyEntries: true,
    // Names are decoded and judged below, so that a bad one is reported as such.
    decodeStrings: false,
  });
  try {
    if (archive.entryCount > maximumFiles) throw tooMany(file, archive.entryCount, maximumFiles);
    const entries: { name: string; entry: yauzl.Entry }[] = [];
    for await (const entry of archive.eachEntry()) {
      const name = yauzl.getFileNameLowLevel(
        entry.generalPurposeBitFlag,
        entry.fileNameRaw,
        entry.extraFields,
        true,
      );
      judgeEntry(file, name, entry);
      entries.push({ name, entry });
    }
    refuseNames(
      file,
      entries.map(({ name }) => name),
    );
    for (const { name, entry } of entries) yield { name, bytes: unzipped(archive, name, entry) };
  } finally {
    archive.close();
  }
}

/** Lets the reader of ZIP archives read stored bytes, which may be encrypted. */
class StoredReader extends yauzl.RandomAccessReader {
  readonly #bytes: OpenBytes;

  constructor(bytes: OpenBytes) {
    super();
    this.#bytes = bytes;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#bytes.range(start, end), { objectMode: false });
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.#bytes.read(position, length).then(
      (found) => {
        found.copy(buffer, offset);
        callback(found.length < length ? new Error('unexpected end of the file') : null);
      },
      (thrown: unknown) => {
        callback(thrown instanceof Error ? thrown : new Error(messageOf(thrown)));
      },
    );
  }

  /** Whoever opened the bytes closes them. */
  override close(callback: (error: Error | null) => void): void {
    callback(null);
  }
}

/** @throws ReconError FILE_PACKED_ENTRIES for an archive without a file, or with two of the same name. */
export function refuseNames(file: Pick<PackedFile, 'name'>, names: readonly string[]): void {
  if (names.length === 0) throw notTaken(file, 'it contains no file');
  // On some disks, two names that differ only in upper and lower case are one file.
  const folded = names.map((name) => name.normalize('NFC').toLowerCase());
  const twice = names.find((_name, index) => folded.indexOf(folded[index] ?? '') < index);
  if (twice !== undefined) throw notTaken(file, `it contains ${showName(twice)} twice`);
}

const kindBits = 0o170_000;
const regularFile = 0o100_000;
const symbolicLink = 0o120_000;
const dosFolder = 0x10;
/** Methods of compression. */
const [stored, deflated] = [0, 8];

function judgeEntry(file: PackedFile, name: string, entry: yauzl.Entry): void {
  const kind = (entry.externalFileAttributes >>> 16) & kindBits;
  const shown = showName(name);
  if (kind === symbolicLink) throw notTaken(file, `${shown} is a link`);
  if (name.endsWith('/') || name.endsWith('\\') || (entry.externalFileAttributes & dosFolder) !== 0)
    throw notTaken(file, `${showPath(name)} is a folder`);
  if (kind !== 0 && kind !== regularFile) throw notTaken(file, `${shown} is not a regular file`);
  if (/[/\\]/.test(name)) throw notTaken(file, `${showPath(name)} is a path, not a plain file name`);
  if (!isSafeName(name)) throw notTaken(file, `the name ${shown} contains unsafe characters or is too long`);
  if (entry.isEncrypted()) {
    throw new ReconError(
      'FILE_PACKED_PASSWORD',
      `${showName(file.name)} is protected with a password (${shown}). Nothing of it was loaded.`,
    );
  }
  const { compressionMethod } = entry;
  if (compressionMethod !== stored && compressionMethod !== deflated) {
    throw new ReconError(
      'FILE_PACKED_ENTRIES',
      `${showName(file.name)} cannot be unpacked: ${shown} is compressed with method ${compressionMethod}, and recon can unpack only Deflate (8). Nothing of it was loaded.`,
    );
  }
}

function notTaken(file: Pick<PackedFile, 'name'>, why: string): ReconError {
  return new ReconError(
    'FILE_PACKED_ENTRIES',
    `${showName(file.name)} cannot be unpacked safely: ${why}. Nothing of it was loaded.`,
  );
}

function tooMany(file: PackedFile, count: number, maximumFiles: number): ReconError {
  return new ReconError(
    'FILE_PACKED_TOO_LARGE',
    `${showName(file.name)} contains ${count} files, over unpack.maximumFiles (${maximumFiles}); no part of it was kept.`,
  );
}

/** The reader checks the sizes that the directory states, but not the checksum. */
async function* unzipped(archive: yauzl.ZipFile, name: string, entry: yauzl.Entry): AsyncGenerator<Buffer> {
  const stream = await archive.openReadStreamPromise(entry);
  let checksum = 0;
  try {
    // Without an encoding a stream gives Buffers.
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
  } finally {
    stream.destroy();
  }
  if (checksum !== entry.crc32) throw new Error(`the checksum of ${showName(name)} does not fit its bytes`);
}
