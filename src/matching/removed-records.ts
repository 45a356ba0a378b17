import type { Tx } from './fragment.js';

/** Whether the records of any file were removed by `recon retire` or `recon purge`. */
export async function hasRemovedRecords(tx: Tx): Promise<boolean> {
  const [row] = await tx<{ removed: boolean }[]>`
    select exists (select from settlement_files where status = 'retired') as removed`;
  return row?.removed === true;
}
