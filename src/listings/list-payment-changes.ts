import type { Sql } from '../db/client.js';
import { isoMoment } from '../values/iso-moment.js';
import { maskCardNumbers } from '../values/mask-card-numbers.js';
import type { Listing } from './list-runs.js';

/** A value of a stored payment that an import changed. */
export interface ListedChange {
  /** ISO moment in UTC. */
  readonly changedAt: string;
  readonly paymentId: string;
  readonly column: string;
  /** FILLED, RESULT or CONTRADICTION. */
  readonly kind: string;
  readonly oldValue: string | null;
  readonly newValue: string;
  readonly file: string;
  readonly sha256: string;
  readonly line: number;
}

/** The changes that imports made, the latest first. */
export async function listPaymentChanges(
  sql: Sql,
  filter: { readonly paymentId: string | null; readonly limit: number },
): Promise<Listing<ListedChange>> {
  const wanted = filter.paymentId === null ? sql`` : sql`where payment_id = ${filter.paymentId}`;
  const rows = await sql<ListedChange[]>`
    select changed_at as "changedAt",
      payment_id as "paymentId", column_name as "column", kind, old_value as "oldValue",
      new_value as "newValue", file_name as file, file_sha256 as sha256, line
    from payment_changes ${wanted} order by id desc limit ${filter.limit}`;
  const [counted] = await sql<{ total: number }[]>`
    select count(*)::int as total from payment_changes ${wanted}`;
  return {
    total: counted?.total ?? 0,
    rows: rows.map((row) => ({
      ...row,
      changedAt: isoMoment(row.changedAt),
      oldValue: row.oldValue === null ? null : maskCardNumbers(row.oldValue),
      newValue: maskCardNumbers(row.newValue),
    })),
  };
}
