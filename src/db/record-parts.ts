import { failPoint } from '../fail-point.js';
import type { Tx } from './client.js';
import { fileId, type FileId } from '../values/ids.js';

/**
 * A part of `settlement_records` (migration 0004): the files with ids from `firstFileId` to before `endFileId`,
 * whose records lie together.
 */
export interface RecordPart {
  readonly firstFileId: FileId;
  readonly endFileId: FileId;
  /** Of one large file alone; its table is made when it is filled. */
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
 * The next free id for a file, in a part that suits it: a large file gets a separate part, the small files of a
 * month share one. Ids only grow, so the unused ids of an earlier part are never assigned.
 */
export async function nextFileId(tx: Tx, file: ComingFile): Promise<FileId> {
  const [row] = await tx<{ next: FileId; month: string; end: number; own: boolean; parts: number }[]>`
    select p.month::text as month, p.end_file_id as end, p.own_file as own,
      greatest(p.first_file_id, (select max(id) + 1 from settlement_files)) as next,
      (select count(*)::integer from record_parts) as parts
    from record_parts p order by p.first_file_id desc limit 1`;
  if (row === undefined) throw new Error('there is no part; migration 0004 makes the first');
  const ownFile = file.isLarge && row.parts < mostParts;
  if (!ownFile && !row.own && row.month === file.month && row.next < row.end) return row.next;
  const firstFileId = fileId(Math.max(row.next, row.end));
  const endFileId = fileId(firstFileId + (ownFile ? 1 : filesPerPart));
  await tx`insert into record_parts (first_file_id, end_file_id, own_file, month)
    values (${firstFileId}, ${endFileId}, ${ownFile}, ${file.month})`;
  if (!ownFile) await addPart(tx, { firstFileId, endFileId, ownFile });
  return firstFileId;
}

/** The part in which a file's records lie or will lie. */
export async function partOf(tx: Tx, fileId: FileId): Promise<RecordPart> {
  const [part] = await tx<RecordPart[]>`
    select first_file_id as "firstFileId", end_file_id as "endFileId", own_file as "ownFile" from record_parts
    where ${fileId} >= first_file_id and ${fileId} < end_file_id`;
  if (part === undefined) throw new Error(`file ${fileId} belongs to no part`);
  return part;
}

/** The name of a part's table. */
export function tableOfPart({ firstFileId }: Pick<RecordPart, 'firstFileId'>): string {
  return `settlement_records_${firstFileId}`;
}

/**
 * Makes a part's table, fills it, and only then makes it a part: its indexes are built at once from what it holds
 * (one by one, a million entries of the index on identity cost five times as much), and in an embedded server, which replicates to nobody,
 * rows of a table that the same transaction made are not written a second time into the log.
 *
 * @param fill gets the table's name, and is the only one to see it until the transaction is committed
 */
export async function addPart(
  tx: Tx,
  part: RecordPart,
  fill: (tableOfPart: string) => Promise<void> = async () => {},
): Promise<void> {
  const name = tableOfPart(part);
  // Rows of a large file are written as old ones and never change, and matching takes its sample itself: it would
  // only wait for the server to do the same at the same time, a second for each part.
  const storage = part.ownFile ? tx`with (autovacuum_enabled = off)` : tx``;
  await tx`create table ${tx(name)} (like settlement_records) ${storage}`;
  await tx`create trigger require_fence before insert or update or delete or truncate on ${tx(name)}
    for each statement execute function require_fence()`;
  await fill(name);
  failPoint('part.filled');
  await tx`create unique index ${tx(`${name}_identity`)} on ${tx(name)} (settlement_date, fingerprint, occurrence)`;
  // Bounds are no parameters; these are integers.
  await tx.unsafe(
    `alter table settlement_records attach partition ${name}
      for values from (${part.firstFileId}) to (${part.endFileId})`,
  );
  failPoint('part.added');
}

/**
 * Detaches a part as an ordinary table that no statement about the records reads, and forgets it. Waits for readers of
 * the records. Never the newest part: the next ids continue from it.
 */
export async function removePart(tx: Tx, part: Pick<RecordPart, 'firstFileId'>): Promise<void> {
  await tx`alter table settlement_records detach partition ${tx(tableOfPart(part))}`;
  await tx`delete from record_parts where first_file_id = ${part.firstFileId}`;
}
