import { chooseOfFamilies, type FamilyCircumstances } from './choose-of-families.js';
import { onCopiedPayments, paymentsUnderReview } from './copies-from-shards.js';
import { onCopiedFamilies } from './copies-of-families.js';
import type { Fragment, Tx } from './fragment.js';
import { bookedTypes, typeFits, typeOfFound } from './type-fit.js';
import { withoutTableScans } from '../db/without-table-scans.js';

/**
 * The families of payments (design 4.4): for each of the given ones, its ancestors and descendants by
 * `referenced_payment_id`, at any depth, and the payment itself. Siblings do not belong to it. `union` drops what was
 * reached before, so circular references end. Each step is one look-up per payment: without `offset 0` the planner
 * would read all payments in every round. Selects `start_key` and `payment_key`.
 *
 * @param starts a select of `start_key` and `key`; payments with the same `start_key` are one start
 */
export function familiesOf(tx: Tx, starts: Fragment): Fragment {
  return tx`
    with recursive starts as (${starts}),
    ancestors (start_key, payment_key) as (
      select start_key, key from starts
      union
      select a.start_key, parent.key from ancestors a
      cross join lateral (select p.referenced_payment_id from payments p where p.key = a.payment_key offset 0) child
      cross join lateral (select p.key from payments p where p.id = child.referenced_payment_id offset 0) parent
    ),
    descendants (start_key, payment_key) as (
      select start_key, key from starts
      union
      select d.start_key, child.key from descendants d
      cross join lateral (select p.id from payments p where p.key = d.payment_key offset 0) parent
      cross join lateral (select p.key from payments p where p.referenced_payment_id = parent.id offset 0) child
    )
    select start_key, payment_key from ancestors union select start_key, payment_key from descendants`;
}

/**
 * Where all payments that a key found are of a type that does not fit, replaces them by those of their families whose
 * type fits: a refund that names its debit belongs to the refund. Without such a member the hits stay as they are.
 *
 * Where narrowing leaves too many of them to a record, its hits stay as well (`choose-of-families.ts`), except those of
 * a chargeback or a reversal ({@link dropCrowdedBookings}).
 *
 * Reads `review_records`; changes `new_matches` and `key_hits`; makes `crowded_families`.
 */
export async function followReferences(tx: Tx, circumstances: FamilyCircumstances): Promise<void> {
  await tx`create temp table crowded_families (file_id integer, line integer) on commit drop`;
  await tx`create temp table misfits (file_id integer, line integer, matched_by matched_by, payment_key bigint)
    on commit drop`;
  await onCopiedPayments(tx, paymentsUnderReview(tx), async () => {
    await tx`insert into misfits
    select n.file_id, n.line, n.matched_by, n.payment_key from new_matches n
    join review_records r on r.file_id = n.file_id and r.line = n.line
    where n.needs_review and not n.pinned and n.matched_by = 'UNIQUE_ID' and not ${typeFits(tx, typeOfFound(tx))}
    union all
    select file_id, line, matched_by, payment_key from (
      select h.*, bool_or(h.fits_type) over (partition by h.file_id, h.line) as any_fits from key_hits h
    ) hits where not any_fits`;
  });
  const [any] = await tx`select from misfits limit 1`;
  if (any === undefined) return;
  await tx`analyze misfits`;
  await onCopiedFamilies(tx, tx`select payment_key from misfits`, () => findFamilies(tx, circumstances));
  await tx`analyze family_hits`;
  await tx`delete from key_hits h using (select distinct file_id, line from family_hits) f
    where f.file_id = h.file_id and f.line = h.line`;
  await tx`insert into key_hits
    (file_id, line, matched_by, payment_key, fits_type, succeeded, same_amount, through_reference)
    select file_id, line, matched_by, payment_key, fits_type, succeeded, same_amount, true from family_hits`;
  await dropCrowdedBookings(tx);
}

/**
 * Leaves a chargeback or a reversal whose family has too many fitting members without a payment. It would be booked on
 * the authorisation that it names, and with fewer captures it would be booked on one of these, or on none.
 */
async function dropCrowdedBookings(tx: Tx): Promise<void> {
  const [any] = await tx`select from crowded_families limit 1`;
  if (any === undefined) return;
  await tx`analyze crowded_families`;
  const { count } = await tx`
    update new_matches n set status = 'NOT_MATCHED', matched_by = null, payment_key = null
    from (select distinct file_id, line from crowded_families) f
    where n.file_id = f.file_id and n.line = f.line and n.needs_review
      and n.reconciliation_type in ${tx([...bookedTypes])}`;
  if (count === 0) return;
  await tx`delete from key_hits h using crowded_families f, new_matches n
    where h.file_id = f.file_id and h.line = f.line and n.file_id = f.file_id and n.line = f.line
      and n.needs_review and n.reconciliation_type in ${tx([...bookedTypes])}`;
}

/**
 * Makes `family_tree`: the payments of all families together, each once, with the payment that it refers to. For each
 * start apart, a chain of 3,000 payments that all have such a record was 9,000,000 rows.
 */
async function listFamilyTree(tx: Tx): Promise<void> {
  await tx`create temp table family_tree (key bigint, parent_key bigint, payment_type text) on commit drop`;
  await tx`insert into family_tree
    select t.payment_key, parent.key, own.payment_type
    from (${familiesOf(tx, tx`select distinct 0::bigint as start_key, payment_key as key from misfits`)}) t
    cross join lateral (
      select p.payment_type, p.referenced_payment_id from payments p where p.key = t.payment_key offset 0) own
    left join lateral (select p.key from payments p where p.id = own.referenced_payment_id offset 0) parent on true`;
  await tx`create index on pg_temp.family_tree (key)`;
  await tx`create index on pg_temp.family_tree (parent_key)`;
  await tx`analyze family_tree`;
}

/**
 * Makes `families`: for each start, the members of its family ({@link familiesOf}) whose type fits one of the records.
 * It begins with these members, which are few or none, and not with the starts.
 */
async function listFamilies(tx: Tx): Promise<void> {
  await tx`create temp table families (start_key bigint, payment_key bigint) on commit drop`;
  await tx`insert into families
    with recursive kinds as (
      select distinct r.reconciliation_type, r.payment_type from misfits m
      cross join lateral (select r.reconciliation_type, r.payment_type from review_records r
        where r.file_id = m.file_id and r.line = m.line offset 0) r),
    fitting as (
      select p.key from family_tree p where exists (select from kinds r where ${typeFits(tx)})),
    upwards (payment_key, key) as (
      select key, key from fitting
      union
      select u.payment_key, t.parent_key from upwards u
      cross join lateral (select t.parent_key from family_tree t where t.key = u.key offset 0) t
      where t.parent_key is not null
    ),
    downwards (payment_key, key) as (
      select key, key from fitting
      union
      select d.payment_key, t.key from downwards d
      cross join lateral (select t.key from family_tree t where t.parent_key = d.key offset 0) t
    )
    select m.key, m.payment_key from (select * from upwards union select * from downwards) m
    where m.key in (select payment_key from misfits)`;
  await tx`create index on pg_temp.families (start_key)`;
}

/** Makes `family_hits`: the payments of the families whose type fits, as far as narrowing may leave them. */
async function findFamilies(tx: Tx, circumstances: FamilyCircumstances): Promise<void> {
  // Where nearly all payments refer to one, the planner expects each look-up to find them all, and reads the table.
  await withoutTableScans(tx, async () => {
    await listFamilyTree(tx);
    await listFamilies(tx);
  });
  await tx`analyze families`;
  await chooseOfFamilies(tx, circumstances);
}
