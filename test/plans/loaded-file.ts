import type { Tx } from '../../src/db/client.js';

/** A loaded file without its records: of one day, and received and reported by the run of its number. */
export async function storeLoadedFile(tx: Tx, file: number, rows: number, day = '2026-11-19'): Promise<void> {
  await tx`
    insert into settlement_files (id, sha256, source, name, size_bytes, status, received_at, received_run_id,
      finished_run_id, rows_total, rows_accepted, first_settlement_date, last_settlement_date)
    values (${file}, ${`${file}`.repeat(64)}, 'test', ${`file-${file}`}, 1, 'loaded', now(), ${file}, ${file},
      ${rows}, ${rows}, ${day}, ${day})`;
}
