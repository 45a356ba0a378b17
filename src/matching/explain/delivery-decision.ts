import { matchingDecisions } from '../../findings/matching-decisions.js';
import type { Fragment, Tx } from '../fragment.js';
import type { RecordAddress } from './find-record.js';
import { byWhom, type RecordedDecision } from './why-uncounted.js';

/** What a record does with a former delivery of it (design 4.8). */
export interface DeliveryDecision {
  /** The record that this one replaces. */
  readonly replaces: { readonly file: string; readonly line: number } | null;
  /** What a person decided about this record; null where the source says `corrections: replace`. */
  readonly decision: (RecordedDecision & { readonly kind: 'supersede' | 'keep-both' }) | null;
  /**
   * The `supersede` that was taken back without effect, because the records of the file that it replaces were removed
   * by `recon retire` or `recon purge`; else null.
   */
  readonly takenBack: RecordedDecision | null;
  /** Whether no run has acted on the decision yet. */
  readonly isPending: boolean;
  /**
   * Whether the decision was made before another record replaced this one, which a later file brought again: it is not
   * about that return, and changes nothing any more.
   */
  readonly isFormer: boolean;
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
      isFormer: boolean;
      takenBackBy: string | null;
      takenBackOn: string;
      takenBackReason: string | null;
    }[]
  >`
    select f.name as file, u.line, d.kind, s.author as by, s.decided_on::text as on, s.reason,
      exists (select from uncounted_records w where w.file_id = ${fileId} and w.line = ${line}
        and w.reason = 'REDELIVERED') as waits,
      ${isFormer(tx, { fileId, line })} as "isFormer",
      t.author as "takenBackBy", t.decided_on::text as "takenBackOn", t.reason as "takenBackReason"
    from (select) one
    left join uncounted_records u on u.other_file_id = ${fileId} and u.other_line = ${line}
      and u.reason = 'SUPERSEDED'
    left join settlement_files f on f.id = u.file_id
    left join (${matchingDecisions(tx, tx`d.file_id = ${fileId} and d.line = ${line}`)}) d
      on d.kind in ('supersede', 'keep-both')
    left join decisions s on s.number = d.number
    left join lateral (
      select t.author, t.decided_on, t.reason from decisions t
      join decisions x on x.kind = 'undo' and x.refers_to = t.number
      where d.kind is null and f.status = 'retired' and t.kind = 'supersede' and t.file_id = ${fileId}
        and t.line = ${line}
      order by t.number desc limit 1) t on true
    order by u.file_id, u.line
    limit 1`;
  if (row === undefined || (row.file === null && row.kind === null)) return null;
  const { kind, by, on, reason, isFormer: isOver, takenBackBy, takenBackOn, takenBackReason } = row;
  return {
    replaces: row.file === null || row.line === null ? null : { file: row.file, line: row.line },
    decision: kind === null ? null : { kind, by, on, reason },
    takenBack: takenBackBy === null ? null : { by: takenBackBy, on: takenBackOn, reason: takenBackReason },
    isPending: !isOver && (row.waits || (kind === 'keep-both' && row.file !== null)),
    isFormer: isOver,
  };
}

/**
 * Whether decision `d` about a record was made before a record that replaced it was decided about, and the record
 * returned since (`src/matching/deliveries/returned-deliveries.ts`): it waits beside that record, or replaces it.
 */
function isFormer(tx: Tx, { fileId, line }: Pick<RecordAddress, 'fileId' | 'line'>): Fragment {
  return tx`exists (select from already_known_rows k where k.record_file_id = ${fileId} and k.record_line = ${line})
        and exists (
          select from (
            select other_file_id, other_line from uncounted_records
              where file_id = ${fileId} and line = ${line} and reason = 'REDELIVERED'
            union all
            select file_id, line from uncounted_records
              where other_file_id = ${fileId} and other_line = ${line} and reason = 'SUPERSEDED'
          ) o (file_id, line)
          cross join lateral (${matchingDecisions(tx, tx`d.file_id = o.file_id and d.line = o.line`)}) by
          where by.kind = 'supersede' and by.number > d.number)`;
}

/**
 * The decision about a delivery as a sentence.
 *
 * @param counts whether the record itself counts; it may be replaced later, or its file withdrawn
 */
export function deliveryDecisionText(
  { replaces, decision: made, takenBack, isPending, isFormer }: DeliveryDecision,
  counts: boolean,
): string {
  if (made !== null && isFormer && !counts)
    return `Before this record was replaced, it was decided${byWhom(made)}: ${made.kind}. That says nothing about its return.`;
  const decision = isFormer ? null : made;
  if (decision !== null && isPending)
    return `Decided${byWhom(decision)}: ${decision.kind}. The next run, or a re-run of its settlement date, does it.`;
  if (decision !== null && !counts)
    return `Decided${byWhom(decision)}: ${decision.kind}. This has no effect as long as this record does not count.`;
  if (decision?.kind === 'keep-both')
    return `It counts beside the former delivery, as decided${byWhom(decision)}.`;
  if (decision === null && takenBack !== null && replaces !== null)
    return `It replaces ${replaces.file} line ${replaces.line}, as it was decided${byWhom(takenBack)}. That decision was taken back, but the records of ${replaces.file} were removed, so this one still counts.`;
  const why =
    decision === null ? 'as `corrections: replace` of the source says' : `as decided${byWhom(decision)}`;
  const former = replaces === null ? 'the former delivery' : `${replaces.file} line ${replaces.line}`;
  return `It replaces ${former}, ${why}.`;
}
