import { and, asc, count, desc, eq, gte, isNull, lte, sql } from 'drizzle-orm';
import type { Database } from '../db/connect.js';
import { chargebackLinks, discrepancies, recordMatches } from '../db/schema/findings.js';
import { payments } from '../db/schema/payments.js';
import { settlementFiles, settlementRecords } from '../db/schema/settlements.js';
import { formatAmount } from '../values/money.js';

export interface DiscrepancyFilter {
  readonly code: string | null;
  readonly severity: string | null;
  /** SettlementDate of the record, or the payment's own day in `timezone`; either end may be open. */
  readonly from: string | null;
  readonly to: string | null;
  readonly timezone: string;
  /** The run that found it first. */
  readonly runId: number | null;
  readonly withResolved: boolean;
  readonly limit: number;
}

/** The discrepancies, the gravest first, and how many there are without the limit. */
export async function listDiscrepancies({ orm }: Database, filter: DiscrepancyFilter) {
  const day = sql<string>`coalesce(${settlementRecords.settlementDate}, (${payments.requestedAt} at time zone ${filter.timezone})::date)`;
  const wanted = and(
    filter.withResolved ? undefined : isNull(discrepancies.resolvedRun),
    filter.code === null ? undefined : eq(discrepancies.code, filter.code),
    filter.severity === null ? undefined : eq(discrepancies.severity, filter.severity),
    filter.runId === null ? undefined : eq(discrepancies.firstSeenRun, filter.runId),
    filter.from === null ? undefined : gte(day, filter.from),
    filter.to === null ? undefined : lte(day, filter.to),
  );
  const record = (table: typeof settlementRecords | typeof recordMatches | typeof chargebackLinks) =>
    and(eq(table.fileId, discrepancies.fileId), eq(table.line, discrepancies.line));
  const selection = {
    discrepancyId: discrepancies.id,
    code: discrepancies.code,
    severity: discrepancies.severity,
    source: settlementFiles.source,
    file: settlementFiles.name,
    line: discrepancies.line,
    date: day,
    settlementTxId: settlementRecords.settlementTxId,
    paymentId: payments.id,
    chargebackId: chargebackLinks.chargebackId,
    amountMinor: sql<
      string | null
    >`coalesce(${settlementRecords.amountMinor}, ${payments.amountMinor})::text`,
    currency: sql<string | null>`coalesce(${settlementRecords.currency}, ${payments.currency})`,
    expected: discrepancies.expected,
    actual: discrepancies.actual,
    differenceMinor: discrepancies.differenceMinor,
    message: discrepancies.message,
    firstSeenRun: discrepancies.firstSeenRun,
    resolvedRun: discrepancies.resolvedRun,
  };
  const rows = await orm
    .select(selection)
    .from(discrepancies)
    .leftJoin(settlementFiles, eq(settlementFiles.id, discrepancies.fileId))
    .leftJoin(settlementRecords, record(settlementRecords))
    .leftJoin(recordMatches, record(recordMatches))
    .leftJoin(chargebackLinks, record(chargebackLinks))
    .leftJoin(
      payments,
      eq(payments.key, sql`coalesce(${discrepancies.paymentKey}, ${recordMatches.paymentKey})`),
    )
    .where(wanted)
    .orderBy(
      sql`array_position(array['error', 'warning', 'info'], ${discrepancies.severity}::text)`,
      asc(discrepancies.code),
      desc(day),
      asc(discrepancies.id),
    )
    .limit(filter.limit);
  const [counted] = await orm
    .select({ total: count() })
    .from(discrepancies)
    .leftJoin(settlementRecords, record(settlementRecords))
    .leftJoin(recordMatches, record(recordMatches))
    .leftJoin(
      payments,
      eq(payments.key, sql`coalesce(${discrepancies.paymentKey}, ${recordMatches.paymentKey})`),
    )
    .where(wanted);
  return {
    total: counted?.total ?? 0,
    rows: rows.map(({ amountMinor, differenceMinor, ...row }) => ({
      ...row,
      amount: amountMinor === null ? null : formatAmount(BigInt(amountMinor)),
      difference: differenceMinor === null ? null : formatAmount(differenceMinor),
    })),
  };
}
