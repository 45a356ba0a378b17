import type { Tx } from '../db/client.js';
import { isDivided } from '../db/shards/is-divided.js';
import type { FileId } from '../values/ids.js';
import { nothingGoes, type KindPlan, type PlanInput } from './kind-plan.js';
import {
  contains,
  detachMonth,
  judgeMonth,
  readOldMonths,
  tableOfMonth,
  type OldMonth,
} from './old-months.js';
import { Tally } from './tally.js';

/**
 * Which months of records are removed: as `recon retire` detaches them, and then their tables are dropped. A month with
 * records that a later file brought again stays: reports on that file need them. On shards, all records are in one
 * table, of which no month can be detached.
 */
export async function planRecords(tx: Tx, input: PlanInput): Promise<KindPlan> {
  const { limits, files } = input;
  const { records: before } = limits.before;
  const tally = new Tally('records', before);
  if (before === null) return nothingGoes(tally);
  const toRemove: OldMonth[] = [];
  const old = await readOldMonths(tx, before);
  const pairs = old.length === 0 ? [] : await readKnownPairs(tx);
  const isOnShards = await isDivided(tx);
  const isOld = (id: FileId) => old.some((month) => contains(month, id));
  for (const month of old) {
    const judgement = judgeMonth(month, files, limits, {
      isInUse: pairs.some(({ recordFileId, fileId }) => contains(month, recordFileId) && !isOld(fileId)),
      isOnShards,
    });
    const days = files
      .filter(({ id }) => contains(month, id))
      .map(({ day }) => day)
      .sort();
    // The first and the last day count, so that the sums name both.
    tally.add(judgement, { day: days.at(0) ?? month.day, count: month.records, bytes: month.bytes });
    tally.add(judgement, { day: days.at(-1) ?? month.day, count: 0, bytes: 0 });
    if (judgement === 'remove') toRemove.push(month);
  }
  return {
    sums: tally.sums(),
    apply: async (change) => {
      for (const month of toRemove) {
        await detachMonth(change, month);
        await change`drop table ${change(tableOfMonth(month))}`;
        await change`delete from row_places
          where file_id >= ${month.firstFileId} and file_id < ${month.endFileId}`;
      }
    },
  };
}

/** Which file brought records of which earlier file again. */
async function readKnownPairs(
  tx: Tx,
): Promise<readonly { readonly fileId: FileId; readonly recordFileId: FileId }[]> {
  return tx<{ fileId: FileId; recordFileId: FileId }[]>`
    select distinct file_id as "fileId", record_file_id as "recordFileId" from already_known_rows`;
}
