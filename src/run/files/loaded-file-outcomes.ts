import type { Tx } from '../../db/client.js';
import type { ErrorCode } from '../../errors.js';
import { noteOf, type FileOutcome } from '../../outcome.js';
import type { FileId } from '../../values/ids.js';

interface Row {
  source: string;
  name: string;
  sha256: string;
  status: 'loaded' | 'rejected';
  rows_total: number;
  rows_accepted: number;
  rows_rejected: number;
  rows_already_known: number;
  error_code: ErrorCode | null;
  error_message: string | null;
}

/** A file that is loaded or rejected. */
export type StoredFile = FileOutcome & Pick<Row, 'status'>;

/** The outcomes of files that an earlier run finished, as that run would have reported them. */
export async function loadedFileOutcomes(tx: Tx, fileIds: readonly FileId[]): Promise<StoredFile[]> {
  if (fileIds.length === 0) return [];
  const rows = await tx<Row[]>`
    select source, name, sha256, status, rows_total, rows_accepted, rows_rejected, rows_already_known,
      error_code, error_message
    from settlement_files where id in ${tx([...fileIds])} order by id`;
  return rows.map((row) => {
    const counts = {
      total: row.rows_total,
      accepted: row.rows_accepted,
      rejected: row.rows_rejected,
      alreadyKnown: row.rows_already_known,
    };
    return {
      source: row.source,
      name: row.name,
      sha256: row.sha256,
      status: row.status,
      error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
      rows: counts,
      ...noteOf(row.status, counts),
    };
  });
}
