import type { Tx } from '../db/client.js';
import { latestWithdrawals } from '../db/run-scope.js';
import type { Decidable } from './decidable.js';

/** A record of a withdrawn file: a decision that changes its matching has no effect while it does not count. */
export interface WithdrawnRecord {
  /** The name of the file. */
  readonly file: string;
}

/** By item, those of the given ones whose record does not count as long as its file is withdrawn. */
export type FindWithdrawn = (
  items: readonly Decidable[],
) => Promise<ReadonlyMap<Decidable['item'], WithdrawnRecord>>;

/**
 * Finds records of withdrawn files, also of files on whose withdrawal no run has acted yet. A record still counts if
 * another file, which is not withdrawn, brought it too (design 4.8).
 */
export async function withdrawnRecords(tx: Tx): Promise<FindWithdrawn> {
  const withdrawn = tx`select w.file_id from (${latestWithdrawals(tx)}) w where w.kind = 'withdraw'`;
  const [any] = await tx`${withdrawn} limit 1`;
  if (any === undefined) return () => Promise.resolve(new Map());
  return async (items) => {
    const ofFiles = items.filter(({ fileId, line }) => fileId !== null && line !== null);
    if (ofFiles.length === 0) return new Map();
    const numbers = (values: readonly (number | null)[]) =>
      tx`string_to_array(${values.join(',')}, ',')::int[]`;
    const rows = await tx<{ place: number; file: string }[]>`
      select r.place::int as place, f.name as file
      from unnest(${numbers(ofFiles.map(({ fileId }) => fileId))}, ${numbers(ofFiles.map(({ line }) => line))})
        with ordinality as r (file_id, line, place)
      join settlement_files f on f.id = r.file_id
      where r.file_id in (${withdrawn})
        and not exists (select from already_known_rows k
          where k.record_file_id = r.file_id and k.record_line = r.line and k.file_id not in (${withdrawn}))`;
    return new Map(
      rows.flatMap(({ place, file }) => {
        const item = ofFiles[place - 1];
        return item === undefined ? [] : [[item.item, { file }] as const];
      }),
    );
  };
}
