import { appendAuditEvents } from '../db/append-audit-events.js';
import type { Tx } from '../db/client.js';
import { refuseShards } from '../db/divided.js';
import { fencedTransactions, moveFence } from '../db/fence.js';
import { removePart, tableOfPart } from '../db/record-parts.js';
import { ReconError } from '../errors.js';
import { withoutAccepted } from '../matching/discrepancies/forget-accepted.js';
import { addDays, dateInZone, type CalendarDate } from '../values/calendar-date.js';
import type { RunContext } from './run-context.js';
import { acquireRunLock } from './run-lock.js';
import type { FileId } from '../values/ids.js';

export interface RetireRequest {
  /** The first day of the oldest month that stays. */
  readonly before: CalendarDate;
  readonly dryRun: boolean;
}

/** Records that were detached together. */
export interface RetiredPart {
  /** The month in which their files were received, `yyyy-MM`. */
  readonly month: string;
  readonly files: number;
  readonly records: number;
  /** The tables that contain the records. */
  readonly table: string;
}

interface OldPart {
  firstFileId: FileId;
  endFileId: FileId;
  month: string;
  files: number;
  records: number;
}

/**
 * Detaches the records of old months: their tables leave matching and reports and stay in the database unchanged;
 * the operator keeps, dumps or drops them. Their files stay known, so that nothing of them is stored again. The
 * results of matching stay.
 *
 * It takes the run lock, and is all or nothing. A month is refused while payments of it could still be reported as
 * missing: their settlement records would be detached.
 *
 * @throws ReconError USAGE_INVALID, RUN_ACTIVE, errors of the database
 */
export async function retireMonths(context: RunContext, request: RetireRequest): Promise<RetiredPart[]> {
  await refuseShards(context.database.sql, 'recon retire');
  const asOf = dateInZone(context.clock(), context.timezone);
  const latest = addDays(asOf, -(context.lookbackDays + context.settlementDueDays));
  if (request.before > latest) {
    throw new ReconError(
      'USAGE_INVALID',
      `--before can be ${latest} at most: records are checked again for ${context.lookbackDays} days (lookbackDays), and payments are due ${context.settlementDueDays} days after their day (settlementDueDays).`,
    );
  }
  // Like a dry run, it leaves no row that others could name or take over.
  const lock = await acquireRunLock(context, { kind: 'run', asOf, range: null, scheduledFor: null }, true);
  const fenced = fencedTransactions(context.database, lock.fence, lock.lost);
  try {
    return await fenced.transact(async (tx) => {
      if (!request.dryRun) await moveFence(tx);
      const parts = await partsBefore(tx, request.before);
      const retired: RetiredPart[] = [];
      for (const part of parts) retired.push(await retire(tx, part, request.dryRun));
      if (!request.dryRun) {
        await appendAuditEvents(
          tx,
          context.author,
          retired.map(({ month, files, records, table }) => ({
            action: 'records.retired',
            subject: table,
            details: { before: request.before, month, files, records },
          })),
        );
      }
      return retired;
    });
  } finally {
    await fenced.end();
    await lock.release();
  }
}

/**
 * Parts of whole months before the day; never the newest, to which the next file may still be added, nor one with a
 * file that the next run will take over.
 */
async function partsBefore(tx: Tx, before: CalendarDate): Promise<OldPart[]> {
  return tx<OldPart[]>`
    select p.first_file_id as "firstFileId", p.end_file_id as "endFileId",
      to_char(p.month, 'YYYY-MM') as month, count(f.id)::integer as files,
      coalesce(sum(f.rows_accepted - f.rows_already_known), 0)::integer as records
    from record_parts p
    join settlement_files f on f.id >= p.first_file_id and f.id < p.end_file_id and f.status = 'loaded'
    where p.month + interval '1 month' <= ${before}::date
      and p.first_file_id < (select max(first_file_id) from record_parts)
      and not exists (select from settlement_files u
        where u.id >= p.first_file_id and u.id < p.end_file_id and u.status in ('received', 'failed'))
    group by p.first_file_id order by p.first_file_id`;
}

async function retire(tx: Tx, part: OldPart, dryRun: boolean): Promise<RetiredPart> {
  if (!dryRun) await detachPart(tx, part);
  const { month, files, records } = part;
  return { month, files, records, table: tableOfPart(part) };
}

/**
 * Detaches the records of a part, and retires its files. What is at risk in an accepted finding was noted from its
 * record (`src/items/settled-findings.ts`).
 */
export async function detachPart(tx: Tx, part: Pick<OldPart, 'firstFileId' | 'endFileId'>): Promise<void> {
  await removePart(tx, part);
  await tx`update discrepancies set ${withoutAccepted(tx)}
    where file_id >= ${part.firstFileId} and file_id < ${part.endFileId} and accepted_at_risk_minor is not null`;
  // Rejected files too: if they were tried again, their records would have no part.
  await tx`update settlement_files set status = 'retired'
    where id >= ${part.firstFileId} and id < ${part.endFileId}`;
}
