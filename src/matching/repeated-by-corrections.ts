import type { Fragment, Tx } from './fragment.js';

/**
 * What a query selects from: corrections `c` of rows (design 4.9), each with the record `k` that its row repeats. Each
 * record is looked up, since a join could read all known rows.
 */
export const repeatedByCorrections = (tx: Tx): Fragment => tx`row_corrections c
    cross join lateral (select k.record_file_id, k.record_line from already_known_rows k
      where k.file_id = c.file_id and k.line = c.line offset 0) k`;
