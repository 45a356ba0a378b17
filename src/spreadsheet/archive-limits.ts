import { directoryOf, type ArchiveEntry } from './archive-directory.js';

const gigabyte = 1024 ** 3;

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

/** Whether a file is a workbook (XLSX), damaged or not: a ZIP archive with the parts of one. */
export function isWorkbook(bytes: Buffer): boolean {
  if (bytes.toString('latin1', 0, 4) !== 'PK\u0003\u0004') return false;
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
  const unpacked = (some: readonly ArchiveEntry[]) => some.reduce((sum, { size }) => sum + size, 0);
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
