import type { FileId } from '../values/ids.js';
import type { Tx } from './fragment.js';

/** Records that are about to be removed: those of the files from the first id on, before the end. */
export interface RemovedFiles {
  readonly firstFileId: FileId;
  readonly endFileId: FileId;
}

/** Whether the records of any file were removed by `recon retire` or `recon purge`. */
export async function hasRemovedRecords(tx: Tx): Promise<boolean> {
  const [row] = await tx<{ removed: boolean }[]>`
    select exists (select from settlement_files where status = 'retired') as removed`;
  return row?.removed === true;
}
