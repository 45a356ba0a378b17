import { crc32, deflateRawSync } from 'node:zlib';

/** Where the bytes of an archive go. */
export interface Sink {
  write(bytes: Buffer): Promise<void>;
}

/** A part of an archive whose size and checksum are known. */
export interface ZipPart {
  readonly name: string;
  readonly crc: number;
  readonly size: number;
  readonly compressedSize: number;
  readonly bytes: AsyncIterable<Buffer> | readonly Buffer[];
}

/** A part that is in memory as a text, compressed at once. */
export function smallPart(name: string, text: string): ZipPart {
  const content = Buffer.from(text);
  const bytes = deflateRawSync(content);
  return { name, crc: crc32(content), size: content.length, compressedSize: bytes.length, bytes: [bytes] };
}

/**
 * Writes parts as a ZIP archive (without ZIP64, so below 4 GiB). Every part has the first day that the format knows,
 * 1980-01-01, so that the same parts give the same bytes.
 */
export async function writeZip(sink: Sink, parts: readonly ZipPart[]): Promise<void> {
  const entries: Buffer[] = [];
  let offset = 0;
  for (const part of parts) {
    const header = localHeader(part);
    await sink.write(header);
    for await (const bytes of part.bytes) await sink.write(bytes);
    entries.push(directoryEntry(part, offset));
    offset += header.length + part.compressedSize;
  }
  const directory = Buffer.concat(entries);
  await sink.write(directory);
  await sink.write(directoryEnd(parts.length, directory.length, offset));
}

const version = 20;
const deflated = 8;
const firstDay = 0x0021;

/** The fields that the header of a part and its entry in the directory share. */
function sharedFields({ name, crc, size, compressedSize }: ZipPart): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(version, 0);
  fields.writeUInt16LE(0, 2);
  fields.writeUInt16LE(deflated, 4);
  fields.writeUInt16LE(0, 6);
  fields.writeUInt16LE(firstDay, 8);
  fields.writeUInt32LE(crc, 10);
  fields.writeUInt32LE(compressedSize, 14);
  fields.writeUInt32LE(size, 18);
  fields.writeUInt16LE(Buffer.byteLength(name), 22);
  fields.writeUInt16LE(0, 24);
  return fields;
}

function localHeader(part: ZipPart): Buffer {
  return Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), sharedFields(part), Buffer.from(part.name)]);
}

function directoryEntry(part: ZipPart, offset: number): Buffer {
  const begin = Buffer.alloc(6);
  begin.write('PK\u0001\u0002', 'latin1');
  begin.writeUInt16LE(version, 4);
  // Length of a comment, number of the disk, attributes: none.
  const end = Buffer.alloc(14);
  end.writeUInt32LE(offset, 10);
  return Buffer.concat([begin, sharedFields(part), end, Buffer.from(part.name)]);
}

function directoryEnd(parts: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(parts, 8);
  end.writeUInt16LE(parts, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return end;
}
