import { createHash } from 'node:crypto';
import { columns } from '../../../src/settlement-file/columns.js';
import type { Cells } from '../../support/settlement-rows.js';
import { readMoney } from './payments.js';
import { dayAfter, type DeliveredFile } from './world.js';

/** A file that was loaded. `received` is its place in the order of receipt. */
export interface LoadedFile {
  readonly delivered: DeliveredFile;
  readonly received: number;
  isWithdrawn: boolean;
}

/** A settlement record: the row that brought it first, and every file that has brought it. */
export interface SettlementRecord {
  /** FILE:LINE of the row that is stored. */
  readonly place: string;
  readonly line: number;
  readonly file: LoadedFile;
  readonly broughtBy: LoadedFile[];
  readonly cells: Cells;
  readonly fingerprint: string;
  readonly occurrence: number;
  /** ReconciliationType and PaymentType. */
  readonly type: string;
  readonly kind: string;
  readonly amount: number;
  readonly currency: string;
  readonly hasFailed: boolean;
}

/** What each valid row of a file is: a new record, or one that is known already. */
export interface RowOutcome {
  readonly record: SettlementRecord;
  readonly alreadyKnown: boolean;
}

/** The columns whose cells identify a record. */
export const identifying = columns.slice(0, 33).map(({ name }) => name);

/** A row that is no record, at least until somebody corrects it. */
export interface RejectedRow {
  readonly file: LoadedFile;
  readonly line: number;
  readonly cells: Cells;
  /** The columns with an invalid cell. */
  readonly problems: readonly string[];
  isCorrected: boolean;
}

export const placeOf = ({ file, line }: Pick<RejectedRow, 'file' | 'line'>): string =>
  `${file.delivered.name}:${line}`;

/** The columns of a row with an invalid cell (design 4.2); random rows have only such amounts and days. */
export function problemsOf(cells: Cells): string[] {
  const [amount = '', day = ''] = [cells['Amount'], cells['SettlementDate']];
  const isDay = /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day)) && dayAfter(day, 0) === day;
  return [...(/^\d{1,10}\.\d\d$/.test(amount) ? [] : ['Amount']), ...(isDay ? [] : ['SettlementDate'])];
}

/** The rows of a file that are rejected. */
export function rejectedRowsOf(file: LoadedFile): RejectedRow[] {
  return file.delivered.rows
    .map((cells, index) => ({
      file,
      line: index + 2,
      cells,
      problems: problemsOf(cells),
      isCorrected: false,
    }))
    .filter(({ problems }) => problems.length > 0);
}

/** Design 4.9: a corrected row is a record at the place of the original row. */
export function enterCorrection(
  records: SettlementRecord[],
  row: RejectedRow,
  cells: Cells,
): SettlementRecord {
  row.isCorrected = true;
  const { file, line } = row;
  const record = readRecord(cells, { file, line, fingerprint: fingerprintOf(cells), occurrence: 1 });
  records.push(record);
  return record;
}

/** Design 4.3: a record is its first 33 cells and its occurrence in the file. */
export function loadFile(records: SettlementRecord[], file: LoadedFile): RowOutcome[] {
  const seen = new Map<string, number>();
  return file.delivered.rows.flatMap((cells, index): RowOutcome[] => {
    if (problemsOf(cells).length > 0) return [];
    const fingerprint = fingerprintOf(cells);
    const occurrence = (seen.get(fingerprint) ?? 0) + 1;
    seen.set(fingerprint, occurrence);
    const known = records.find(
      (record) => record.fingerprint === fingerprint && record.occurrence === occurrence,
    );
    if (known !== undefined) {
      known.broughtBy.push(file);
      return [{ record: known, alreadyKnown: true }];
    }
    const record = readRecord(cells, { file, line: index + 2, fingerprint, occurrence });
    records.push(record);
    return [{ record, alreadyKnown: false }];
  });
}

function readRecord(
  cells: Cells,
  place: Pick<SettlementRecord, 'file' | 'line' | 'fingerprint' | 'occurrence'>,
): SettlementRecord {
  return {
    ...place,
    place: `${place.file.delivered.name}:${place.line}`,
    broughtBy: [place.file],
    cells,
    type: cells['ReconciliationType'] ?? '',
    kind: cells['PaymentType'] ?? '',
    amount: readMoney(cells['Amount'] ?? ''),
    currency: cells['Currency'] ?? '',
    hasFailed: cells['SettlementStatus'] === 'FAILED',
  };
}

/** No cell of a random world needs quotes. */
function fingerprintOf(cells: Cells): string {
  const text = identifying.map((name) => cells[name] ?? '').join(';');
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Design 4.6: "earlier" and "last" follow SettlementDate, SettlementTxId, fingerprint, occurrence. */
export function compareRecords(left: SettlementRecord, right: SettlementRecord): number {
  return (
    compareTexts(left.cells['SettlementDate'], right.cells['SettlementDate']) ||
    compareTexts(left.cells['SettlementTxId'], right.cells['SettlementTxId']) ||
    compareTexts(left.fingerprint, right.fingerprint) ||
    left.occurrence - right.occurrence
  );
}

export function compareTexts(left = '', right = ''): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The file as whose delivery a record counts: the first that brings it and is not withdrawn (design 4.8). */
export function deliveryOf(record: SettlementRecord): LoadedFile | undefined {
  return record.broughtBy.find((file) => !file.isWithdrawn);
}
