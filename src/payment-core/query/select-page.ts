import type { Fragment } from '../../db/client.js';
import type { CoreContext } from '../core/core-context.js';
import { storedPaymentTypes } from '../fields/catalogue/core-fields.js';
import { isOfEnvironment } from '../stored-payments/find-stored-payment.js';
import type { StoredPayment } from '../stored-payments/payment-content.js';
import { readPayment, selectPayment, type PaymentTextRow } from '../stored-payments/payment-document.js';
import { areFew, hasMethod, hasOthers, paymentsOfMethods, type Search } from './search.js';

/** Which of the wanted payments, the one stored last first. */
interface Range {
  /** Only those that were stored before the one with this key. */
  readonly before?: string | undefined;
  /** Only those from this key on, and up to the key `to`. */
  readonly from?: string;
  readonly to?: string;
  /** How many are left out first. */
  readonly skipped?: number;
  readonly most: number;
}

/** How many payments beyond those of the page are read one after the other, in search of those that are wanted. */
const mostPassedOver = 500;

/**
 * The payments of a page, the one that was stored last first.
 *
 * The newest payments of an entity are read in their order, until the page is full. That is all for most queries. But
 * if hardly any payment is wanted, such as those of old days or of a method that the entity never used, all of the
 * entity would be read. So after {@link mostPassedOver} of them, the server finds all that are wanted in the way that
 * it expects to be the shortest, and sorts them. In one statement with a limit, it would expect wanted payments to be
 * everywhere, and always read in order.
 */
export async function selectPage(
  context: CoreContext,
  search: Search,
  range: Range,
): Promise<StoredPayment[]> {
  const { sql } = context;
  const { skipped = 0, most } = range;
  const last = skipped + most;
  const isFull = sql`(select count(*) = ${last}::bigint from newest)`;
  const found = await sql<PaymentTextRow[]>`
    with ${search.paymentMethods === undefined ? sql`` : sql`${paymentsOfMethods(context, search)},`}
    newest as materialized (
      -- An identifier finds few payments.
      ${search.hasIdentifier ? sql`select 0::bigint as key where false` : wantedOf(context, search, last, newestPayments(context, search, range))}),
    every as materialized (
      ${everyWanted(context, search, sql`not ${isFull} and ${search.ofPayments} and ${isInRange(sql, range)}`)}),
    -- Without documents, which the server would also make for the payments of the pages before.
    page as (
      select key from (
        select key from newest where ${isFull}
        union all
        (${wantedOf(context, search, last, sql`select * from every order by key desc offset 0`)})) found
      order by key desc limit ${most}::bigint offset ${skipped}::bigint)
    select ${selectPayment(sql)}
    from page cross join lateral (select * from payments where payments.key = page.key offset 0) p
    left join lateral (select * from payment_details where payment_key = p.key offset 0) d on true
    order by p.key desc`;
  return found.map(readPayment);
}

/**
 * A query of all payments that may be wanted. Of a method that few payments have, these are looked up; of another one,
 * the details are looked up afterwards, in the order of the page and until it is full.
 *
 * @param condition begins with what spares counting the method
 */
function everyWanted(context: CoreContext, { paymentMethods }: Search, condition: Fragment): Fragment {
  const { sql } = context;
  const columns = columnsOfChoice(sql);
  if (paymentMethods === undefined) return sql`select ${columns} from payments p where ${condition}`;
  return sql`select ${columns} from payments p where ${condition} and not ${areFew(context)}
        union all
        select ${columns} from few
        cross join lateral (select * from payments where payments.key = few.payment_key offset 0) p
        where ${condition} and ${areFew(context)}`;
}

/** What the conditions of a search need of a payment. */
function columnsOfChoice(sql: CoreContext['sql']): Fragment {
  return sql`p.key, p.id, p.entity_id, p.payment_type, p.requested_at, p.merchant_transaction_id, p.short_id,
        p.referenced_payment_id`;
}

/** A query of the payments that were stored last, in this order: enough for most pages. */
function newestPayments({ sql }: CoreContext, { entityId, paymentTypes }: Search, range: Range): Fragment {
  const limit = (range.skipped ?? 0) + range.most + mostPassedOver;
  const newestOf = (condition: Fragment) => sql`
        (select ${columnsOfChoice(sql)} from payments p where p.key > 0 and ${condition} and ${isInRange(sql, range)}
        order by p.key desc limit ${limit}::bigint)`;
  if (entityId === undefined) return newestOf(sql`true`);
  // The index has each type of payment of an entity in the order of keys, and the server merges the types. A request
  // may name any number of other types, which no payment has.
  const types = storedPaymentTypes
    .filter((type) => paymentTypes?.includes(type) !== false)
    .map((type) => newestOf(sql`p.entity_id = ${entityId} and p.payment_type = ${type}`));
  if (types.length === 0) return newestOf(sql`false`);
  return sql`select * from (${types.reduce((all, more) => sql`${all} union all ${more}`)}) p
        order by key desc limit ${limit}::bigint`;
}

/** A query of the keys of those payments that are wanted, in the order of these payments. */
function wantedOf(context: CoreContext, search: Search, limit: number, payments: Fragment): Fragment {
  const { sql } = context;
  // Details say which payments have a method, and which belong to another environment, if there is one.
  const areNeeded = search.paymentMethods === undefined ? hasOthers(context) : sql`true`;
  return sql`
      select p.key from (${payments}) p
      -- Looked up for each. The planner cannot know how few a page reads, and read the details of all payments.
      left join lateral (select * from payment_details d where ${areNeeded} and d.payment_key = p.key offset 0) d on true
      where ${search.ofPayments} and ${hasMethod(context, search)} and ${isOfEnvironment(sql, context)}
      order by p.key desc limit ${limit}::bigint`;
}

function isInRange(sql: CoreContext['sql'], { before, from, to }: Range): Fragment {
  const conditions = [
    ...(before === undefined ? [] : [sql`p.key < ${before}::text::bigint`]),
    ...(from === undefined ? [] : [sql`p.key <= ${from}::text::bigint`]),
    ...(to === undefined ? [] : [sql`p.key >= ${to}::text::bigint`]),
  ];
  return conditions.reduce((all, more) => sql`${all} and ${more}`, sql`true`);
}
