import type { Tx } from '../db/client.js';
import { isoMoment } from '../values/iso-moment.js';

/** The file that a source delivered last. */
export interface LastFile {
  readonly name: string;
  readonly status: string;
  /** ISO moment in UTC. */
  readonly receivedAt: string;
}

/** The last received file of each source that ever delivered one, by the name of the source. */
export async function lastFiles(tx: Tx): Promise<ReadonlyMap<string, LastFile>> {
  const rows = await tx<(LastFile & { readonly source: string })[]>`
    select distinct on (source) source, name, status, received_at as "receivedAt"
    from settlement_files order by source, id desc`;
  return new Map(
    rows.map(({ source, name, status, receivedAt }) => [
      source,
      { name, status, receivedAt: isoMoment(receivedAt) },
    ]),
  );
}
