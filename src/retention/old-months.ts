import type { Tx } from '../db/client.js';
import { removePart, tableOfPart } from '../db/parts/record-parts.js';
import { withoutAccepted } from '../matching/discrepancies/forget-accepted.js';
import { noteRemovedSettlements } from '../matching/removed-settlements.js';
import { noteOwnBookings } from '../matching/chargebacks/removed-chargebacks.js';
import type { CalendarDate } from '../values/calendar-date.js';
import type { FileId } from '../values/ids.js';
import type { FileState } from './file-states.js';
import { judge, type RetentionJudgement } from './judge.js';
import type { RetentionLimits } from './limits.js';

/** Records that are removed together: those of the small files of a month, or of one large file. */
export interface OldMonth {
  readonly firstFileId: FileId;
  readonly endFileId: FileId;
  /** The last day of the month in which their files were received. */
  readonly day: CalendarDate;
  /** Files that were loaded. */
  readonly files: number;
  readonly records: number;
  readonly bytes: number;
  readonly isNewest: boolean;
}

/** What `contains` needs of a month. */
type FileIds = Pick<OldMonth, 'firstFileId' | 'endFileId'>;

/** Whether a file belongs to a part of the records: from the first id on, before the end. */
export const contains = ({ firstFileId, endFileId }: FileIds, id: FileId): boolean =>
  id >= firstFileId && id < endFileId;

/** Months with a loaded file: one without has no records, and perhaps no table yet. */
export async function readOldMonths(tx: Tx, before: CalendarDate): Promise<readonly OldMonth[]> {
  return tx<OldMonth[]>`
    select p.first_file_id as "firstFileId", p.end_file_id as "endFileId",
      (p.month + interval '1 month - 1 day')::date::text as day, count(f.id)::integer as files,
      coalesce(sum(f.rows_accepted - f.rows_already_known), 0)::integer as records,
      coalesce(pg_total_relation_size(to_regclass('settlement_records_' || p.first_file_id)), 0)::float8 as bytes,
      p.first_file_id = (select max(first_file_id) from record_parts) as "isNewest"
    from record_parts p
    join settlement_files f on f.id >= p.first_file_id and f.id < p.end_file_id and f.status = 'loaded'
    where p.month < ${before}::date
    group by p.first_file_id order by p.first_file_id`;
}

/**
 * Whether the records of a month are removed: all or none, so one file that stays keeps its month.
 *
 * @param files all settlement files
 * @param more what else may keep it
 */
export function judgeMonth(
  month: OldMonth,
  files: readonly FileState[],
  limits: RetentionLimits,
  more: { readonly isInUse?: boolean; readonly isOnShards?: boolean } = {},
): RetentionJudgement {
  const inside = files.filter(({ id }) => contains(month, id));
  return judge(
    'records',
    {
      ...more,
      day: month.day,
      lastDay:
        inside
          .map(({ lastDay }) => lastDay ?? month.day)
          .sort()
          .at(-1) ?? null,
      isWaiting: inside.some(({ isWaiting }) => isWaiting),
      hasOpenItem: inside.some(({ hasOpenItem }) => hasOpenItem),
      isNewest: month.isNewest,
    },
    limits,
  );
}

/**
 * Detaches the records of a month as a table, and retires its files. What is at risk in an accepted finding was noted
 * from its record (`src/items/settled-findings.ts`).
 */
export async function detachMonth(tx: Tx, month: FileIds): Promise<void> {
  await noteRemovedSettlements(tx, month);
  await noteOwnBookings(tx, month);
  await removePart(tx, month);
  await tx`update discrepancies set ${withoutAccepted(tx)}
    where file_id >= ${month.firstFileId} and file_id < ${month.endFileId} and accepted_at_risk_minor is not null`;
  // Rejected files too: if they were tried again, their records would have no part.
  await tx`update settlement_files set status = 'retired'
    where id >= ${month.firstFileId} and id < ${month.endFileId}`;
}

/** The name of the table with the records of a month, also after it was detached. */
export const tableOfMonth = (month: FileIds): string => tableOfPart(month);
