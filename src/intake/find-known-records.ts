import { createReadStream } from 'node:fs';
import type { Tx } from '../db/client.js';
import { tableOfPart, type RecordPart } from '../db/record-parts.js';
import { ReconError } from '../errors.js';
import { columnIndex } from '../settlement-file/columns.js';
import { fingerprintOf } from '../settlement-file/fingerprint.js';
import { cellsOf, readRows } from '../settlement-file/read-rows.js';
import { validateRow } from '../settlement-file/validate-row.js';
import { storedColumns } from './stored-columns.js';
import type { Dates } from './tally-rows.js';

/** Rows that tell whether a file is one that was seen before in part. */
const probedRows = 200;
const settlementDate = columnIndex('SettlementDate');

/**
 * Whether the first rows of a file hold a record that is stored already, or twins. It decides nothing but which
 * way of loading is tried first, so it keeps quiet about faults that the loading itself will meet.
 */
export async function beginsWithKnownRecords(tx: Tx, path: string): Promise<boolean> {
  const { dates, fingerprints } = await readHead(path);
  if (new Set(fingerprints).size < fingerprints.length) return true;
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

async function readHead(path: string): Promise<{ dates: string[]; fingerprints: string[] }> {
  const dates: string[] = [];
  const fingerprints: string[] = [];
  try {
    const source: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: 64 * 1024 });
    for await (const block of readRows(source)) {
      for (const row of block.rows) {
        const cells = cellsOf(row);
        if (validateRow(cells).length > 0) continue;
        dates.push(cells[settlementDate] ?? '');
        fingerprints.push(fingerprintOf(cells));
        if (fingerprints.length === probedRows) return { dates, fingerprints };
      }
      // Enough was looked at, whatever the rows were.
      break;
    }
  } catch (thrown) {
    if (!(thrown instanceof ReconError) && !(thrown instanceof Error && 'syscall' in thrown)) throw thrown;
  }
  return { dates, fingerprints };
}

const columnList = storedColumns.join(', ');

/** The parts that may hold records of these dates. */
async function partsWith(tx: Tx, dates: Dates | null): Promise<RecordPart[]> {
  if (dates === null) return [];
  return tx<RecordPart[]>`
    select p.first_file_id as "firstFileId", p.end_file_id as "endFileId", p.own_file as "ownFile"
    from record_parts p where exists (
      select from settlement_files f
      where f.id >= p.first_file_id and f.id < p.end_file_id and f.status = 'loaded'
        and f.first_settlement_date <= ${dates.last} and f.last_settlement_date >= ${dates.first})
    order by 1`;
}

/**
 * The records of some parts, at least one. Their tables are named, not their files: each then has one index by
 * which a record can be looked up, and it is that on identity. (Given file ids, the server went by those, and read
 * all of the night's small files for each of them.)
 */
function recordsOf(tx: Tx, parts: readonly RecordPart[]) {
  return parts
    .map((part) => tx`select * from ${tx(tableOfPart(part))}`)
    .reduce((all, more) => tx`${all} union all ${more}`);
}

/**
 * Whether a record that was just stored for a file is one of another part: the index of its own part tells the
 * others. Mostly no file in another part holds the same dates, and there is nothing to compare.
 */
export async function isKnownElsewhere(
  tx: Tx,
  fileId: number,
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

/** Makes room for the records of one file, to be compared before they are stored. */
export async function createStaging(tx: Tx): Promise<void> {
  await tx`create temporary table staged_records (like settlement_records) on commit drop`;
}

/**
 * Numbers the identical twins among the staged records by line, and notes those that are stored already (from an
 * earlier delivery) with where they lie (design 4.3).
 * @returns how many are
 */
export async function noteKnownRecords(tx: Tx, fileId: number, dates: Dates | null): Promise<number> {
  await tx`
    create temporary table numbered_records on commit drop as
    select line, settlement_date, fingerprint,
      row_number() over (partition by fingerprint order by line)::integer as occurrence
    from staged_records`;
  await tx`analyze numbered_records`;
  const parts = await partsWith(tx, dates);
  if (parts.length === 0) return 0;
  const known = await tx`
    insert into already_known_rows (file_id, line, record_file_id, record_line)
    select ${fileId}::integer, n.line, r.file_id, r.line
    from numbered_records n
    join (${recordsOf(tx, parts)}) r using (settlement_date, fingerprint, occurrence)`;
  return known.count;
}

/** Moves the staged records that are not known to the table (one of the schema's, or a part of it). */
export async function storeNewRecords(tx: Tx, fileId: number, table: string): Promise<void> {
  const selected = storedColumns
    .map((name) => (name === 'occurrence' ? 'n.occurrence' : `s.${name}`))
    .join(', ');
  // The lists consist of column names of the schema.
  await tx.unsafe(
    `insert into ${table} (${columnList})
     select ${selected} from staged_records s join numbered_records n using (line)
     where not exists (select from already_known_rows k where k.file_id = $1 and k.line = s.line)`,
    [fileId],
  );
  await tx`drop table staged_records, numbered_records`;
}
