import { failPoint } from '../../fail-point.js';
import type { Sql, Tx } from '../client.js';
import { fileId, type FileId } from '../../values/ids.js';
import { indexIdentity } from './index-identity.js';

/**
 * A part of `settlement_records` (migration 0004): it contains the records of the files with ids from `firstFileId` up
 * to, but not including, `endFileId`.
 */
export interface RecordPart {
  readonly firstFileId: FileId;
  readonly endFileId: FileId;
  /** Contains only one large file; its table is created when it is filled. */
  readonly ownFile: boolean;
}

/** The columns of a {@link RecordPart} in a select from `record_parts`. */
export const partColumns = (sql: Sql | Tx) =>
  sql`first_file_id as "firstFileId", end_file_id as "endFileId", own_file as "ownFile"`;

/** How many ids the small files of a month get before the next part starts. */
const filesPerPart = 10_000;

/**
 * With each part, a run takes 1.5 ms more of the server's CPU time: about twenty of its look-ups are planned for all
 * parts, since the planner cannot choose one. A file in its own part saves 3 to 10 µs for each of its rows, once. So
 * the more parts there are, the larger a file must be: beyond this number, twice as many parts require twice the size.
 */
const partsBeforeLarger = 32;

/** How many parts exist before files of any size share parts. */
const mostParts = 400;

/** The end of the only part of a database with shards, where each shard holds records of all files. */
const endOfAllFiles = 2_147_483_647;

/** A file that needs an id. */
export interface ComingFile {
  /** Its size divided by `largeFileBytes`. */
  readonly timesLarge: number;
  /** The first day of the month in which the file was received. */
  readonly month: string;
}

/**
 * The next free id for a file, in a suitable part: a large file gets a separate part, the small files of a month share
 * one. Ids only grow, so the unused ids of an earlier part are never assigned.
 */
export async function nextFileId(tx: Tx, file: ComingFile): Promise<FileId> {
  const [row] = await tx<{ next: FileId; month: string; end: number; own: boolean; parts: number }[]>`
    select p.month::text as month, p.end_file_id as end, p.own_file as own,
      greatest(p.first_file_id, (select max(id) + 1 from settlement_files)) as next,
      (select count(*)::integer from record_parts) as parts
    from record_parts p order by p.first_file_id desc limit 1`;
  if (row === undefined) throw new Error('there is no part; migration 0004 makes the first');
  if (row.end === endOfAllFiles) return row.next;
  const ownFile = isWorthPart(file, row.parts);
  if (!ownFile && !row.own && row.month === file.month && row.next < row.end) return row.next;
  const firstFileId = fileId(Math.max(row.next, row.end));
  const endFileId = fileId(firstFileId + (ownFile ? 1 : filesPerPart));
  await tx`insert into record_parts (first_file_id, end_file_id, own_file, month)
    values (${firstFileId}, ${endFileId}, ${ownFile}, ${file.month})`;
  if (!ownFile) await addPart(tx, { firstFileId, endFileId, ownFile });
  return firstFileId;
}

function isWorthPart({ timesLarge }: ComingFile, parts: number): boolean {
  return parts < mostParts && timesLarge >= Math.max(1, parts / partsBeforeLarger);
}

/** The part for a file's records. */
export async function partOf(tx: Tx, fileId: FileId): Promise<RecordPart> {
  const [part] = await tx<RecordPart[]>`
    select ${partColumns(tx)} from record_parts
    where ${fileId} >= first_file_id and ${fileId} < end_file_id`;
  if (part === undefined) throw new Error(`file ${fileId} belongs to no part`);
  return part;
}

/** The table of a part: its name ends with the first file id of the part. */
export function tableOfPart({ firstFileId }: Pick<RecordPart, 'firstFileId'>): string {
  return `settlement_records_${firstFileId}`;
}

/**
 * Creates a part's table, fills it, and only then attaches it as a part: its indexes are built at once from its rows
 * (inserting a million entries into the index on identity one by one costs five times as much). In an embedded server,
 * which has no replicas, rows of a table that the same transaction created are not also written to the log.
 *
 * @param fill gets the table's name; nothing else sees the table until the transaction is committed. Returns the
 *   fingerprints that may occur twice, or null if that is not known
 * @param beforeAttaching called when the table is complete. Attaching it holds a lock that no other transaction can
 *   attach a part beside, until this one ends
 */
export async function addPart(
  tx: Tx,
  part: RecordPart,
  fill: (tableOfPart: string) => Promise<readonly string[] | null> = () => Promise.resolve([]),
  beforeAttaching: () => Promise<void> = async () => {},
): Promise<void> {
  const name = tableOfPart(part);
  // Rows of a large file are written frozen and never change, and matching runs ANALYZE itself: it would otherwise wait
  // for the server to do the same at the same time, a second for each part.
  const storage = part.ownFile ? tx`with (autovacuum_enabled = off)` : tx``;
  // Bounds cannot be parameters; these are integers.
  const bounds = tx.unsafe(`file_id >= ${part.firstFileId} and file_id < ${part.endFileId}`);
  await tx`create table ${tx(name)} (like settlement_records, constraint belongs_to_part check (${bounds})) ${storage}`;
  await tx`create trigger require_fence before insert or update or delete or truncate on ${tx(name)}
    for each statement execute function require_fence()`;
  const possibleTwins = await fill(name);
  failPoint('part.filled');
  await indexIdentity(tx, name, possibleTwins);
  // Attaching would create it too, but while it holds the lock.
  await tx`alter table ${tx(name)} add primary key (file_id, line)`;
  await beforeAttaching();
  await tx.unsafe(
    `alter table settlement_records attach partition ${name}
      for values from (${part.firstFileId}) to (${part.endFileId})`,
  );
  // Only so that attaching need not read every row, while it holds that lock: the bounds say the same from now on.
  await tx`alter table ${tx(name)} drop constraint belongs_to_part`;
  failPoint('part.added');
}

/**
 * Detaches a part as an ordinary table that statements about the records no longer read, and removes it from the list
 * of parts. Waits for readers of the records. Never call it for the newest part: the next ids continue from it.
 */
export async function removePart(tx: Tx, part: Pick<RecordPart, 'firstFileId'>): Promise<void> {
  await tx`alter table settlement_records detach partition ${tx(tableOfPart(part))}`;
  await tx`delete from record_parts where first_file_id = ${part.firstFileId}`;
}
