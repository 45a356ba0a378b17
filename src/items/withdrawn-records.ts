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
  const rows = await tx<{ id: number; name: string }[]>`
    select f.id, f.name from (${latestWithdrawals(tx)}) w join settlement_files f on f.id = w.file_id
    where w.kind = 'withdraw'`;
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return async (items) => {
    const found = new Map<Decidable['item'], WithdrawnRecord>();
    const records = items.flatMap(({ item, fileId, line }) => {
      const file = fileId === null ? undefined : names.get(fileId);
      return file === undefined || line === null ? [] : [{ item, fileId, line, file }];
    });
    if (records.length === 0) return found;
    const counted = await broughtByOthers(tx, records, [...names.keys()]);
    records.forEach(({ item, file }, index) => {
      if (!counted.has(index)) found.set(item, { file });
    });
    return found;
  };
}

/** The places of those records that another file brought too. Each is looked up: a join may read all rows. */
async function broughtByOthers(
  tx: Tx,
  records: readonly { readonly fileId: number | null; readonly line: number }[],
  withdrawn: readonly number[],
): Promise<ReadonlySet<number>> {
  const numbers = (values: readonly (number | null)[]) =>
    tx`string_to_array(${values.join(',')}, ',')::int[]`;
  const [files, lines] = [records.map(({ fileId }) => fileId), records.map(({ line }) => line)];
  const rows = await tx<{ place: number }[]>`
    select r.place::int - 1 as place
    from unnest(${numbers(files)}, ${numbers(lines)}) with ordinality as r (file_id, line, place)
    cross join lateral (select from already_known_rows k
      where k.record_file_id = r.file_id and k.record_line = r.line and k.file_id <> all (${numbers(withdrawn)})
      limit 1) k`;
  return new Set(rows.map(({ place }) => place));
}
