import type { Reader } from '../db/client.js';
import { pastDecision } from './conflict.js';
import type { PastDecision } from './sheet-as-exported.js';

/** A decision of an item's history, as a person reads it. */
export interface HistoryEntry extends Omit<
  PastDecision,
  'item' | 'number' | 'linkKey' | 'refersTo' | 'basis'
> {
  readonly number: string;
  readonly decidedAt: string;
  /** The number of the decision that an `undo` took back, or an `approve` agreed to. */
  readonly refersTo: string | null;
  /** Who took it back. */
  readonly undoneBy: string | null;
  /** The filter or sheet that it came with. */
  readonly originName: string | null;
}

/** The decisions of an item, the latest first. */
export async function itemHistory(sql: Reader, id: string): Promise<HistoryEntry[]> {
  const rows = await sql<(PastDecision & Pick<HistoryEntry, 'decidedAt' | 'undoneBy' | 'originName'>)[]>`
    select ${pastDecision(sql)}, d.decided_at::text as "decidedAt", d.origin_name as "originName",
      (select u.author from decisions u where u.kind = 'undo' and u.refers_to = d.number) as "undoneBy"
    from decisions d left join payments p on p.key = d.payment_key
    where d.item = ${id}
    order by d.number desc`;
  return rows.map(({ item: _item, basis: _basis, linkKey: _linkKey, number, refersTo, ...row }) => ({
    ...row,
    number: number.toString(),
    refersTo: refersTo?.toString() ?? null,
  }));
}
