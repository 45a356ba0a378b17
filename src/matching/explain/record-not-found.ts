import { ReconError } from '../../errors.js';
import type { Tx } from '../fragment.js';
import { fileAndLineOf, filesNamed } from './find-record.js';

/**
 * The error if no record has the reference: the row was rejected, the records of its file were removed, or it was never
 * stored.
 */
export async function recordNotFound(tx: Tx, reference: string): Promise<ReconError> {
  const place = fileAndLineOf(reference);
  if (place !== null) {
    const [removed] = await tx<{ name: string }[]>`
      select name from settlement_files where status = 'retired' and id in (${filesNamed(tx, place.file)}) limit 1`;
    if (removed !== undefined) {
      return new ReconError(
        'RECORDS_RETIRED',
        `The records of ${removed.name} were removed by \`recon retire\` or \`recon purge\`, so there is nothing to explain.`,
      );
    }
    const rejected = await whyRejected(tx, place);
    if (rejected !== null) return new ReconError('RECORD_NOT_FOUND', rejected);
  }
  return new ReconError('RECORD_NOT_FOUND', `No stored record is known as "${reference}".`);
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
