import type { CoreContext } from '../core/core-context.js';
import { isOfEnvironment } from '../stored-payments/find-stored-payment.js';
import { areFew, hasMethod, hasOthers, isElsewhere, paymentsOfMethods, type Search } from './search.js';

/**
 * How many payments are wanted.
 *
 * Whether a payment belongs to this environment is stored in its details, and to look at those of every payment took
 * ten times as long. So all payments are counted, in the index if possible, and then those of the other environment,
 * which most databases do not have. Whether there are any is asked first: before the first ANALYZE of a restored
 * database, the server would look at the details of every payment.
 */
export async function countPayments(context: CoreContext, search: Search): Promise<number> {
  const { sql } = context;
  const { ofPayments, paymentMethods } = search;
  const [counted] =
    paymentMethods === undefined
      ? await sql<{ total: string }[]>`
    select ((select count(*) from payments p where ${ofPayments})
      - (select count(*) from payments p join payment_details d on d.payment_key = p.key
        where ${hasOthers(context)} and ${ofPayments} and ${isElsewhere(context)})
      - (select count(*) from payments p left join payment_details d on d.payment_key = p.key
        where ${hasOthers(context)}
          and ${ofPayments} and p.payment_type in ('CB', 'CR') and d.payment_key is null
          and not ${isOfEnvironment(sql, context)}))::text as total`
      : await sql<{ total: string }[]>`
    with ${paymentsOfMethods(context, search)}
    select count(*)::text as total from (
      select p.key from few
      cross join lateral (select * from payments where payments.key = few.payment_key offset 0) p
      where ${areFew(context)} and ${ofPayments}
      union all
      -- Both are read once, whatever the planner expects.
      (select p.key from payments p where not ${areFew(context)} and ${ofPayments}
        intersect
        select d.payment_key from payment_details d where not ${areFew(context)} and ${hasMethod(context, search)})) found`;
  return Number(counted?.total ?? '0');
}
