import type { Fragment, Tx } from '../db/client.js';
import { partColumns, tableOfPart, type RecordPart } from '../db/parts/record-parts.js';
import type { StoredBytes } from '../archive/stored-bytes.js';
import { ReconError } from '../errors.js';
import { columnIndex } from '../settlement-file/columns.js';
import { fingerprintOf } from '../settlement-file/fingerprint.js';
import { cellsOf, readRows, type RawRow } from '../settlement-file/read-rows.js';
import { validateRow } from '../settlement-file/validate-row.js';
import { storedRecordColumns } from './stored-columns.js';
import type { Dates } from './tally-rows.js';
import type { FileId } from '../values/ids.js';

/** How many rows to check to guess whether part of a file was delivered before. */
const probedRows = 200;
const settlementDate = columnIndex('SettlementDate');

/**
 * Whether the first rows of a file hold a record that is stored already. This only decides which way of loading is
 * tried first, so it ignores errors that the loading will report.
 */
export async function beginsWithKnownRecords(tx: Tx, bytes: StoredBytes): Promise<boolean> {
  const { dates, fingerprints } = await readHead(bytes);
  const [first] = dates.toSorted();
  const last = dates.toSorted().at(-1);
  if (first === undefined || last === undefined) return false;
  const parts = await partsWith(tx, { first, last });
  if (parts.length === 0) return false;
  const [row] = await tx<{ known: boolean }[]>`
    select exists (
      select from unnest(${dates}::text[], ${fingerprints}::text[]) as head (day, fingerprint)
      join (${recordsOf(tx, parts)}) r on r.settlement_date = head.day::date
        and r.fingerprint = head.fingerprint::uuid and r.occurrence = 1
    ) as known`;
  return row?.known === true;
}

async function readHead(bytes: StoredBytes): Promise<{ dates: string[]; fingerprints: string[] }> {
  const dates: string[] = [];
  const fingerprints: string[] = [];
  try {
    for (const row of await firstBlock(bytes)) {
      const cells = cellsOf(row);
      if (validateRow(cells).length > 0) continue;
      dates.push(cells[settlementDate] ?? '');
      fingerprints.push(fingerprintOf(cells));
      if (fingerprints.length === probedRows) break;
    }
  } catch (thrown) {
    if (!(thrown instanceof ReconError) && !(thrown instanceof Error && 'syscall' in thrown)) throw thrown;
  }
  return { dates, fingerprints };
}

/** The rows of the first block of the file, valid or not: more than are probed. */
async function firstBlock(bytes: StoredBytes): Promise<readonly RawRow[]> {
  for await (const { rows } of readRows(bytes.pieces(64 * 1024))) return rows;
  return [];
}

const columnList = storedRecordColumns.join(', ');

/**
 * The parts that may hold records of these dates: those of the files that do. These files are listed once, and each
 * part is found from the first of them that no earlier part holds; a file without a part leads to the next part, which
 * is then searched in vain. When each part was asked for such a file, the server read all files of the others: 80 ms
 * for each new file after a month of 3,000 files a night, and more every night.
 */
async function partsWith(tx: Tx, dates: Dates | null): Promise<RecordPart[]> {
  if (dates === null) return [];
  const partOfFirst = (files: Fragment) => tx`select p.first_file_id, p.end_file_id, p.own_file
      from (select min(f.id) as id ${files}) f
      cross join lateral (select * from record_parts p where p.end_file_id > f.id order by p.end_file_id limit 1) p`;
  return tx<RecordPart[]>`
    with recursive files as materialized (
      select f.id from settlement_files f where f.status = 'loaded'
        and f.first_settlement_date <= ${dates.last} and f.last_settlement_date >= ${dates.first}),
    parts as (
      ${partOfFirst(tx`from files f`)}
      union all
      select next.* from parts before
      cross join lateral (${partOfFirst(tx`from files f where f.id >= before.end_file_id`)}) next
    )
    select ${partColumns(tx)} from parts order by 1`;
}

/**
 * The records of some parts, at least one. The query names their tables, not their files: the only index of a table
 * that can look up a record is then the one on identity. (Given file ids, the server used those and read all small
 * files of the run for each of them.)
 */
function recordsOf(tx: Tx, parts: readonly RecordPart[]) {
  return parts
    .map((part) => tx`select * from ${tx(tableOfPart(part))}`)
    .reduce((all, more) => tx`${all} union all ${more}`);
}

/**
 * Whether another part already holds a record that was just stored for a file; within one part the index finds that.
 * Usually no file in another part holds the same dates, and there is nothing to compare.
 */
export async function isKnownElsewhere(
  tx: Tx,
  fileId: FileId,
  home: RecordPart,
  dates: Dates | null,
): Promise<boolean> {
  const others = (await partsWith(tx, dates)).filter((part) => part.firstFileId !== home.firstFileId);
  if (others.length === 0) return false;
  const [row] = await tx<{ known: boolean }[]>`
    select exists (
      select from settlement_records n
      join (${recordsOf(tx, others)}) r on r.settlement_date = n.settlement_date
        and r.fingerprint = n.fingerprint and r.occurrence = n.occurrence
      where n.file_id = ${fileId}
    ) as known`;
  return row?.known === true;
}

/** Creates a staging table, where the records of one file are compared before they are stored. */
export async function createStaging(tx: Tx): Promise<void> {
  await tx`create temporary table staged_records (like settlement_records) on commit drop`;
}

/**
 * Numbers the identical twins among the staged records by line, and notes those that are stored already (from an
 * earlier delivery) with their file and line (design 4.3).
 *
 * They are noted in the order of their lines: in that of the fingerprints, both indexes grew at random.
 *
 * @param options.isAddition whether the file has stored rows already, which are numbered before these
 * @returns the number of records noted
 */
export async function noteKnownRecords(
  tx: Tx,
  fileId: FileId,
  dates: Dates | null,
  { isAddition }: { readonly isAddition: boolean },
): Promise<number> {
  const number = tx`row_number() over (partition by fingerprint order by line)`;
  await tx`
    create temporary table numbered_records on commit drop as
    select line, settlement_date, fingerprint,
      ${isAddition ? tx`(${number} + ${twinsInFile(tx, fileId)})` : number}::integer as occurrence
    from staged_records`;
  await tx`analyze numbered_records`;
  const parts = await partsWith(tx, dates);
  if (parts.length === 0) return 0;
  const known = await tx`
    insert into already_known_rows (file_id, line, record_file_id, record_line)
    select ${fileId}::integer, n.line, r.file_id, r.line
    from numbered_records n
    join (${recordsOf(tx, parts)}) r using (settlement_date, fingerprint, occurrence)
    order by n.line`;
  return known.count;
}

/** How many rows of the file, its own records and known ones, are twins of a staged record. */
function twinsInFile(tx: Tx, fileId: FileId) {
  return tx`(select count(*) from settlement_records r
      where r.file_id = ${fileId} and r.fingerprint = staged_records.fingerprint)
    + (select count(*) from already_known_rows k
      join settlement_records r on r.file_id = k.record_file_id and r.line = k.record_line
      where k.file_id = ${fileId} and r.fingerprint = staged_records.fingerprint)`;
}

/**
 * Moves the new staged records to the table (a table of the schema or a part of it).
 * @returns how many they are
 */
export async function storeNewRecords(tx: Tx, fileId: FileId, table: string): Promise<number> {
  const selected = storedRecordColumns
    .map((name) => (name === 'occurrence' ? 'n.occurrence' : `s.${name}`))
    .join(', ');
  // The lists consist of column names of the schema.
  const stored = await tx.unsafe(
    `insert into ${table} (${columnList})
     select ${selected} from staged_records s join numbered_records n using (line)
     where not exists (select from already_known_rows k where k.file_id = $1 and k.line = s.line)`,
    [fileId],
  );
  await tx`drop table staged_records, numbered_records`;
  return stored.count;
}
