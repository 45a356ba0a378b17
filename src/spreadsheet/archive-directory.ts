import { Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';

/** A part of a ZIP archive, as its directory states it. */
export interface ArchiveEntry {
  readonly name: string;
  readonly compressedSize: number;
  readonly size: number;
  readonly isEncrypted: boolean;
  /** The first byte of its header. */
  readonly offset: number;
  readonly isCompressed: boolean;
}

const entryBytes = 46;
const headerBytes = 30;
const endBytes = 22;
const longestComment = 65_535;

/** The parts that the directory at the end of an archive lists; undefined if it cannot be read. */
export function directoryOf(bytes: Buffer): ArchiveEntry[] | undefined {
  const searched = Math.max(0, bytes.length - endBytes - longestComment);
  const end = bytes.lastIndexOf('PK\u0005\u0006', undefined, 'latin1');
  if (end < searched || end + endBytes > bytes.length) return undefined;
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  const entries: ArchiveEntry[] = [];
  for (let index = 0; index < count; index += 1) {
    if (at + entryBytes > end || bytes.toString('latin1', at, at + 4) !== 'PK\u0001\u0002') return undefined;
    const entry: ArchiveEntry = {
      isEncrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
      isCompressed: bytes.readUInt16LE(at + 10) !== 0,
      compressedSize: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      offset: bytes.readUInt32LE(at + 42),
      name: bytes.toString('utf8', at + entryBytes, at + entryBytes + bytes.readUInt16LE(at + 28)),
    };
    // The reader takes a part without a size for one of any size; an empty part is compressed to 2 bytes.
    if (entry.size === 0 && entry.compressedSize > 2) return undefined;
    entries.push(entry);
    at +=
      entryBytes + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return entries;
}

/**
 * The text of a part, piece by piece, with each byte as one character: enough to find what is written in ASCII.
 *
 * @throws Error if the part is damaged
 */
export async function* asciiOfPart(bytes: Buffer, entry: ArchiveEntry): AsyncGenerator<string> {
  const { offset, compressedSize, isCompressed } = entry;
  const begin = offset + headerBytes + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
  const content = Readable.from([bytes.subarray(begin, begin + compressedSize)]);
  const pieces: AsyncIterable<Buffer> = isCompressed ? content.pipe(createInflateRaw()) : content;
  for await (const piece of pieces) yield piece.toString('latin1');
}
