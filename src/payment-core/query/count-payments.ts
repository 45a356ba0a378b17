import type { CoreContext } from '../core/core-context.js';
import { isOfEnvironment } from '../stored-payments/find-stored-payment.js';
import { hasMethod, hasOthers, isElsewhere, type Search } from './search.js';

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
    select count(*)::text as total from payments p join payment_details d on d.payment_key = p.key
    where ${ofPayments} and ${hasMethod(context, search)}`;
  return Number(counted?.total ?? '0');
}
