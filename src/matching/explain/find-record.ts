import { ReconError } from '../../errors.js';
import { idsBeginning } from '../../findings/ids-beginning.js';
import type { Fragment, Tx } from '../fragment.js';
import type { FileId } from '../../values/ids.js';
import { maskCardNumbers } from '../../values/mask-card-numbers.js';

/** Where a record is stored, and the ids that people use for it. */
export interface RecordAddress {
  readonly fileId: FileId;
  /** The first physical line of the row, as in the report. */
  readonly line: number;
  readonly file: string;
  readonly sha256: string;
  readonly settlementTxId: string | null;
  readonly uniqueId: string | null;
}

/** A longer list of records with the same reference would not be useful. */
const mostPossibilities = 50;

/**
 * The records that a reference may mean: `FILE:LINE` (FILE is a file's number, name or the beginning of its
 * SHA-256; a line whose record came in an earlier file leads to that record), a UniqueID, a SettlementTxId or a
 * DiscrepancyId. The first meaning with any record counts; the records are ordered by file and line.
 */
export async function findRecords(tx: Tx, reference: string): Promise<RecordAddress[]> {
  for (const reading of readings(tx, reference)) {
    const found = await tx<RecordAddress[]>`
      select r.file_id as "fileId", r.line, f.name as file, f.sha256, r.settlement_tx_id as "settlementTxId",
        r.unique_id as "uniqueId"
      from (${reading}) s
      join settlement_records r on r.file_id = s.file_id and r.line = s.line
      join settlement_files f on f.id = r.file_id
      order by r.file_id, r.line
      limit ${mostPossibilities}`;
    if (found.length > 0) return [...found];
  }
  return [];
}

/**
 * The DiscrepancyId that begins with these digits; null for other texts, for a whole id, and if there is none.
 *
 * @throws ReconError RECORD_NOT_FOUND if several begin with them
 */
export async function findByBeginning(tx: Tx, digits: string): Promise<string | null> {
  const ids = idsBeginning(digits);
  if (ids === null || ids.lowest === digits) return null;
  const found = await tx<{ id: string; code: string }[]>`
    select id, code from discrepancies where id between ${ids.lowest} and ${ids.highest}
    order by id limit ${mostPossibilities}`;
  const [first, second] = found;
  if (second === undefined) return first?.id ?? null;
  const listed = found.map(({ id, code }) => `${id} (${code})`).join(', ');
  throw new ReconError('RECORD_NOT_FOUND', `Several discrepancies begin with ${digits}: ${listed}.`);
}

function readings(tx: Tx, reference: string): Fragment[] {
  const byName: Fragment[] = [
    tx`select file_id, line from discrepancies where id = ${reference} and file_id is not null`,
    tx`select file_id, line from settlement_records
      where unique_id = ${reference} or settlement_tx_id = ${reference}`,
  ];
  const place = fileAndLineOf(reference);
  return place === null ? byName : [atLine(tx, place.file, place.line), ...byName];
}

function atLine(tx: Tx, file: string, line: number): Fragment {
  const files = filesNamed(tx, file);
  return tx`
    select file_id, line from settlement_records where file_id in (${files}) and line = ${line}
    union
    select record_file_id, record_line from already_known_rows where file_id in (${files}) and line = ${line}`;
}

/** Files with a number, a name, or a SHA-256 that begins so: a fragment that selects `id`. */
export function filesNamed(tx: Tx, file: string): Fragment {
  const digest = /^[0-9a-f]{6,64}$/.test(file) ? tx`or sha256 like ${`${file}%`}` : tx``;
  return tx`select id from settlement_files where name in (${file}, ${maskCardNumbers(file)}) or id::text = ${file} ${digest}`;
}

/** The parts of `FILE:LINE`, where FILE may contain colons; null if the text has another form. */
export function fileAndLineOf(reference: string): { file: string; line: number } | null {
  const [, file, line] = /^(.+):(\d{1,9})$/.exec(reference) ?? [];
  return file === undefined ? null : { file, line: Number(line) };
}
