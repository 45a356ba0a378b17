import type { RunScope } from '../../db/run-scope.js';
import type { RunId } from '../../values/ids.js';
import type { Tx } from '../fragment.js';
import { addHoldersOfIds } from './add-holders-of-ids.js';
import { deliveryOrder, listDeliveries } from './list-deliveries.js';
import type { Corrections } from './list-suspects.js';
import { pairPlace } from './pair-deliveries.js';

/**
 * Decides which deliveries of a record count (design 4.6, 4.8). The deliveries are taken in the order of receipt; each
 * is compared with one that counts, of an earlier file of the same source (`pair-deliveries.ts`):
 *
 * - without such a record it counts; so does a SUCCESS record after a FAILED one, which is its repeat;
 * - with `supersede`, or where the source says `corrections: replace`, it counts and the former does not;
 * - with `keep-both`, or where the source says `corrections: add`, both count;
 * - else it waits for a decision and takes no part in any sum.
 *
 * The result follows from the stored records, withdrawals and decisions alone. What differs from `uncounted_records` is
 * written there and added to `changed_records`, with the records that hold the chargeback id of one of these.
 *
 * @returns whether anything changed
 */
export async function judgeDeliveries(
  tx: Tx,
  scope: RunScope,
  settings: { readonly runId: RunId; readonly corrections: Corrections },
): Promise<boolean> {
  if (!(await listDeliveries(tx, scope, settings.corrections))) return false;
  const [row] = await tx<{ places: number | null }[]>`select max(place) as places from deliveries`;
  for (let place = 1; place <= (row?.places ?? 0); place += 1) await judgePlace(tx, place);
  return storeChanges(tx, settings.runId);
}

async function judgePlace(tx: Tx, place: number): Promise<void> {
  await pairPlace(tx, place);
  await tx`
    update deliveries d set counts = p.outcome is distinct from 'ask',
      reason = case p.outcome when 'ask' then 'REDELIVERED' end,
      other_file_id = case p.outcome when 'ask' then p.other_file_id end,
      other_line = case p.outcome when 'ask' then p.other_line end
    from deliveries l left join pairs p on p.file_id = l.file_id and p.line = l.line
    where l.place = ${place} and d.file_id = l.file_id and d.line = l.line`;
  await tx`
    update deliveries d set counts = false, reason = 'SUPERSEDED', other_file_id = p.file_id, other_line = p.line
    from (select distinct on (r.other_file_id, r.other_line) r.* from pairs r where r.outcome = 'supersede'
      order by r.other_file_id, r.other_line, ${deliveryOrder(tx)}) p
    where d.file_id = p.other_file_id and d.line = p.other_line`;
  await tx`drop table pairs`;
}

async function storeChanges(tx: Tx, runId: RunId): Promise<boolean> {
  await tx`create temp table new_judgements on commit drop as
    select d.file_id, d.line, d.counts, d.reason, d.other_file_id, d.other_line
    from deliveries d left join uncounted_records u on u.file_id = d.file_id and u.line = d.line
    where (d.reason, d.other_file_id, d.other_line) is distinct from (u.reason::text, u.other_file_id, u.other_line)`;
  await tx`delete from uncounted_records u using new_judgements j
    where j.counts and u.file_id = j.file_id and u.line = j.line`;
  await tx`
    insert into uncounted_records (file_id, line, reason, other_file_id, other_line, run_id)
    select file_id, line, reason::uncounted_reason, other_file_id, other_line, ${runId} from new_judgements
    where not counts
    on conflict (file_id, line) do update set reason = excluded.reason, other_file_id = excluded.other_file_id,
      other_line = excluded.other_line, run_id = excluded.run_id`;
  const changed = await tx`
    insert into changed_records (file_id, line, counts) select file_id, line, counts from new_judgements
    on conflict (file_id, line) do update set counts = excluded.counts`;
  await addHoldersOfIds(tx);
  await tx`
    insert into delivery_keys (file_id, line, key)
    select j.file_id, j.line, d.key from new_judgements j
    join deliveries d on d.file_id = j.file_id and d.line = j.line
    on conflict do nothing`;
  return changed.count > 0;
}
