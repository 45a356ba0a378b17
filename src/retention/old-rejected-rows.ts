import type { Tx } from '../db/client.js';
import type { FileId } from '../values/ids.js';
import { judge } from './judge.js';
import { nothingGoes, type KindPlan, type PlanInput } from './kind-plan.js';
import { Tally } from './tally.js';

/**
 * Which rejected rows are removed: those of old files. A file with a correction that no run entered yet waits; a row
 * that nobody corrected is removed with its file, as it may be the last line of a sender, which no record is made of.
 */
export async function planRejectedRows(tx: Tx, input: PlanInput): Promise<KindPlan> {
  const { limits, files } = input;
  const tally = new Tally('rejectedRows', limits.before.rejectedRows);
  const { rejectedRows: before } = limits.before;
  if (before === null) return nothingGoes(tally);
  const old = files.filter(({ day }) => day < before);
  const rows = await tx<{ fileId: FileId; count: number; bytes: number }[]>`
    select file_id as "fileId", count(*)::integer as count, sum(pg_column_size(q.*))::float8 as bytes
    from rejected_rows q
    where file_id = any (string_to_array(${old.map(({ id }) => id).join(',')}, ',')::integer[]) group by file_id`;
  const fileOf = new Map(old.map((file) => [file.id, file]));
  const toRemove: FileId[] = [];
  for (const { fileId, count, bytes } of rows) {
    const file = fileOf.get(fileId);
    if (file === undefined) continue;
    const judgement = judge('rejectedRows', file, limits);
    tally.add(judgement, { day: file.day, count, bytes });
    if (judgement === 'remove') toRemove.push(fileId);
  }
  return {
    sums: tally.sums(),
    apply: async (change) => {
      await change`delete from rejected_rows
        where file_id = any (string_to_array(${toRemove.join(',')}, ',')::integer[])`;
    },
  };
}
