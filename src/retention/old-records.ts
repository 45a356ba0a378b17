import type { Tx } from '../db/client.js';
import { isDivided } from '../db/divided.js';
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
}

/**
 * Which months of records go: as `recon retire` detaches them, and then their tables are dropped. A month goes whole,
 * so one file that stays keeps it. On shards, all records are in one table, of which no month can be detached.
 */
export async function planRecords(tx: Tx, input: PlanInput): Promise<KindPlan> {
  const { limits, files } = input;
  const { records: before } = limits.before;
  const tally = new Tally('records', before);
  if (before === null) return { sums: tally.sums(), apply: async () => {} };
  const goes: Part[] = [];
  const old = await readOldParts(tx, before);
  const pairs = old.length === 0 ? [] : await readKnownPairs(tx);
  const isOnShards = await isDivided(tx);
  const isOld = (id: FileId) => old.some((part) => contains(part, id));
  for (const part of old) {
    const inside = files.filter(({ id }) => contains(part, id));
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
        isInUse: pairs.some(({ recordFileId, fileId }) => contains(part, recordFileId) && !isOld(fileId)),
        isOnShards,
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
        await change`delete from row_places
          where file_id >= ${part.firstFileId} and file_id < ${part.endFileId}`;
      }
    },
  };
}

const contains = ({ firstFileId, endFileId }: Part, id: FileId) => id >= firstFileId && id < endFileId;

/** Parts with a loaded file: one without has no records, and perhaps no table yet. */
async function readOldParts(tx: Tx, before: CalendarDate): Promise<readonly Part[]> {
  return tx<Part[]>`
    select p.first_file_id as "firstFileId", p.end_file_id as "endFileId",
      (p.month + interval '1 month - 1 day')::date::text as day,
      coalesce(sum(f.rows_accepted - f.rows_already_known), 0)::integer as records,
      coalesce(pg_total_relation_size(to_regclass('settlement_records_' || p.first_file_id)), 0)::float8 as bytes,
      p.first_file_id = (select max(first_file_id) from record_parts) as "isNewest"
    from record_parts p
    join settlement_files f on f.id >= p.first_file_id and f.id < p.end_file_id and f.status = 'loaded'
    where p.month < ${before}::date
    group by p.first_file_id order by p.first_file_id`;
}

/** Which file brought records of which earlier file again. */
async function readKnownPairs(
  tx: Tx,
): Promise<readonly { readonly fileId: FileId; readonly recordFileId: FileId }[]> {
  return tx<{ fileId: FileId; recordFileId: FileId }[]>`
    select distinct file_id as "fileId", record_file_id as "recordFileId" from already_known_rows`;
}
