import type { RunScope } from '../../db/run-scope.js';
import type { RunId } from '../../values/ids.js';
import { textArray, type Tx } from '../fragment.js';
import { addHoldersOfIds } from './add-holders-of-ids.js';
import { JudgedGroup } from './judge-group.js';
import type { Delivery, Uncounted } from './judge-place.js';
import { keepUncounted } from './keep-uncounted.js';
import { listDeliveries } from './list-deliveries.js';
import type { Corrections } from './list-suspects.js';
import { readDeliveries } from './read-deliveries.js';

/** How many are stored at once. */
const rowsAtOnce = 5_000;

/**
 * Decides which deliveries of a record count (design 4.6, 4.8). The deliveries are taken in the order of receipt; each
 * is compared with one that counts, of an earlier file of the same source (`judge-place.ts`):
 *
 * - without such a record it counts; so does a SUCCESS record after a FAILED one, which is its repeat;
 * - with `supersede`, or where the source says `corrections: replace`, it counts and the former does not;
 * - with `keep-both`, or where the source says `corrections: add`, both count;
 * - else it waits for a decision and takes no part in any sum.
 *
 * A record that was replaced, and that a later file brings again without what replaced it, is judged once more, as if
 * that file brought it for the first time (`returned-deliveries.ts`).
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
  await tx`create temp table uncounted_deliveries (file_id integer, line integer, reason text, other_file_id integer,
    other_line integer) on commit drop`;
  await judgeAll(tx);
  await keepUncounted(tx, settings.runId);
  await tx`create unique index on pg_temp.uncounted_deliveries (file_id, line)`;
  await tx`analyze uncounted_deliveries`;
  return storeChanges(tx, settings.runId);
}

/**
 * Fills `uncounted_deliveries`. The deliveries are judged here and not by statements, which took 20 ms for each place
 * of a record that was delivered 150 times.
 */
async function judgeAll(tx: Tx): Promise<void> {
  let uncounted: Uncounted[] = [];
  const finish = async (judged: JudgedGroup, limit: number) => {
    for (const each of judged.finish()) uncounted.push(each);
    if (uncounted.length < limit) return;
    await storeUncounted(tx, uncounted);
    uncounted = [];
  };
  let group = 0;
  let judged = new JudgedGroup();
  for await (const place of inPlaces(readDeliveries(tx))) {
    const [first] = place;
    if (first !== undefined && first.group !== group) {
      await finish(judged, rowsAtOnce);
      group = first.group;
      judged = new JudgedGroup();
    }
    judged.add(place);
  }
  await finish(judged, 1);
}

async function* inPlaces(deliveries: AsyncIterable<Delivery>): AsyncGenerator<readonly Delivery[]> {
  let place: Delivery[] = [];
  for await (const each of deliveries) {
    const [first] = place;
    if (first !== undefined && (first.group !== each.group || first.place !== each.place)) {
      yield place;
      place = [];
    }
    place.push(each);
  }
  if (place.length > 0) yield place;
}

async function storeUncounted(tx: Tx, uncounted: readonly Uncounted[]): Promise<void> {
  const column = (pick: (each: Uncounted) => string | number) => textArray(tx, uncounted.map(pick));
  await tx`
    insert into uncounted_deliveries
    select * from unnest(${column(({ delivery }) => delivery.fileId)}::integer[],
      ${column(({ delivery }) => delivery.line)}::integer[], ${column(({ reason }) => reason)},
      ${column(({ other }) => other.fileId)}::integer[], ${column(({ other }) => other.line)}::integer[])`;
}

async function storeChanges(tx: Tx, runId: RunId): Promise<boolean> {
  await tx`create temp table new_judgements on commit drop as
    select d.file_id, d.line, j.reason is null as counts, j.reason, j.other_file_id, j.other_line
    from deliveries d
    left join uncounted_deliveries j on j.file_id = d.file_id and j.line = d.line
    left join uncounted_records u on u.file_id = d.file_id and u.line = d.line
    where (j.reason, j.other_file_id, j.other_line) is distinct from (u.reason::text, u.other_file_id, u.other_line)`;
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
