import type { Reader } from '../db/client.js';
import { isoMoment } from '../values/iso-moment.js';
import { pastDecisionColumns, type PastDecision } from './past-decisions.js';

/** A decision of an item's history, as a person reads it. */
export interface HistoryEntry extends Omit<
  PastDecision,
  'item' | 'number' | 'linkKey' | 'refersTo' | 'basis'
> {
  readonly number: string;
  /** ISO 8601 in UTC. */
  readonly decidedAt: string;
  /** The same to the minute, in the configured time zone, which it names: `2026-11-19 06:30 Europe/Berlin`. */
  readonly decidedAtInZone: string;
  /** The number of the decision that an `undo` took back, or an `approve` agreed to. */
  readonly refersTo: string | null;
  /** Who took it back. */
  readonly undoneBy: string | null;
  /** The filter or sheet that it came with. */
  readonly originName: string | null;
}

/** A decision with what only its history shows. */
type StoredEntry = PastDecision &
  Pick<HistoryEntry, 'decidedAt' | 'decidedAtInZone' | 'undoneBy' | 'originName'>;

/** The decisions of an item, the latest first. */
export async function itemHistory(sql: Reader, id: string, timezone: string): Promise<HistoryEntry[]> {
  const rows = await sql<StoredEntry[]>`
    select ${pastDecisionColumns(sql)}, d.decided_at as "decidedAt", d.origin_name as "originName",
      to_char(d.decided_at at time zone ${timezone}, 'YYYY-MM-DD HH24:MI ') || ${timezone} as "decidedAtInZone",
      (select u.author from decisions u where u.kind = 'undo' and u.refers_to = d.number) as "undoneBy"
    from decisions d left join payments p on p.key = d.payment_key
    where d.item = ${id}
    order by d.number desc`;
  return rows.map(({ item: _item, basis: _basis, linkKey: _linkKey, number, refersTo, ...row }) => ({
    ...row,
    decidedAt: isoMoment(row.decidedAt),
    number: number.toString(),
    refersTo: refersTo?.toString() ?? null,
  }));
}
