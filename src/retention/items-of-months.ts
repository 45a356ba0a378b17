import type { Tx } from '../db/client.js';
import type { ItemStatus } from '../findings/open-item.js';
import { itemRows, prepareView, type ItemView } from '../items/item-rows.js';
import { unsettledFindings } from '../items/settled-findings.js';
import type { FileId } from '../values/ids.js';
import type { OldMonth } from './old-months.js';

/** An item that keeps a month of records. */
export interface KeepingItem {
  readonly discrepancyId: string;
  readonly code: string;
  readonly status: ItemStatus;
  /** Null if it is about a payment. */
  readonly file: string | null;
  readonly line: number | null;
}

/** The open and waiting items that keep the records of a month. */
export interface ItemsOfMonth {
  readonly openItems: number;
  /** All of them, or as many as were wanted, in the order of `recon items`. */
  readonly items: readonly KeepingItem[];
}

/**
 * The items that are open or waiting and about a record of one of these months, or about a payment that one of them is
 * matched to: what `FileState.hasOpenItem` counts.
 *
 * @param mostItems how many items of each month are named at most; null: all of them, which may be 100,000s
 */
export async function readItemsOfMonths(
  tx: Tx,
  view: ItemView,
  months: readonly OldMonth[],
  mostItems: number | null,
): Promise<(month: OldMonth) => ItemsOfMonth> {
  if (months.length === 0) return () => ({ openItems: 0, items: [] });
  const first = months.map(({ firstFileId }) => firstFileId).join(',');
  const prepared = await prepareView(tx, view);
  const items = itemRows(tx, prepared, { from: unsettledFindings(tx, prepared) });
  const rows = await tx<(KeepingItem & { firstFileId: FileId; openItems: number })[]>`
    with open_items as materialized (
      select i.id, i.code, i.status, i.file, i.line, i.file_id, i.payment_key, i.at_risk_minor, i.age_days
      from (${items}) i
      where i.status in ('OPEN', 'WAITING')
    ), places as (
      select id, file_id from open_items where file_id is not null
      union
      select o.id, m.file_id from open_items o join record_matches m on m.payment_key = o.payment_key
    ), of_months as (
      select distinct p.first_file_id, places.id
      from record_parts p
      join places on places.file_id >= p.first_file_id and places.file_id < p.end_file_id
      where p.first_file_id = any (string_to_array(${first}, ',')::integer[])
    )
    select "firstFileId", "discrepancyId", code, status, file, line, "openItems" from (
      select m.first_file_id as "firstFileId", o.id as "discrepancyId", o.code, o.status, o.file, o.line,
        count(*) over (partition by m.first_file_id)::integer as "openItems",
        row_number() over (partition by m.first_file_id
          order by abs(o.at_risk_minor) desc, o.age_days desc, o.id collate "C") as place
      from of_months m join open_items o on o.id = m.id) ranked
    ${mostItems === null ? tx`` : tx`where place <= ${mostItems}`}
    order by "firstFileId", place`;
  const itemsOf = new Map<FileId, { openItems: number; items: KeepingItem[] }>();
  for (const { firstFileId, openItems, ...item } of rows) {
    const known = itemsOf.get(firstFileId);
    if (known === undefined) itemsOf.set(firstFileId, { openItems, items: [item] });
    else known.items.push(item);
  }
  return ({ firstFileId }) => itemsOf.get(firstFileId) ?? { openItems: 0, items: [] };
}
