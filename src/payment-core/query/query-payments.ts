import type { Caller, CoreContext } from '../core/core-context.js';
import type { Parameters } from '../fields/parameters.js';
import { checkRequest } from '../core/check-request.js';
import { pageNoViolation, pageViolation, readPageNo } from '../validation/page-parameters.js';
import { unknownOptions, type OptionNames } from '../core/option-names.js';
import { receiveId } from '../core/receive.js';
import { reading } from '../core/transactions.js';
import { respondWithPayment } from '../stored-payments/respond-with-payment.js';
import { readPayment, selectPayment, type PaymentRow } from '../stored-payments/payment-document.js';
import type { StoredPayment } from '../stored-payments/payment-content.js';
import { isVisible } from '../stored-payments/find-stored-payment.js';
import type { ErrorResponse, PaymentResponse } from '../responses/response-types.js';
import type { ParameterError } from '../validation/parameter-error.js';
import { answer } from '../responses/stamp-response.js';
import { linkedPayments } from './linked-payments.js';
import type { ReceivedParameters } from '../validation/receive-parameters.js';

/** A page of a query: the payment that was stored last first, whatever its time. */
export interface QueryResponse extends ErrorResponse {
  /** With includeLinkedTransactions=true, the payments linked to those of the page follow at the end. */
  readonly payments?: readonly PaymentResponse[];
  /** The value of `after` for the next page; missing on the last page. */
  readonly next?: string;
  /** How many pages there are now; only if a page was requested by its number. */
  readonly pages?: number;
}

/** Which part of the payments a query returns; the first page without an option. */
export interface QueryPage {
  /** Only the payment with this id. */
  readonly id?: string;
  /** `next` of the previous page. */
  readonly after?: string;
  /** From 1, as a number or its text, instead of `after`. Numbered pages shift when payments are added meanwhile. */
  readonly pageNo?: number | string;
}

const pageOptions: OptionNames<QueryPage> = { id: true, after: true, pageNo: true };

/**
 * Finds payments (catalogue 2.26). Pages do not shift when payments are added meanwhile: the payment
 * that was stored last is listed first, and each page begins where the previous page ended. This is not the order of
 * their times, since an import may store old payments.
 */
export async function queryPayments(
  context: CoreContext,
  received: ReceivedParameters,
  page: ReceivedParameters,
  caller: Caller,
): Promise<QueryResponse> {
  const { place, errors } = readPlace(page);
  const checked = checkRequest(context, received, { kind: 'query', caller, found: errors });
  if (!checked.ok) return checked.response;
  const request = checked.value;
  return reading(async () => {
    const limit = Number(request['limit'] ?? '100');
    const wanted = conditionsOf(context, request, caller, place);
    const found = await selectPage(context, wanted, place, limit);
    const payments = found.slice(0, limit);
    const linked =
      request['includeLinkedTransactions'] === 'true' ? await linkedPayments(context, payments, caller) : [];
    const last = payments.at(-1);
    const pages =
      place.pageNo === undefined ? {} : { pages: Math.ceil((await count(context, wanted)) / limit) };
    return {
      ...answer(context, '000.000.100'),
      payments: [...payments, ...linked].map((payment) => respondWithPayment(context, payment)),
      ...(found.length > limit && last !== undefined ? { next: last.key } : {}),
      ...pages,
    };
  });
}

interface Place {
  readonly id: string | undefined;
  readonly after: string | undefined;
  readonly pageNo: number | undefined;
}

/** The place, and what is wrong with it: with an error, the place is not used. */
function readPlace(options: ReceivedParameters): {
  readonly place: Place;
  readonly errors: readonly ParameterError[];
} {
  const { values, error } = options;
  const { id, after, pageNo } = values;
  const number = readPageNo(pageNo);
  const errors: ParameterError[] = [];
  if (error !== undefined || !(after === undefined || isPlace(after))) {
    errors.push(pageViolation('after', after, 'is not a value of next'));
  }
  if (pageNo !== undefined && number === undefined) errors.push(pageNoViolation(pageNo));
  else if (pageNo !== undefined && after !== undefined) {
    errors.push(pageViolation('pageNo', pageNo, 'cannot be sent with after'));
  }
  errors.push(...unknownOptions(options, pageOptions));
  const place = {
    id: id === undefined ? undefined : receiveId(id),
    after: isPlace(after) ? after : undefined,
    pageNo: number,
  };
  return { place, errors };
}

function isPlace(after: unknown): after is string {
  return typeof after === 'string' && /^\d{1,18}$/.test(after);
}

type Fragment = ReturnType<CoreContext['sql']>;

/** Which payments are wanted, on whichever page. */
function conditionsOf(context: CoreContext, request: Parameters, caller: Caller, { id }: Place): Fragment {
  const { sql } = context;
  const text = (name: string) => request[name] ?? null;
  const list = (name: string) => {
    const given = request[name];
    return given === undefined ? null : JSON.stringify(given.split(',').map((code) => code.trim()));
  };
  const reference = text('merchantTransactionId');
  const shortId = text('shortId');
  const from = text('date.from');
  const to = text('date.to');
  const entityId = text('entityId');
  const types = list('paymentTypes');
  const methods = list('paymentMethods');
  return sql`
    from payments p left join payment_details d on d.payment_key = p.key
    where ${isVisible(sql, context, caller)}
      ${id === undefined ? sql`` : sql`and p.id = ${id}`}
      ${reference === null ? sql`` : sql`and p.merchant_transaction_id = ${reference}`}
      ${shortId === null ? sql`` : sql`and p.short_id = ${shortId}`}
      ${entityId === null ? sql`` : sql`and p.entity_id = ${entityId}`}
      ${from === null ? sql`` : sql`and p.requested_at >= ${`${from}+00`}::text::timestamptz`}
      ${to === null ? sql`` : sql`and p.requested_at < ${`${to}+00`}::text::timestamptz + interval '1 second'`}
      ${types === null ? sql`` : sql`and p.payment_type in (select jsonb_array_elements_text(${types}::text::jsonb) collate "C")`}
      ${methods === null ? sql`` : sql`and d.payment_method in (select jsonb_array_elements_text(${methods}::text::jsonb) collate "C")`}`;
}

/** The payments of a page, and one more if there is a next page. */
async function selectPage(
  { sql }: CoreContext,
  wanted: Fragment,
  { after, pageNo = 1 }: Place,
  limit: number,
): Promise<StoredPayment[]> {
  const found = await sql<PaymentRow[]>`
    select ${selectPayment(sql)} ${wanted}
      ${after === undefined ? sql`` : sql`and p.key < ${after}::text::bigint`}
    order by p.key desc limit ${limit + 1}::int offset ${(pageNo - 1) * limit}::bigint`;
  return found.map(readPayment);
}

async function count({ sql }: CoreContext, wanted: Fragment): Promise<number> {
  const [counted] = await sql<{ total: string }[]>`select count(*)::text as total ${wanted}`;
  return Number(counted?.total ?? '0');
}
