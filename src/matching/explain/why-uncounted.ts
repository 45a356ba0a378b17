import type { Tx } from '../fragment.js';
import type { RunId } from '../../values/ids.js';
import type { RecordAddress } from './find-record.js';

/** Why a record does not count, or takes part in no sum (design 4.8). */
export interface UncountedRecord {
  /** REDELIVERED: it waits for a decision and takes part in no sum. The others count for nothing. */
  readonly reason: 'WITHDRAWN' | 'SUPERSEDED' | 'REDELIVERED';
  /** The run in which this took effect. */
  readonly since: RunId;
  /** The record that replaces it, or that it is compared with. */
  readonly other: { readonly file: string; readonly line: number } | null;
  /** Who withdrew the file or decided about the record; null where the source says `corrections: replace`. */
  readonly decision: RecordedDecision | null;
}

/** Who decided, when and why. */
export interface RecordedDecision {
  readonly by: string;
  /** `yyyy-MM-dd`. */
  readonly on: string;
  readonly reason: string | null;
}

/** ` by anna on 2026-11-20 (reason)`; empty for a decision of nobody. */
export function byWhom(decision: RecordedDecision | null): string {
  if (decision === null) return '';
  return ` by ${decision.by} on ${decision.on}${decision.reason === null ? '' : ` (${decision.reason})`}`;
}

/** Whether the record counts for nothing, and has no payment. One that waits for a decision is still matched. */
export function isExcluded(uncounted: UncountedRecord | null): boolean {
  return uncounted !== null && uncounted.reason !== 'REDELIVERED';
}

interface StoredReason {
  readonly reason: UncountedRecord['reason'];
  readonly since: RunId;
  readonly otherFile: string | null;
  readonly otherLine: number | null;
  readonly by: string | null;
  readonly on: string | null;
  readonly decided: string | null;
}

/**
 * Why a record does not count; null if it counts.
 *
 * @param timezone of the day on which its file was withdrawn
 */
export async function whyUncounted(
  tx: Tx,
  { fileId, line }: RecordAddress,
  timezone: string,
): Promise<UncountedRecord | null> {
  const [row] = await tx<StoredReason[]>`
    select u.reason, u.run_id as since, f.name as "otherFile", u.other_line as "otherLine",
      d.author as by, d.on, d.reason as decided
    from uncounted_records u
    left join settlement_files f on f.id = u.other_file_id
    left join lateral (
      select * from (
        select w.author, (w.decided_at at time zone ${timezone})::date::text as on, w.reason, w.number
        from file_withdrawals w where u.reason = 'WITHDRAWN' and w.file_id = u.file_id and w.kind = 'withdraw'
        union all
        select s.author, s.decided_on::text, s.reason, s.number
        from decisions s where u.reason = 'SUPERSEDED' and s.kind = 'supersede' and s.file_id = u.other_file_id
          and s.line = u.other_line
          and not exists (select from decisions x where x.kind = 'undo' and x.refers_to = s.number)
      ) made order by number desc limit 1) d on true
    where u.file_id = ${fileId} and u.line = ${line}`;
  if (row === undefined) return null;
  const { reason, since, otherFile, otherLine, by, on, decided } = row;
  return {
    reason,
    since,
    other: otherFile === null || otherLine === null ? null : { file: otherFile, line: otherLine },
    decision: by === null || on === null ? null : { by, on, reason: decided },
  };
}

/**
 * Why a record does not count, as a sentence.
 *
 * @param isDecided whether somebody has decided since the last run which of two deliveries counts
 */
export function uncountedText(
  { reason, since, other, decision }: UncountedRecord,
  isDecided: boolean,
): string {
  const place = other === null ? 'another record' : `${other.file} line ${other.line}`;
  const who = byWhom(decision);
  if (reason === 'WITHDRAWN') return `It has not counted since run ${since}: its file was withdrawn${who}.`;
  if (reason === 'REDELIVERED') {
    return `It has taken part in no sum since run ${since}: ${place} delivered this record before${isDecided ? '' : ', and nobody has decided which of the two counts'}.`;
  }
  const why = decision === null ? ', as `corrections: replace` of the source says' : `, decided${who}`;
  return `It has not counted since run ${since}: ${place} replaces it${why}.`;
}
