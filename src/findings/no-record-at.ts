import type { Fragment, Reader } from '../db/client.js';
import type { FileId } from '../values/ids.js';

/** The largest number that the database stores as a line. */
export const lastLine = 2_147_483_647;

/** FILE:LINE as a person wrote it. */
export interface NamedPlace {
  readonly file: string;
  readonly line: number;
  /** Selects the `id` of each file that FILE may mean. */
  readonly files: Fragment;
}

/** Why there is no record at a place, and the file whose records were removed if that is why. */
export interface NoRecord {
  readonly sentence: string;
  readonly removedFrom: string | null;
}

/**
 * The reason why there is no record at a place: the records of its file were removed, the row was rejected, its file
 * was not loaded, no row begins at that line, or there is no such file.
 */
export async function whyNoRecordAt(tx: Reader, place: NamedPlace): Promise<NoRecord> {
  const files = await readFiles(tx, place);
  const removed = files.find(({ status }) => status === 'retired');
  if (removed !== undefined) {
    const sentence = `The records of ${removed.name} were removed by \`recon retire\` or \`recon purge\`.`;
    return { sentence, removedFrom: removed.name };
  }
  const sentence = (await whyRejected(tx, place)) ?? (await whyNoLine(tx, files, place));
  return { sentence, removedFrom: null };
}

interface FoundFile {
  readonly id: FileId;
  readonly name: string;
  readonly status: string;
  readonly error: string | null;
}

/** The files that a person may mean, those that were loaded first. */
async function readFiles(tx: Reader, { files }: NamedPlace): Promise<FoundFile[]> {
  return tx<FoundFile[]>`
    select id, name, status, error_message as error from settlement_files
    where id in (${files}) order by status <> 'loaded', id`;
}

/** A sentence about the row if it was rejected. */
async function whyRejected(tx: Reader, { files, line }: NamedPlace): Promise<string | null> {
  if (line > lastLine) return null;
  const [row] = await tx<{ name: string; messages: string; isCorrected: boolean }[]>`
    select f.name, (select string_agg(issue ->> 'message', ' ' order by n)
        from jsonb_array_elements(q.issues) with ordinality i (issue, n)) as messages,
      exists (select from row_corrections c where c.file_id = q.file_id and c.line = q.line) as "isCorrected"
    from rejected_rows q join settlement_files f on f.id = q.file_id
    where q.file_id in (${files}) and q.line = ${line} order by q.file_id limit 1`;
  if (row === undefined) return null;
  const next = row.isCorrected
    ? 'It was corrected, and becomes a record in the next run or re-run of its day.'
    : 'Correct it in corrections.csv of the latest report, and give that sheet back with `recon decide --file`.';
  return `Line ${line} of ${row.name} was rejected, so there is no record of it: ${row.messages} ${next}`;
}

/** A sentence about a line at which no row of the file begins. */
async function whyNoLine(tx: Reader, [file]: readonly FoundFile[], place: NamedPlace): Promise<string> {
  const { line } = place;
  if (file === undefined)
    return `No stored record is known as "${place.file}:${line}", and no file as "${place.file}".`;
  const { name } = file;
  if (file.status === 'rejected') {
    return `${name} was rejected as a whole, so no record of it is stored: ${file.error ?? 'no reason is stored.'}`;
  }
  if (file.status !== 'loaded') {
    return `${name} is not loaded yet, so no record of it is stored. The next run loads it.`;
  }
  const { first, before, last } = await rowsAround(tx, file.id, Math.min(line, lastLine));
  if (before === null) {
    const begins = first === null ? '' : `; the first row begins at line ${first}`;
    return line === 1
      ? `Line 1 of ${name} is its header${begins}.`
      : `${name} has no row at line ${line}${begins}.`;
  }
  return before === last
    ? `${name} has no row at line ${line}: its last row begins at line ${last}.`
    : `${name} has no row at line ${line}: the row before it begins at line ${before}.`;
}

/** The lines at which the first, the last and the nearest earlier row of a file begin. */
async function rowsAround(
  tx: Reader,
  fileId: FileId,
  line: number,
): Promise<{ first: number | null; before: number | null; last: number | null }> {
  const [rows] = await tx<{ first: number | null; before: number | null; last: number | null }[]>`
    select min(line) as first, max(line) filter (where line < ${line}) as before, max(line) as last
    from (
      select line from settlement_records where file_id = ${fileId}
      union all select line from already_known_rows where file_id = ${fileId}
      union all select line from rejected_rows where file_id = ${fileId}) l`;
  return rows ?? { first: null, before: null, last: null };
}
