import type { Tx } from '../../db/client.js';

/**
 * Whether rejected row `q` was corrected and is a record now, or a known row. Few rows are corrected, so each is looked
 * up.
 */
export function isEntered(tx: Tx) {
  return tx`exists (select from row_corrections c where c.file_id = q.file_id and c.line = q.line and (
    exists (select from settlement_records r where r.file_id = c.file_id and r.line = c.line offset 0)
    or exists (select from already_known_rows k where k.file_id = c.file_id and k.line = c.line)))`;
}
