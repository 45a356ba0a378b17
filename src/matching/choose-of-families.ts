import type { Fragment, Tx } from './fragment.js';
import { dropUnlinked } from './manual-links/apply-manual-links.js';
import { fittingTypesOf } from './type-fit.js';

/** What decides which payments of the families are left to a record. */
export interface FamilyCircumstances {
  /** Whether there are `manual_links`. */
  readonly hasManualLinks: boolean;
  /** Of more payments than this, none is identified. */
  readonly limit: number;
}

/**
 * Makes `family_hits`: the payments of the families that narrowing, without the step that asks for room, leaves to each
 * of the misfits. Lists in `crowded_families` the records that it would leave with more payments than the limit: they
 * get none, since n records that name a payment with n such refunds would have n × n candidates. 1,000 records and
 * 1,000 refunds took 16 s, and four times as long with twice as many.
 *
 * Records that name the same payments share one set of members, and these are counted before any record is joined with
 * them, because a thousand records may name one authorisation, each for another of its captures.
 *
 * Reads `misfits`, `families` and `review_records`.
 */
export async function chooseOfFamilies(tx: Tx, circumstances: FamilyCircumstances): Promise<void> {
  await listMisfitRecords(tx);
  await listFittingMembers(tx);
  await countFittingMembers(tx);
  await listChoices(tx, circumstances.hasManualLinks);
  await tx`insert into crowded_families
    select file_id, line from family_choices where found > ${circumstances.limit}::integer`;
  await tx`create temp table family_hits (file_id integer, line integer, matched_by matched_by, payment_key bigint,
    fits_type boolean, succeeded boolean, same_amount boolean) on commit drop`;
  await insertHits(tx, circumstances.limit);
  if (circumstances.hasManualLinks) await dropUnlinked(tx, 'family_hits');
}

/** Makes `misfit_records`: the records whose families have a fitting member, each with the number of its set. */
async function listMisfitRecords(tx: Tx): Promise<void> {
  await tx`create temp table misfit_records on commit drop as
    select m.file_id, m.line, m.matched_by, r.amount_minor, r.currency, m.named, ${fittingTypesOf(tx)} as types,
      dense_rank() over (order by m.named, ${fittingTypesOf(tx)}) as set_id
    from (
      select file_id, line, matched_by, array_agg(payment_key order by payment_key) as named
      from misfits where payment_key in (select start_key from families) group by 1, 2, 3) m
    join review_records r on r.file_id = m.file_id and r.line = m.line`;
  await tx`analyze misfit_records`;
}

/** Makes `fitting_members`: the members of each set whose type fits. */
async function listFittingMembers(tx: Tx): Promise<void> {
  await tx`create temp table fitting_members on commit drop as
    select s.set_id, s.payment_key, p.outcome = 'SUCCESS' as succeeded, p.amount_minor, p.currency
    from (
      select distinct s.set_id, s.types, f.payment_key
      from (select distinct set_id, named, types from misfit_records) s
      cross join unnest(s.named) named (key)
      cross join lateral (select f.payment_key from families f where f.start_key = named.key offset 0) f) s
    cross join lateral (select p.* from payments p where p.key = s.payment_key offset 0) p
    where p.payment_type = any (s.types)`;
  await tx`create index on pg_temp.fitting_members (set_id, succeeded, amount_minor, currency)`;
  await tx`analyze fitting_members`;
}

/** Makes `fitting_counts`: how many these are by success, and of those how many of each amount; without one, of all. */
async function countFittingMembers(tx: Tx): Promise<void> {
  await tx`create temp table fitting_counts on commit drop as
    select set_id, succeeded, amount_minor, currency, count(*) as found from fitting_members
    group by grouping sets ((set_id, succeeded), (set_id, succeeded, amount_minor, currency))`;
  await tx`create index on pg_temp.fitting_counts (set_id, amount_minor, currency)`;
  await tx`analyze fitting_counts`;
}

/** Makes `family_choices`: which members are left to each record, and how many. Unlinked ones are left out. */
async function listChoices(tx: Tx, hasManualLinks: boolean): Promise<void> {
  const left = hasManualLinks
    ? tx`c.found - (select count(*) from manual_links d
        cross join lateral (select m.succeeded, m.amount_minor, m.currency from fitting_members m
          where m.set_id = r.set_id and m.payment_key = d.payment_key) m
        where d.kind = 'unlink' and d.file_id = r.file_id and d.line = r.line and m.succeeded = c.succeeded
          and (not c.same_amount or (m.amount_minor = r.amount_minor and m.currency = r.currency)))`
    : tx`c.found`;
  const counted = (sameAmount: boolean, condition: Fragment): Fragment => tx`
    select c.succeeded, ${sameAmount}::boolean as same_amount, c.found from fitting_counts c
    where c.set_id = r.set_id and ${condition}`;
  await tx`create temp table family_choices on commit drop as
    select r.file_id, r.line, r.matched_by, r.set_id, r.amount_minor, r.currency, c.succeeded, c.same_amount, c.found
    from misfit_records r
    cross join lateral (
      select c.succeeded, c.same_amount, c.found from (
        select c.succeeded, c.same_amount, ${left} as found from (
          ${counted(true, tx`c.amount_minor = r.amount_minor and c.currency = r.currency`)}
          union all
          ${counted(false, tx`c.amount_minor is null`)}
          offset 0) c) c
      where c.found > 0
      order by c.succeeded desc, c.same_amount desc limit 1) c`;
  await tx`analyze family_choices`;
}

/** Joins the records that are left with few enough payments with these. */
async function insertHits(tx: Tx, limit: number): Promise<void> {
  const chosen = (condition: Fragment, ofMember: Fragment): Fragment => tx`
    select c.file_id, c.line, c.matched_by, m.payment_key, true, c.succeeded, c.same_amount
    from family_choices c
    cross join lateral (select m.payment_key from fitting_members m
      where m.set_id = c.set_id and m.succeeded = c.succeeded ${ofMember} offset 0) m
    where c.found <= ${limit}::integer and ${condition}`;
  await tx`insert into family_hits
    ${chosen(tx`c.same_amount`, tx`and m.amount_minor = c.amount_minor and m.currency = c.currency`)}
    union all
    ${chosen(tx`not c.same_amount`, tx``)}`;
}

/** Why record `r` got none of the payments of a family, if there were too many of them, as a sentence; else empty. */
export function crowdedFamilySentence(tx: Tx): Fragment {
  return tx`case when (r.file_id, r.line) in (select file_id, line from crowded_families)
    then ' Payments of the same family are not used, because too many of them fit equally well.' else '' end`;
}
