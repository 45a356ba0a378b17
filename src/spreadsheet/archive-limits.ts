/** A part of a ZIP archive, as its directory states it. */
interface Entry {
  readonly name: string;
  readonly compressedSize: number;
  readonly size: number;
  readonly isEncrypted: boolean;
}

const gigabyte = 1024 ** 3;

/** What a workbook may unpack to. */
export interface ArchiveLimits {
  readonly parts: number;
  /** Of all parts unpacked. */
  readonly bytes: number;
  /** Of all parts that are not sheets: they are held in memory, and sheets are read row by row. */
  readonly bytesBesideSheets: number;
}

/** 600,000 items unpack to 0.7 GB when this program wrote the workbook. */
const usualLimits: ArchiveLimits = {
  parts: 10_000,
  bytes: 2 * gigabyte,
  bytesBesideSheets: gigabyte / 2,
};

/** Whether a file begins as a ZIP archive. */
export function isZip(head: Buffer): boolean {
  return head.toString('latin1', 0, 4) === 'PK\u0003\u0004';
}

/** Whether a file is a workbook (XLSX), damaged or not: a ZIP archive with the parts of one. */
export function isWorkbook(bytes: Buffer): boolean {
  if (!isZip(bytes)) return false;
  return bytes.includes('[Content_Types].xml') || bytes.includes('xl/workbook.xml');
}

/**
 * Why an archive is not unpacked; null if it may be. The reader unpacks no part to more than the directory states, so
 * an archive that states little and holds much is refused as damaged.
 */
export function archiveProblem(bytes: Buffer, limits: ArchiveLimits = usualLimits): string | null {
  const entries = directoryOf(bytes);
  if (entries === undefined)
    return 'the workbook is damaged or was not copied completely; save it again as .xlsx';
  if (entries.some(({ isEncrypted }) => isEncrypted))
    return 'the workbook has a password; save it without one';
  if (entries.some(({ name }) => name === 'xl/workbook.bin'))
    return 'it is a binary workbook (.xlsb); save it as .xlsx';
  const unpacked = (some: readonly Entry[]) => some.reduce((sum, { size }) => sum + size, 0);
  const besideSheets = entries.filter(({ name }) => !name.startsWith('xl/worksheets/'));
  if (
    entries.length > limits.parts ||
    unpacked(entries) > limits.bytes ||
    unpacked(besideSheets) > limits.bytesBesideSheets
  ) {
    return 'the workbook unpacks to more than recon reads; give back only the rows that were decided';
  }
  return null;
}

const entryBytes = 46;
const endBytes = 22;
const longestComment = 65_535;

/** The parts that the directory at the end of an archive lists; undefined if it cannot be read. */
function directoryOf(bytes: Buffer): Entry[] | undefined {
  const searched = Math.max(0, bytes.length - endBytes - longestComment);
  const end = bytes.lastIndexOf('PK\u0005\u0006', undefined, 'latin1');
  if (end < searched || end + endBytes > bytes.length) return undefined;
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  const entries: Entry[] = [];
  for (let index = 0; index < count; index += 1) {
    if (at + entryBytes > end || bytes.toString('latin1', at, at + 4) !== 'PK\u0001\u0002') return undefined;
    const entry: Entry = {
      isEncrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
      compressedSize: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
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
