import type { Tx } from '../db/client.js';
import { tableOfPart } from '../db/record-parts.js';
import { detachPart } from '../run/retire-months.js';
import type { CalendarDate } from '../values/calendar-date.js';
import type { FileId } from '../values/ids.js';
import { judge } from './judge.js';
import type { KindPlan, PlanInput } from './kind-plan.js';
import { Tally } from './tally.js';

interface Part {
  readonly firstFileId: FileId;
  readonly endFileId: FileId;
  /** The last day of its month. */
  readonly day: CalendarDate;
  readonly records: number;
  readonly bytes: number;
  readonly isNewest: boolean;
  /** The last days of the months of other parts with files that have records of this one again. */
  readonly usedBy: CalendarDate | null;
}

/**
 * Which months of records go: as `recon retire` detaches them, and then their tables are dropped. A month goes whole, so
 * one file that stays keeps it.
 */
export async function planRecords(tx: Tx, input: PlanInput): Promise<KindPlan> {
  const { limits, files } = input;
  const { records: before } = limits.before;
  const tally = new Tally('records', before);
  if (before === null) return { sums: tally.sums(), apply: async () => {} };
  const goes: Part[] = [];
  for (const part of await readParts(tx)) {
    const inside = files.filter(({ id }) => id >= part.firstFileId && id < part.endFileId);
    const judgement = judge(
      'records',
      {
        day: part.day,
        lastDay:
          inside
            .map(({ lastDay }) => lastDay ?? part.day)
            .sort()
            .at(-1) ?? null,
        isWaiting: inside.some(({ isWaiting }) => isWaiting),
        hasOpenItem: inside.some(({ hasOpenItem }) => hasOpenItem),
        isInUse: part.usedBy !== null && part.usedBy >= before,
        isNewest: part.isNewest,
      },
      limits,
    );
    const days = inside.map(({ day }) => day).sort();
    // The first and the last day count, so that the sums name both.
    tally.add(judgement, { day: days.at(0) ?? part.day, count: part.records, bytes: part.bytes });
    tally.add(judgement, { day: days.at(-1) ?? part.day, count: 0, bytes: 0 });
    if (judgement === 'remove') goes.push(part);
  }
  return {
    sums: tally.sums(),
    apply: async (change) => {
      for (const part of goes) {
        await detachPart(change, part);
        await change`drop table ${change(tableOfPart(part))}`;
      }
    },
  };
}

/** Parts with a loaded file: one without has no records, and perhaps no table yet. */
async function readParts(tx: Tx): Promise<readonly Part[]> {
  return tx<Part[]>`
    select p.first_file_id as "firstFileId", p.end_file_id as "endFileId",
      (p.month + interval '1 month - 1 day')::date::text as day,
      coalesce(sum(f.rows_accepted - f.rows_already_known), 0)::integer as records,
      coalesce(pg_total_relation_size(to_regclass('settlement_records_' || p.first_file_id)), 0)::float8 as bytes,
      p.first_file_id = (select max(first_file_id) from record_parts) as "isNewest",
      (select max(other.month + interval '1 month - 1 day')::date::text from already_known_rows k
        join record_parts other on k.file_id >= other.first_file_id and k.file_id < other.end_file_id
        where k.record_file_id >= p.first_file_id and k.record_file_id < p.end_file_id
          and other.first_file_id <> p.first_file_id) as "usedBy"
    from record_parts p
    join settlement_files f on f.id >= p.first_file_id and f.id < p.end_file_id and f.status = 'loaded'
    group by p.first_file_id order by p.first_file_id`;
}
