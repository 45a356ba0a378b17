import type { Tx } from '../fragment.js';
import type { ExplainedCorrection } from './explanation.js';
import type { RecordAddress } from './find-record.js';

/** Who corrected the row of a record; null for a record that was never rejected. */
export async function correctionOf(
  tx: Tx,
  { fileId, line }: RecordAddress,
): Promise<ExplainedCorrection | null> {
  const [row] = await tx<ExplainedCorrection[]>`
    select c.author as by, c.decided_on::text as on, c.sheet_name as sheet, c.sheet_line as "sheetLine",
      (select string_agg(i.issue ->> 'message', ' ' order by i.number)
        from jsonb_array_elements(q.issues) with ordinality i (issue, number)) as problems
    from row_corrections c join rejected_rows q on q.file_id = c.file_id and q.line = c.line
    where c.file_id = ${fileId} and c.line = ${line}`;
  return row === undefined ? null : { ...row };
}
