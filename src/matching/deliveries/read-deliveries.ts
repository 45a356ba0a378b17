import type { FileId } from '../../values/ids.js';
import type { Fragment, Tx } from '../fragment.js';
import type { Delivery } from './judge-place.js';

/** How many are read at once, so that many of them do not fill the memory. */
const rowsAtOnce = 5_000;

/** Moments are numbers of decisions, as text: the driver takes an array of bigint for a single one. */
interface DeliveryRow extends Omit<Delivery, 'decision' | 'decidedSpans' | 'broughtAgain'> {
  readonly outcome: 'keep' | 'supersede';
  readonly decision: string | null;
  readonly decided: readonly string[] | null;
  readonly undone: readonly (string | null)[] | null;
  readonly broughtAgain: readonly number[] | null;
}

/**
 * The rows of `deliveries`, by group, place and rank. Reads `carriers` and `delivery_places` too.
 *
 * Each batch begins after the last row of the one before. A cursor would occupy the connection, which stores the
 * judgements in between.
 */
export async function* readDeliveries(tx: Tx): AsyncGenerator<Delivery> {
  let last: Pick<DeliveryRow, 'group' | 'place' | 'rank'> = { group: 0, place: 0, rank: 0 };
  for (;;) {
    const rows = await readBatch(tx, last);
    for (const row of rows) yield toDelivery(row);
    const final = rows.at(-1);
    if (final === undefined || rows.length < rowsAtOnce) return;
    last = final;
  }
}

function readBatch(
  tx: Tx,
  { group, place, rank }: Pick<DeliveryRow, 'group' | 'place' | 'rank'>,
): Promise<readonly DeliveryRow[]> {
  return tx<DeliveryRow[]>`
    select d.number as "group", d.place, d.rank, d.file_id as "fileId", d.line, d.succeeded,
      d.amount_minor || ' ' || d.currency as money,
      case d.mode when 'replace' then 'supersede' when 'add' then 'keep' else 'ask' end as setting,
      case d.decision when 'supersede' then 'supersede' else 'keep' end as outcome,
      d.decision_number::text as decision,
      s.decided, s.undone, b.places as "broughtAgain"
    from (
      select * from deliveries where (number, place, rank) > (${group}, ${place}, ${rank})
      order by number, place, rank limit ${rowsAtOnce}) d
    left join lateral (${placesBroughtAgain(tx)}) b on true
    left join lateral (${decidedSpans(tx)}) s on d.decision = 'keep-both'
    order by d.number, d.place, d.rank`;
}

/** The later places of its source whose file brings record `d` unchanged. Each file that brings it is looked up. */
function placesBroughtAgain(tx: Tx): Fragment {
  return tx`select array_agg(p.place order by p.place) as places from carriers c
      cross join lateral (select p.place from delivery_places p
        where p.number = d.number and p.by_file_id = c.by_file_id offset 0) p
      where c.file_id = d.file_id and c.line = d.line and c.by_file_id > d.by_file_id`;
}

/**
 * What was decided about record `d` as a delivery, and when it was taken back. That is looked up as a value: the
 * planner would join all that was ever taken back.
 */
function decidedSpans(tx: Tx): Fragment {
  return tx`select array_agg(x.number::text order by x.number) as decided,
        array_agg((select u.number from decisions u
          where u.kind = 'undo' and u.refers_to = x.number)::text order by x.number) as undone
      from decisions x
      where x.file_id = d.file_id and x.line = d.line and x.kind in ('supersede', 'keep-both') 
        and d.decision = 'keep-both'`;
}

function toDelivery({ outcome, decision, decided, undone, broughtAgain, ...row }: DeliveryRow): Delivery {
  return {
    ...row,
    fileId: row.fileId satisfies FileId,
    decision: decision === null ? null : { outcome, number: Number(decision) },
    decidedSpans:
      decided?.map((from, index) => {
        const until = undone?.[index] ?? null;
        return { from: Number(from), until: until === null ? null : Number(until) };
      }) ?? null,
    broughtAgain: broughtAgain ?? [],
  };
}
