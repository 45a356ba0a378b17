import type { Sql, Tx } from '../../db/client.js';
import type { Caller } from './core-context.js';

/**
 * Until the transaction ends, `share` prevents that others change or delete the row; `update` prevents its use as well.
 * `none` is for a read.
 */
export type RowLock = 'none' | 'share' | 'update';

/** The id of a row, who asks for it, and how it is locked. */
export interface WantedRow {
  readonly id: string;
  readonly caller: Caller;
  readonly lock: RowLock;
}

/** The end of a `select` that locks its rows. */
export function lockClause(sql: Sql | Tx, lock: RowLock) {
  return { none: sql``, share: sql`for share`, update: sql`for update` }[lock];
}
