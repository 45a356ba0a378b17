import { appendAuditEvents } from '../db/audit-log/append-audit-events.js';
import type { Tx } from '../db/client.js';
import { refuseShards } from '../db/shards/is-divided.js';
import { fencedTransactions, moveFence } from '../db/fence.js';
import { ReconError } from '../errors.js';
import type { ItemView } from '../items/item-rows.js';
import type { RunContext } from '../run/run-context.js';
import { acquireLockWithoutRun } from '../run/run-lock.js';
import { addDays, type CalendarDate } from '../values/calendar-date.js';
import { readFileStates } from './file-states.js';
import type { KeptReason } from './judge.js';
import { readItemsOfMonths, type ItemsOfMonth } from './items-of-months.js';
import { detachMonth, judgeMonth, readOldMonths, tableOfMonth, type OldMonth } from './old-months.js';
import { limitsOfRecords, type RetentionLimits } from './limits.js';
import { removalDay } from './removal-moment.js';

/** Which months are retired. */
export interface RetireRequest {
  /** Months that end before this day are old. */
  readonly before: CalendarDate;
  readonly dryRun: boolean;
  /** How many of the items that keep a month are named at most; null: all of them. */
  readonly mostItems: number | null;
}

/** Records that were detached together. */
export interface RetiredPart {
  /** The month in which their files were received, `yyyy-MM`. */
  readonly month: string;
  readonly files: number;
  readonly records: number;
  /** The table that contains the records. */
  readonly table: string;
}

/** Records that are as old and stay, with the items that keep them. */
export interface KeptPart extends RetiredPart, ItemsOfMonth {
  readonly reason: KeptReason;
}

/** What a retirement did, or would do. */
export interface Retired extends Omit<RetireRequest, 'mostItems'> {
  readonly parts: readonly RetiredPart[];
  readonly kept: readonly KeptPart[];
}

/**
 * Detaches the records of old months: their tables leave matching and reports and stay in the database unchanged; the
 * operator keeps, dumps or drops them. Their files stay known, so that nothing of them is stored again. The results of
 * matching stay.
 *
 * What `recon purge` keeps stays here too: without its record, an open item would have no amount and no money at risk.
 * A month with records that a later file brought again is retired nevertheless, because its table stays: reports on
 * that file are refused.
 *
 * It takes the run lock, and is all or nothing. A month is refused while payments of it could still be reported as
 * missing: their settlement records would be detached.
 *
 * @throws ReconError USAGE_INVALID, RUN_ACTIVE, errors of the database
 */
export async function retireMonths(context: RunContext, request: RetireRequest): Promise<Retired> {
  const { before, dryRun } = request;
  await refuseShards(context.database.sql, 'recon retire');
  const asOf = await removalDay(context);
  const limits = limitsOfRequest(context, request, asOf);
  const lock = await acquireLockWithoutRun(context, 'retire');
  const fenced = fencedTransactions(context.database, lock.fence, lock.lost);
  try {
    return await fenced.transact(async (tx) => {
      if (!dryRun) await moveFence(tx);
      const judged = await judgeMonths(tx, { asOf, timezone: context.timezone }, request, limits);
      const parts = judged.toRetire.map(partOf);
      if (!dryRun) {
        for (const month of judged.toRetire) await detachMonth(tx, month);
        await recordRetirement(tx, context.author, request, parts);
      }
      return { before, dryRun, parts, kept: judged.kept };
    });
  } finally {
    await fenced.end();
    await lock.release();
  }
}

/** @throws ReconError USAGE_INVALID */
function limitsOfRequest(
  { lookbackDays, settlementDueDays }: RunContext,
  { before }: RetireRequest,
  asOf: CalendarDate,
): RetentionLimits {
  const latest = addDays(asOf, -(lookbackDays + settlementDueDays));
  if (before > latest) {
    throw new ReconError(
      'USAGE_INVALID',
      `--before can be ${latest} at most: records are checked again for ${lookbackDays} days (lookbackDays), and payments are due ${settlementDueDays} days after their day (settlementDueDays).`,
    );
  }
  return limitsOfRecords(before, asOf, { lookbackDays, settlementDueDays });
}

async function judgeMonths(
  tx: Tx,
  view: ItemView,
  { before, mostItems }: RetireRequest,
  limits: RetentionLimits,
): Promise<{ readonly toRetire: readonly OldMonth[]; readonly kept: readonly KeptPart[] }> {
  const files = await readFileStates(tx, view);
  const toRetire: OldMonth[] = [];
  const stays: { month: OldMonth; reason: KeptReason }[] = [];
  for (const month of await readOldMonths(tx, before)) {
    const judgement = judgeMonth(month, files, limits);
    if (judgement === 'remove') toRetire.push(month);
    else if (judgement !== 'young') stays.push({ month, reason: judgement });
  }
  const itemsOf = await readItemsOfMonths(
    tx,
    view,
    stays.map(({ month }) => month),
    mostItems,
  );
  return {
    toRetire,
    kept: stays.map(({ month, reason }) => ({ ...partOf(month), reason, ...itemsOf(month) })),
  };
}

function partOf(month: OldMonth): RetiredPart {
  const { day, files, records } = month;
  return { month: day.slice(0, 7), files, records, table: tableOfMonth(month) };
}

async function recordRetirement(
  tx: Tx,
  author: string,
  { before }: RetireRequest,
  parts: readonly RetiredPart[],
): Promise<void> {
  await appendAuditEvents(
    tx,
    author,
    parts.map(({ month, files, records, table }) => ({
      action: 'records.retired',
      subject: table,
      details: { before, month, files, records },
    })),
  );
}
