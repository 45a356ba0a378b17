import type { Caller, CoreContext } from '../core/core-context.js';
import type { Parameters } from '../fields/parameters.js';
import { checkRequest } from '../core/check-request.js';
import { reading } from '../core/transactions.js';
import { respond } from '../payments/process-payment.js';
import {
  isVisible,
  readPayment,
  selectPayment,
  type PaymentRow,
  type StoredPayment,
} from '../payments/stored-payment.js';
import type { ErrorResponse, PaymentResponse } from '../responses/response-types.js';
import type { ParameterError } from '../validation/parameter-error.js';
import { answer, refuse } from '../responses/stamp-response.js';
import { linkedPayments } from './linked-payments.js';
import type { ReceivedParameters } from '../validation/receive-parameters.js';

/** A page of a query, newest first. */
export interface QueryResponse extends ErrorResponse {
  /** With includeLinkedTransactions=true, the payments linked to those of the page follow at the end. */
  readonly payments?: readonly PaymentResponse[];
  /** The value of `after` for the next page; missing on the last page. */
  readonly next?: string;
}

export interface QueryPage {
  /** `next` of the previous page. */
  readonly after?: string;
}

/**
 * Finds payments (catalogue 2.26). Pages do not shift when payments are added meanwhile: payments are listed in the
 * order in which they were stored, newest first, and each page begins where the previous page ended.
 */
export async function queryPayments(
  context: CoreContext,
  received: ReceivedParameters,
  page: ReceivedParameters,
  caller: Caller,
): Promise<QueryResponse> {
  const checked = checkRequest(context, received, { kind: 'query', caller });
  if (!checked.ok) return checked.response;
  const request = checked.value;
  const { after } = page.values;
  if (page.error !== undefined || !isPlace(after)) {
    const error: ParameterError = { name: 'after', value: null, message: 'after is not a value of next' };
    return refuse(context, '200.300.404', [error]);
  }
  return reading(async () => {
    const limit = Number(request['limit'] ?? '100');
    const found = await selectPage(context, request, caller, after, limit + 1);
    const payments = found.slice(0, limit);
    const linked =
      request['includeLinkedTransactions'] === 'true' ? await linkedPayments(context, payments, caller) : [];
    const last = payments.at(-1);
    return {
      ...answer(context, '000.000.100'),
      payments: [...payments, ...linked].map((payment) => respond(context, payment)),
      ...(found.length > limit && last !== undefined ? { next: last.key } : {}),
    };
  });
}

function isPlace(after: unknown): after is string | undefined {
  return after === undefined || (typeof after === 'string' && /^\d{1,18}$/.test(after));
}

async function selectPage(
  context: CoreContext,
  request: Parameters,
  caller: Caller,
  after: string | undefined,
  rows: number,
): Promise<StoredPayment[]> {
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
  const found = await sql<PaymentRow[]>`
    select ${selectPayment(sql)}
    from payments p left join payment_details d on d.payment_key = p.key
    where ${isVisible(sql, context, caller)}
      ${reference === null ? sql`` : sql`and p.merchant_transaction_id = ${reference}`}
      ${shortId === null ? sql`` : sql`and p.short_id = ${shortId}`}
      ${entityId === null ? sql`` : sql`and p.entity_id = ${entityId}`}
      ${from === null ? sql`` : sql`and p.requested_at >= ${`${from}+00`}::text::timestamptz`}
      ${to === null ? sql`` : sql`and p.requested_at < ${`${to}+00`}::text::timestamptz + interval '1 second'`}
      ${types === null ? sql`` : sql`and p.payment_type in (select jsonb_array_elements_text(${types}::text::jsonb) collate "C")`}
      ${methods === null ? sql`` : sql`and d.payment_method in (select jsonb_array_elements_text(${methods}::text::jsonb) collate "C")`}
      ${after === undefined ? sql`` : sql`and p.key < ${after}::text::bigint`}
    order by p.key desc limit ${rows}::int`;
  return found.map(readPayment);
}
