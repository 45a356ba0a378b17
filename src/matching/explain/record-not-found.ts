import { ReconError } from '../../errors.js';
import type { FileId } from '../../values/ids.js';
import type { Tx } from '../fragment.js';
import { fileAndLineOf, filesNamed } from './find-record.js';

/**
 * The error if no record has the reference: the row was rejected, its file was not loaded or its records were removed,
 * there is no such line, or it was never stored.
 */
export async function recordNotFound(tx: Tx, reference: string): Promise<ReconError> {
  const place = fileAndLineOf(reference);
  if (place === null) {
    const file = await retiredFileOf(tx, reference);
    return file === undefined
      ? new ReconError('RECORD_NOT_FOUND', `No stored record is known as "${reference}".`)
      : recordsRetired(file);
  }
  const files = await readFiles(tx, place.file);
  const removed = files.find(({ status }) => status === 'retired');
  if (removed !== undefined) return recordsRetired(removed.name);
  const sentence = (await whyRejected(tx, place)) ?? (await whyNoLine(tx, files, place));
  return new ReconError('RECORD_NOT_FOUND', sentence);
}

function recordsRetired(file: string): ReconError {
  return new ReconError(
    'RECORDS_RETIRED',
    `The records of ${file} were removed by \`recon retire\` or \`recon purge\`, so there is nothing to explain.`,
  );
}

/** The file of the record that a finding was about, if its records were removed. The finding stays. */
async function retiredFileOf(tx: Tx, discrepancyId: string): Promise<string | undefined> {
  const [file] = await tx<{ name: string }[]>`
    select f.name from discrepancies d join settlement_files f on f.id = d.file_id
    where d.id = ${discrepancyId} and f.status = 'retired'`;
  return file?.name;
}

interface FoundFile {
  readonly id: FileId;
  readonly name: string;
  readonly status: string;
  readonly error: string | null;
}

/** The files that a person may mean, those that were loaded first. */
async function readFiles(tx: Tx, file: string): Promise<FoundFile[]> {
  return tx<FoundFile[]>`
    select id, name, status, error_message as error from settlement_files
    where id in (${filesNamed(tx, file)}) order by status <> 'loaded', id`;
}

/** A sentence about the row if it was rejected. */
async function whyRejected(tx: Tx, { file, line }: { file: string; line: number }): Promise<string | null> {
  const [row] = await tx<{ name: string; messages: string; isCorrected: boolean }[]>`
    select f.name, (select string_agg(issue ->> 'message', ' ' order by n)
        from jsonb_array_elements(q.issues) with ordinality i (issue, n)) as messages,
      exists (select from row_corrections c where c.file_id = q.file_id and c.line = q.line) as "isCorrected"
    from rejected_rows q join settlement_files f on f.id = q.file_id
    where q.file_id in (${filesNamed(tx, file)}) and q.line = ${line} order by q.file_id limit 1`;
  if (row === undefined) return null;
  const next = row.isCorrected
    ? 'It was corrected, and becomes a record in the next run or re-run of its day.'
    : 'Correct it in corrections.csv of the latest report, and give that sheet back with `recon decide --file`.';
  return `Line ${line} of ${row.name} was rejected, so there is no record of it: ${row.messages} ${next}`;
}

/** A sentence about a line at which no row of the file begins. */
async function whyNoLine(
  tx: Tx,
  [file]: readonly FoundFile[],
  place: { file: string; line: number },
): Promise<string> {
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
  const { first, before, last } = await rowsAround(tx, file.id, line);
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
  tx: Tx,
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
