import type { Fragment, Tx } from './fragment.js';
import { identifierNames, identifiers, isCandidate, type Identifier } from './matching-keys.js';

/**
 * A value that more than `maxPaymentsPerKey` payments have is a placeholder and identifies none of them: its records
 * are looked up by their next value. Otherwise each record of a sender that writes the same text into every ShortId
 * would have each payment with that text as a candidate, and a run would cost the product of both: 900 records and 900
 * payments took 22 s. A payment that has the same amount by chance would also be taken for the right one.
 *
 * Whether a value is one depends on the stored payments alone, and not on an order.
 */

/**
 * The payments `p` that a query finds, in parentheses; of more than the limit, only one, which weighs more than the
 * limit. The query is not read beyond it.
 */
export function unlessCrowded(tx: Tx, payments: Fragment, limit: number): Fragment {
  const crowded = tx`p.found > ${limit}::integer`;
  return tx`(select p.*, case when ${crowded} then p.found else 1 end as weight from (
      select p.*, count(*) over () as found, row_number() over () as number
      from (${payments} limit ${limit + 1}::integer) p) p
    where not ${crowded} or p.number = 1)`;
}

/**
 * Of the values in a table with `identifier` and `value`, those that more than the limit of some payments `p` have.
 *
 * @param condition over `p`
 */
export function placeholdersAmong(tx: Tx, table: string, condition: Fragment, limit: number): Fragment {
  return identifiers
    .map((identifier) => {
      const payments = tx`select p.key from payments p
        where p.${tx(identifier)} = c.value and ${isCandidate(tx)} and ${condition}`;
      return tx`select c.identifier, c.value from ${tx(table)} c
        cross join lateral ${unlessCrowded(tx, payments, limit)} p
        where c.identifier = ${identifier} and p.weight > 1`;
    })
    .reduce((all, more) => tx`${all} union all ${more}`);
}

/** Removes the payments of such values from `found_payments`, and lists the values in `crowded_values`. */
export async function dropCrowded(tx: Tx, limit: number): Promise<void> {
  const { count } = await tx`insert into crowded_values
    select identifier, value, file_id, line from found_payments
    group by identifier, value, file_id, line having sum(weight) > ${limit}::integer`;
  if (count === 0) return;
  await tx`delete from found_payments p
    where (p.identifier, p.value) in (select identifier, value from crowded_values)
      or (p.file_id, p.line) in (select file_id, line from crowded_values)`;
}

/**
 * Which values of record `r` identify no payment for this reason, as a sentence; else empty. A value is named only if
 * the record was looked up by it: which others were depends on the rest of the matching.
 */
export function crowdedSentence(tx: Tx): Fragment {
  // The server would compare a missing value with each of the list.
  const names = identifiers.map(
    (identifier) => tx`case when r.${tx(identifier)} is not null and (${identifier}, r.${tx(identifier)}) in (
      select identifier, value from crowded_values where identifier is not null)
      and ${wasLookedUpBy(tx, identifier)} then ${identifierNames[identifier]}::text end`,
  );
  const all = names.reduce((list, name) => tx`${list}, ${name}`);
  return tx`coalesce(' Not used, because too many payments have the same value: '
      || nullif(concat_ws(', ', ${all}, case when (r.file_id, r.line) in (
        select file_id, line from crowded_values where file_id is not null) then 'account, amount and time' end), '')
      || '.', '')`;
}

/** Whether no stronger key had found a payment for record `r`. */
function wasLookedUpBy(tx: Tx, identifier: Identifier): Fragment {
  const stronger =
    identifier === 'short_id'
      ? tx``
      : tx`
        and not exists (select from decided_records d
          where d.file_id = r.file_id and d.line = r.line and d.matched_by = 'SHORT_ID')`;
  return tx`exists (select from undecided_records u where u.file_id = r.file_id and u.line = r.line) ${stronger}`;
}
