import { matchingDecisions } from '../../findings/matching-decisions.js';
import type { Tx } from '../fragment.js';
import type { RecordAddress } from './find-record.js';
import { byWhom, type RecordedDecision } from './why-uncounted.js';

/** What a record does with a former delivery of it (design 4.8). */
export interface DeliveryDecision {
  /** The record that this one replaces. */
  readonly replaces: { readonly file: string; readonly line: number } | null;
  /** What a person decided about this record; null where the source says `corrections: replace`. */
  readonly decision: (RecordedDecision & { readonly kind: 'supersede' | 'keep-both' }) | null;
  /** Whether no run has acted on the decision yet. */
  readonly isPending: boolean;
}

/** Null for a record that nobody decided about and that replaces no other one. */
export async function deliveryDecisionOf(
  tx: Tx,
  { fileId, line }: RecordAddress,
): Promise<DeliveryDecision | null> {
  const [row] = await tx<
    {
      file: string | null;
      line: number | null;
      waits: boolean;
      kind: 'supersede' | 'keep-both' | null;
      by: string;
      on: string;
      reason: string | null;
    }[]
  >`
    select f.name as file, u.line, d.kind, s.author as by, s.decided_on::text as on, s.reason,
      exists (select from uncounted_records w where w.file_id = ${fileId} and w.line = ${line}
        and w.reason = 'REDELIVERED') as waits
    from (select) one
    left join uncounted_records u on u.other_file_id = ${fileId} and u.other_line = ${line}
      and u.reason = 'SUPERSEDED'
    left join settlement_files f on f.id = u.file_id
    left join (${matchingDecisions(tx, tx`d.file_id = ${fileId} and d.line = ${line}`)}) d
      on d.kind in ('supersede', 'keep-both')
    left join decisions s on s.number = d.number
    order by u.file_id, u.line
    limit 1`;
  if (row === undefined || (row.file === null && row.kind === null)) return null;
  const { kind, by, on, reason } = row;
  return {
    replaces: row.file === null || row.line === null ? null : { file: row.file, line: row.line },
    decision: kind === null ? null : { kind, by, on, reason },
    isPending: row.waits || (kind === 'keep-both' && row.file !== null),
  };
}

/**
 * The same as a sentence.
 *
 * @param counts whether the record itself counts; it may be replaced later, or its file withdrawn
 */
export function deliveryDecisionText(
  { replaces, decision, isPending }: DeliveryDecision,
  counts: boolean,
): string {
  if (decision !== null && isPending)
    return `Decided${byWhom(decision)}: ${decision.kind}. The next run, or a re-run of its settlement date, does it.`;
  if (decision !== null && !counts)
    return `Decided${byWhom(decision)}: ${decision.kind}. This has no effect as long as this record does not count.`;
  if (decision?.kind === 'keep-both')
    return `It counts beside the former delivery, as decided${byWhom(decision)}.`;
  const why =
    decision === null ? 'as `corrections: replace` of the source says' : `as decided${byWhom(decision)}`;
  const former = replaces === null ? 'the former delivery' : `${replaces.file} line ${replaces.line}`;
  return `It replaces ${former}, ${why}.`;
}
