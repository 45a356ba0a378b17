import type { Fragment, Reader } from '../db/client.js';

/** How many days the settlement date and the day of the payment may be apart. */
const withinDays = 10;

/**
 * Pairs of items that probably belong together (design 4.9): a settled record that matched nothing, and a payment
 * without a settlement, of the same merchant account, currency and amount, at most ten days apart, and neither has
 * another such partner. A fragment that selects `id` and `other`, the ids of both items, in both directions. A record
 * is only proposed for a payment whose type fits it: a refund cannot be the settlement of a debit.
 *
 * It is one pass over the sorted items and no join of records with payments: for a shop that sells everything at one
 * price, 100,000 of either side would give 10,000,000,000 pairs. Each item counts its possible partners in a window;
 * the number of the only one is the sum of their numbers. Both sides are joined by a full join, which the server never
 * makes a nested loop, although it expects few partners.
 *
 * @param items a set with the columns of `itemRows`
 */
export function suggestedLinks(sql: Reader, items: Fragment): Fragment {
  return sql`
    with paired as materialized (select * from (${partners(sql, items)}) p where partners = 1)
    select a.id, b.id as other
    from paired a full join paired b on b.n = a.partner
    where coalesce(a.id is not null and b.id is not null, false)`;
}

function partners(sql: Reader, items: Fragment): Fragment {
  const partner = (side: Fragment) => sql`filter (where ${side}) over near`;
  return sql`
    select id, n,
      case when is_record then count(*) ${partner(sql`not is_record`)}
        else count(*) ${partner(sql`is_record`)} end as partners,
      (case when is_record then sum(n) ${partner(sql`not is_record`)}
        else sum(n) ${partner(sql`is_record`)} end)::bigint as partner
    from (
      select i.id, i.code = 'NOT_MATCHED' as is_record, i.merchant_account_id, i.currency, i.amount_minor,
        ${settledType(sql)} as settled_type, i.date - date '2000-01-01' as day, row_number() over () as n
      from ${items} i
      where i.code in ('NOT_MATCHED', 'MISSING_SETTLEMENT') and ${settledType(sql)} is not null
    ) i
    window near as (partition by merchant_account_id, currency, amount_minor, settled_type order by day
      range between ${withinDays}::int preceding and ${withinDays}::int following)`;
}

/** What is settled: the same word for a record and for a payment whose type fits it; null for any other record. */
function settledType(sql: Reader): Fragment {
  return sql`(case
    when i.code = 'NOT_MATCHED' and i.reconciliation_type = 'SETTLED' then i.payment_type
    when i.code <> 'MISSING_SETTLEMENT' then null
    when i.payment_type in ('DB', 'CP') then 'DEBIT'
    when i.payment_type = 'CD' then 'CREDIT'
    when i.payment_type = 'RF' then 'REFUND' end)`;
}
