import { failPoint } from '../fail-point.js';
import type { Tx } from './connect.js';

/** The tables that are divided into parts (migration 0004). */
type DividedTable = 'settlement_records' | 'record_matches';

/** The files with ids from `firstFileId` to before `endFileId`, whose records lie together. */
export interface RecordPart {
  readonly firstFileId: number;
  readonly endFileId: number;
  /** Of one large file alone; its tables are made when they are filled. */
  readonly ownFile: boolean;
}

/** How many ids the small files of a month get before the next part is begun. */
const filesPerPart = 10_000;

/**
 * How many parts there are before large files too share one: a statement that cannot tell which part it needs is
 * planned for all of them (0.06 ms for each that it names, measured), and locks them.
 */
const mostParts = 400;

/** A file that is to get an id. */
export interface ComingFile {
  readonly isLarge: boolean;
  /** The first day of the month in which it was received. */
  readonly month: string;
}

/**
 * The next free id for a file, in a part that suits it: a large one gets a part of its own, the small ones of a
 * month share one. Ids only grow, so ids of a part that is left unfinished are never given.
 */
export async function nextFileId(tx: Tx, file: ComingFile): Promise<number> {
  const [row] = await tx<{ next: number; month: string; end: number; own: boolean; parts: number }[]>`
    select p.month::text as month, p.end_file_id as end, p.own_file as own,
      greatest(p.first_file_id, (select max(id) + 1 from settlement_files)) as next,
      (select count(*)::integer from record_parts) as parts
    from record_parts p order by p.first_file_id desc limit 1`;
  if (row === undefined) throw new Error('there is no part; migration 0004 makes the first');
  const ownFile = file.isLarge && row.parts < mostParts;
  if (!ownFile && !row.own && row.month === file.month && row.next < row.end) return row.next;
  const firstFileId = Math.max(row.next, row.end);
  const endFileId = firstFileId + (ownFile ? 1 : filesPerPart);
  await tx`insert into record_parts (first_file_id, end_file_id, own_file, month)
    values (${firstFileId}, ${endFileId}, ${ownFile}, ${file.month})`;
  if (!ownFile) {
    const part = { firstFileId, endFileId, ownFile };
    for (const table of ['settlement_records', 'record_matches'] as const) await addPart(tx, table, part);
  }
  return firstFileId;
}

/** The part in which a file's records lie or will lie. */
export async function partOf(tx: Tx, fileId: number): Promise<RecordPart> {
  const [part] = await tx<RecordPart[]>`
    select first_file_id as "firstFileId", end_file_id as "endFileId", own_file as "ownFile" from record_parts
    where ${fileId} >= first_file_id and ${fileId} < end_file_id`;
  if (part === undefined) throw new Error(`file ${fileId} belongs to no part`);
  return part;
}

/** Those of the files whose part of `table` is still to be made. */
export async function filesWithoutPart(
  tx: Tx,
  table: DividedTable,
  fileIds: readonly number[],
): Promise<number[]> {
  if (fileIds.length === 0) return [];
  const rows = await tx<{ id: number }[]>`
    select first_file_id as id from record_parts
    where own_file and first_file_id in ${tx(fileIds)}
      and to_regclass(${table} || '_' || first_file_id) is null
    order by 1`;
  return rows.map((row) => row.id);
}

/** The name of a part's table. */
export function tableOfPart(table: DividedTable, part: Pick<RecordPart, 'firstFileId'>): string {
  return `${table}_${part.firstFileId}`;
}

/**
 * Makes a part's table, fills it, and only then makes it a part: its indexes are built at once from what it holds
 * (a million rows one by one cost four times as much), and in an embedded server, which replicates to nobody,
 * rows of a table that the same transaction made are not written a second time into the log.
 *
 * @param fill gets the table's name, and is the only one to see it until the transaction is committed
 */
export async function addPart(
  tx: Tx,
  table: DividedTable,
  part: RecordPart,
  fill: (tableOfPart: string) => Promise<void> = async () => {},
): Promise<void> {
  const name = tableOfPart(table, part);
  await tx`create table ${tx(name)} (like ${tx(table)})`;
  await tx`create trigger require_fence before insert or update or delete or truncate on ${tx(name)}
    for each statement execute function require_fence()`;
  await fill(name);
  failPoint('part.filled');
  if (table === 'settlement_records') {
    await tx`create unique index ${tx(`${name}_identity`)} on ${tx(name)} (settlement_date, fingerprint, occurrence)`;
  }
  // Bounds are no parameters; these are integers.
  await tx.unsafe(
    `alter table ${table} attach partition ${name} for values from (${part.firstFileId}) to (${part.endFileId})`,
  );
  failPoint('part.added');
}

/**
 * Makes a part a table of its own again, which no statement about the whole reads. Readers of the whole are
 * waited for.
 *
 * @param dryRun only tells
 * @returns its name; null when the part has no table
 */
export async function removePart(
  tx: Tx,
  table: DividedTable,
  firstFileId: number,
  dryRun: boolean,
): Promise<string | null> {
  const name = tableOfPart(table, { firstFileId });
  const [found] = await tx`select from pg_inherits where inhrelid = to_regclass(${name})`;
  if (found === undefined) return null;
  if (!dryRun) await tx`alter table ${tx(table)} detach partition ${tx(name)}`;
  return name;
}
