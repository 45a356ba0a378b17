import { matchingDecisions } from '../../findings/matching-decisions.js';
import type { Tx } from '../fragment.js';
import type { ExplainedDecision } from './explanation.js';
import type { RecordAddress } from './find-record.js';

/** The links and unlinks of a record that are in effect, in the order in which they were made. */
export async function linkDecisionsOf(
  tx: Tx,
  { fileId, line }: RecordAddress,
): Promise<readonly ExplainedDecision[]> {
  const rows = await tx<ExplainedDecision[]>`
    select d.kind::text as kind, p.id as payment, made.author as by, made.decided_on::text as on, made.reason
    from (${matchingDecisions(tx, tx`d.file_id = ${fileId} and d.line = ${line}`)}) d
    join decisions made on made.number = d.number
    join payments p on p.key = d.payment_key
    where d.kind in ('link', 'unlink')
    order by d.number`;
  return rows.map((row) => ({ ...row }));
}
