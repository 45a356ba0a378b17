import { isCalendarDate } from '../../values/calendar-date.js';
import { fileId, type FileId } from '../../values/ids.js';

/** The end of a page: the place of its last record in the order of the report. */
export interface Cursor {
  readonly date: string;
  readonly settlementTxId: string;
  readonly fileId: FileId;
  readonly line: number;
}

/** The place of a record as an opaque text. */
export function writeCursor(record: {
  readonly settlementDate: string;
  readonly settlementTxId: string | null;
  readonly fileId: FileId;
  readonly line: number;
}): string {
  const place = [record.settlementDate, record.settlementTxId ?? '', record.fileId, record.line];
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** @returns undefined for a text that `writeCursor` did not return */
export function readCursor(text: string): Cursor | undefined {
  let place: unknown;
  try {
    place = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
  if (!Array.isArray(place)) return undefined;
  const [date, settlementTxId, file, line] = place as unknown[];
  const isPlace =
    typeof date === 'string' &&
    isCalendarDate(date) &&
    typeof settlementTxId === 'string' &&
    !settlementTxId.includes('\0') &&
    isCount(file) &&
    isCount(line);
  return isPlace ? { date, settlementTxId, fileId: fileId(file), line } : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 31;
}
