import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipForm {
  /** Unix type and permissions of every entry. */
  readonly mode?: number;
  /** General purpose bits; 1 means that an entry is encrypted. */
  readonly flags?: number;
  /** The method of compression that the archive states; 8 is Deflate. */
  readonly method?: number;
}

/** A ZIP archive with any names, also those that an honest program does not write. */
export function zipOf(
  files: Readonly<Record<string, string | Buffer>>,
  { mode = 0o100_644, flags = 0, method = 8 }: ZipForm = {},
): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    // UTF-8 names.
    shared.writeUInt16LE(flags | 0x800, 2);
    shared.writeUInt16LE(method, 4);
    shared.writeUInt16LE(0x21, 8);
    shared.writeUInt32LE(crc32(bytes), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(bytes.length, 18);
    shared.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), shared, Buffer.from(name), packed]);
    const begin = Buffer.alloc(6);
    begin.write('PK\u0001\u0002', 'latin1');
    // Made by Unix, so that the mode counts.
    begin.writeUInt16LE(0x0314, 4);
    const end = Buffer.alloc(14);
    end.writeUInt32LE(mode * 0x10000, 6);
    end.writeUInt32LE(offset, 10);
    directory.push(begin, shared, end, Buffer.from(name));
    parts.push(local);
    offset += local.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, entries, end]);
}
