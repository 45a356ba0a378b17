import type { Reader } from '../db/client.js';
import type { ExpectedDelivery } from '../outcome.js';
import type { SourceSettings } from '../remote/source-settings.js';
import { byBytes } from '../values/by-bytes.js';
import { addDays, dateInZone, startOfDay, type CalendarDate } from '../values/calendar-date.js';
import { judgeExpected, judgedForDays, type DeliveredFile } from './judge-expected.js';

/** What a judgement depends on, besides the files. */
export interface ExpectedView {
  readonly asOf: CalendarDate;
  /** Zone in which `asOf` is today or not. */
  readonly timezone: string;
  readonly nowMs: number;
  /** Only the deliveries of these days; null for those that were due recently. */
  readonly range: { readonly from: CalendarDate; readonly to: CalendarDate } | null;
}

/**
 * What became of the expected deliveries of all sources, by source and day. Without expectations nothing is read.
 *
 * @param tx null if no database was created yet: nothing has been delivered
 */
export async function expectedDeliveries(
  tx: Reader | null,
  sources: readonly SourceSettings[],
  view: ExpectedView,
): Promise<ExpectedDelivery[]> {
  const all: ExpectedDelivery[] = [];
  for (const { name, expected } of sources) {
    if (expected.length === 0) continue;
    const since = tx === null ? null : await firstDayOf(tx, name);
    const files = tx === null ? [] : await filesOf(tx, name, view);
    for (const expectation of expected) {
      const days = { atMs: momentOf(view, expectation.timezone), range: view.range, since };
      all.push(...judgeExpected(expectation, files, days).map((judged) => ({ source: name, ...judged })));
    }
  }
  return all;
}

/** Now, or the end of the as-of day if that is not today (design 4.10). */
function momentOf({ asOf, timezone, nowMs }: ExpectedView, zone: string): number {
  return asOf === dateInZone(nowMs, timezone) ? nowMs : startOfDay(addDays(asOf, 1), zone) - 1;
}

async function firstDayOf(tx: Reader, source: string): Promise<CalendarDate | null> {
  const [row] = await tx<{ first: CalendarDate | null }[]>`
    select min(coalesce(last_settlement_date, (received_at at time zone 'UTC')::date))::text as first
    from settlement_files where source = ${source} and status in ('loaded', 'retired')`;
  return row?.first ?? null;
}

interface FileRow {
  readonly id: number;
  readonly name: string;
  readonly sha256: string;
  readonly packed_name: string | null;
  readonly packed_sha256: string | null;
  readonly last: CalendarDate | null;
  readonly received_at_ms: number;
  readonly rows_total: number;
  readonly counts: boolean;
}

/**
 * The files of a source around the judged days, in the order of delivery. A withdrawal counts at once: its records
 * leave the sums in the matching that follows. A file was delivered when the server says that it was last changed, as
 * far as that is known: it may have lain there before it was fetched.
 */
async function filesOf(tx: Reader, source: string, { asOf, range }: ExpectedView): Promise<DeliveredFile[]> {
  // Long enough for the lag, and for a running number to have a predecessor.
  const from = addDays(range?.from ?? asOf, -judgedForDays - 90);
  const rows = await tx<FileRow[]>`
    select f.id, f.name, f.sha256, f.last_settlement_date::text as last, f.rows_total,
      f.status in ('loaded', 'retired') and coalesce((select w.kind::text from file_withdrawals w where w.file_id = f.id
          order by w.number desc limit 1), '') <> 'withdraw' as counts,
      (extract(epoch from f.received_at) * 1000)::float8 as received_at_ms, p.packed_name, p.packed_sha256
    from settlement_files f
      left join lateral (select i.packed_sha256, i.packed_name from packed_files i where i.sha256 = f.sha256
        order by i.packed_sha256 limit 1) p on true
    where f.source = ${source} and (f.received_at >= ${from}::date or f.last_settlement_date >= ${from}::date)`;
  const wanted = rows.flatMap(({ sha256, packed_sha256 }) => [sha256, packed_sha256 ?? sha256]);
  const changed = await changesAtSource(tx, source, new Set(wanted));
  return rows
    .map(({ id, name, packed_name, packed_sha256, sha256, last, received_at_ms, rows_total, counts }) => ({
      id,
      name,
      packedName: packed_name,
      sha256,
      lastSettlementDate: last,
      deliveredAtMs: Math.min(
        received_at_ms,
        changed.get(sha256) ?? Infinity,
        changed.get(packed_sha256 ?? '') ?? Infinity,
      ),
      rows: rows_total,
      counts,
    }))
    .sort((a, b) => a.deliveredAtMs - b.deliveredAtMs || byBytes(a.name, b.name) || a.id - b.id);
}

/**
 * When files that are or were at a source were last changed there, by SHA-256; of equal ones the first time, in
 * milliseconds since 1970. The remote files have no index by SHA-256, so they are read once: after years they are as
 * many as all files of the source. With `is true`, the server looks each up in a hash table of the wanted ones; as a
 * join, it could compare each with each if the statistics are old.
 */
async function changesAtSource(
  tx: Reader,
  source: string,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number>> {
  const rows = await tx<{ sha256: string; at: number }[]>`
    select sha256, min(modified_at_ms)::float8 as at from remote_files
    where source = ${source} and modified_at_ms is not null
      and (sha256 in (select unnest(string_to_array(${[...wanted].join(',')}, ',')))) is true
    group by sha256`;
  return new Map(rows.map(({ sha256, at }) => [sha256, at]));
}
