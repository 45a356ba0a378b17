import { isUtf8 } from 'node:buffer';
import { parse } from 'csv-parse/sync';
import { RecordEncoder } from '../../src/intake/encode-records.js';
import { ReconError } from '../../src/errors.js';
import { acceptedSpellings, columns, maximumRecordBytes } from '../../src/settlement-file/columns.js';
import { fingerprintOf } from '../../src/settlement-file/fingerprint.js';
import { cellsOf, readRows } from '../../src/settlement-file/read-rows.js';
import { validateRow } from '../../src/settlement-file/validate-row.js';
import { maskCardNumbers } from '../../src/values/mask-card-numbers.js';
import { inChunks } from '../settlement-file/rows.js';
import { fileId } from '../../src/values/ids.js';

/** What is made of a row: what goes to the database, or every reason against it. */
export interface JudgedRow {
  /** The physical line on which it begins. */
  readonly line: number;
  readonly cells: readonly string[];
  /** `column code` of each issue; empty for an accepted row. */
  readonly issues: readonly string[];
  /** The line of COPY, parsed again; null for a refused row. */
  readonly stored: readonly string[] | null;
}

export type JudgedFile = readonly JudgedRow[] | 'refused';

/**
 * As the program does it: in chunks, cut at line ends, checked by a pass over the bytes, encoded for COPY.
 * @throws whatever is no verdict on the file: a crash.
 */
export async function judgeFast(bytes: Buffer, chunkSize: number): Promise<JudgedFile> {
  const judged: JudgedRow[] = [];
  const encoder = new RecordEncoder(fileId(1));
  try {
    for await (const { rows } of readRows(inChunks(bytes, chunkSize))) {
      for (const row of rows) {
        const result = encoder.add(row);
        const isAccepted = 'amountMinor' in result;
        judged.push({
          line: row.line,
          cells: cellsOf(row),
          issues: isAccepted ? [] : result.issues.map(({ column, code }) => `${column} ${code}`),
          stored: isAccepted ? copiedCells(encoder.take().toString('utf8')) : null,
        });
      }
    }
  } catch (thrown) {
    if (thrown instanceof ReconError) return 'refused';
    throw thrown;
  }
  return judged;
}

/**
 * As anybody would write it down: csv-parse over the whole file, the rules cell by cell. Where our grammar is
 * stricter than csv-parse it says so here: bytes must be UTF-8, and the header the one of the specification.
 */
export function judgePlainly(bytes: Buffer): JudgedFile {
  if (!isUtf8(bytes)) return 'refused';
  let records: ParsedRecord[];
  try {
    records = parseRecords(bytes);
  } catch {
    return 'refused';
  }
  const [header, ...rows] = records;
  if (!isHeader(header?.cells ?? [])) return 'refused';
  // Blank lines at the end say nothing.
  while (isBlank(rows.at(-1)?.cells)) rows.pop();
  return rows.map(({ line, cells }) => {
    const issues = validateRow(cells).map(({ column, code }) => `${column} ${code}`);
    return { line, cells, issues, stored: issues.length === 0 ? toStored(line, cells) : null };
  });
}

interface ParsedRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

function parseRecords(bytes: Buffer): ParsedRecord[] {
  const ends: number[] = [];
  const parsed = parse(bytes, {
    delimiter: ';',
    record_delimiter: ['\r\n', '\n'],
    bom: true,
    max_record_size: maximumRecordBytes,
    // The width of a row is judged by the validation, row by row.
    relax_column_count: true,
    on_record: (record: string[], { bytes: end }) => {
      ends.push(end);
      return record;
    },
  });
  let start = 0;
  let line = 1;
  return parsed.map((cells, index) => {
    const found = { line, cells };
    for (const end = ends[index] ?? 0; start < end; start += 1) if (bytes[start] === 0x0a) line += 1;
    return found;
  });
}

/** A line of COPY in its text format, taken apart as the server's documentation says. */
function copiedCells(line: string): string[] {
  return line
    .replace(/\n$/, '')
    .split(/(?<=(?:^|[^\\])(?:\\\\)*);/)
    .map((cell) =>
      cell.replace(/\\(.)/g, (_, escaped: string) => ({ n: '\n', r: '\r' })[escaped] ?? escaped),
    );
}

function isHeader(cells: readonly string[]): boolean {
  return (
    cells.length === columns.length &&
    columns.every(({ name }, index) => cells[index] === name || cells[index] === acceptedSpellings.get(name))
  );
}

export const isBlank = (cells: readonly string[] | undefined) => cells?.length === 1 && cells[0] === '';

/** File, line, fingerprint, occurrence and the cells as they are stored. */
function toStored(line: number, cells: readonly string[]): string[] {
  const stored = columns.map(({ type }, index) => {
    const cell = cells[index] ?? '';
    if (type.kind === 'amount') return cell.replace('.', '');
    return type.kind === 'text' && type.free ? maskCardNumbers(cell) : cell;
  });
  return ['1', String(line), fingerprintOf(cells), '1', ...stored];
}
