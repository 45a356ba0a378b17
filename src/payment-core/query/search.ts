import type { Fragment } from '../../db/client.js';
import type { Caller, CoreContext } from '../core/core-context.js';
import { ofEntities } from '../core/of-entities.js';
import type { ParameterValues } from '../fields/parameters.js';

/** Which payments a query wants, on whichever page. */
export interface Search {
  /** Conditions on the payment `p` alone. */
  readonly ofPayments: Fragment;
  /** The only entity whose payments are wanted; undefined if there are several, or none is named. */
  readonly entityId: string | undefined;
  /** Undefined for all. */
  readonly paymentTypes: readonly string[] | undefined;
  /** Undefined for all, those without a method too. */
  readonly paymentMethods: readonly string[] | undefined;
  /** Whether an identifier is given, which few payments have. */
  readonly hasIdentifier: boolean;
}

/** @param which `id`: only the payment with this id */
export function readSearch(
  { sql }: CoreContext,
  request: ParameterValues,
  which: { readonly caller: Caller; readonly id: string | undefined },
): Search {
  const { caller, id } = which;
  const { merchantTransactionId: reference, shortId, entityId } = request;
  const from = request['date.from'];
  const to = request['date.to'];
  const types = listed(request['paymentTypes']);
  // The index of an entity's payments has the condition `key > 0`.
  const ofPayments = sql`p.key > 0 and ${ofEntities(sql, 'p.entity_id', caller.entityIds)}
      ${id === undefined ? sql`` : sql`and p.id = ${id}`}
      ${reference === undefined ? sql`` : sql`and p.merchant_transaction_id = ${reference}`}
      ${shortId === undefined ? sql`` : sql`and p.short_id = ${shortId}`}
      ${entityId === undefined ? sql`` : sql`and p.entity_id = ${entityId}`}
      ${from === undefined ? sql`` : sql`and p.requested_at >= ${`${from}+00`}::text::timestamptz`}
      ${to === undefined ? sql`` : sql`and p.requested_at < ${`${to}+00`}::text::timestamptz + interval '1 second'`}
      ${types === undefined ? sql`` : sql`and p.payment_type in ${sql(types)}`}`;
  const [only, ...others] = caller.entityIds ?? [];
  return {
    ofPayments,
    entityId: entityId ?? (others.length === 0 ? only : undefined),
    paymentTypes: types,
    paymentMethods: listed(request['paymentMethods']),
    hasIdentifier: [id, reference, shortId].some((given) => given !== undefined),
  };
}

function listed(given: string | undefined): readonly string[] | undefined {
  return given === undefined ? undefined : [...new Set(given.split(',').map((code) => code.trim()))];
}

/** The condition that the details `d` have one of the wanted methods, in this environment. */
export function hasMethod({ sql, environment }: CoreContext, { paymentMethods }: Search): Fragment {
  return paymentMethods === undefined
    ? sql`true`
    : sql`d.environment = ${environment} and d.payment_method in ${sql(paymentMethods)}`;
}

/** Of so many payments of a method, each can be looked up in the time that a page takes. */
const fewOfMethod = 10_000;

/**
 * The first common table expression of a statement: `few` has the payments of the wanted methods, and one more than
 * {@link fewOfMethod} if there are more. Which side of a join is the smaller one, the planner would have to know: with
 * old statistics it read all details of a method for each payment of a day.
 */
export function paymentsOfMethods(context: CoreContext, search: Search): Fragment {
  return context.sql`few as materialized (
      select d.payment_key from payment_details d where ${hasMethod(context, search)} limit ${fewOfMethod + 1}::integer)`;
}

/** The condition that `few` has all payments of the wanted methods. */
export function areFew({ sql }: CoreContext): Fragment {
  return sql`(select count(*) <= ${fewOfMethod}::integer from few)`;
}

/** The condition that the details `d` are of the other environment, which most databases do not have. */
export function isElsewhere({ sql, environment }: CoreContext): Fragment {
  // One of two constants. With a parameter, the planner would not know that it is rare.
  return sql.unsafe(environment === 'test' ? `d.environment = 'live'` : `d.environment = 'test'`);
}

/**
 * The condition that there are payments of the other environment. It asks for the last of them, and not for any: the
 * planner would find any by reading the table, and read all of it if there are none.
 */
export function hasOthers(context: CoreContext): Fragment {
  return context.sql`(select d.payment_key from payment_details d where ${isElsewhere(context)}
        order by d.payment_method desc, d.payment_key desc limit 1) is not null`;
}
