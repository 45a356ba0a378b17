import type { FileId } from '../values/ids.js';
import type { Tx } from './fragment.js';

/** Records that are about to be removed: those of the files from the first id on, before the end. */
export interface RemovedFiles {
  readonly firstFileId: FileId;
  readonly endFileId: FileId;
}

/** The answers of transactions that asked. */
const noted = new WeakMap<object, boolean>();

/**
 * Notes in a transaction handle whether records were removed, so that `hasRemovedRecords` need not ask again: a run
 * asked up to eight times, and each time all files were read. Only for a transaction during which none can be removed,
 * like that of a run, which holds the run lock.
 */
export async function noteRemovedRecords(tx: Tx): Promise<void> {
  noted.set(tx, await readRemovedRecords(tx));
}

/** Whether the records of any file were removed by `recon retire` or `recon purge`. */
export async function hasRemovedRecords(tx: Tx): Promise<boolean> {
  return noted.get(tx) ?? (await readRemovedRecords(tx));
}

async function readRemovedRecords(tx: Tx): Promise<boolean> {
  const [row] = await tx<{ removed: boolean }[]>`
    select exists (select from settlement_files where status = 'retired') as removed`;
  return row?.removed === true;
}
