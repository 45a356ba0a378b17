import type { Caller, CoreContext } from '../core/core-context.js';
import { checkRequest } from '../core/check-request.js';
import {
  pageNoViolation,
  pageNoWithAfter,
  pageViolation,
  readPageNo,
} from '../validation/page-parameters.js';
import { unknownOptions, type OptionNames } from '../core/option-names.js';
import { receiveId } from '../core/receive.js';
import { reading } from '../core/transactions.js';
import { respondWithPayment } from '../stored-payments/respond-with-payment.js';
import type { StoredPayment } from '../stored-payments/payment-content.js';
import type { ErrorResponse, PaymentResponse } from '../responses/response-types.js';
import type { ParameterError } from '../validation/parameter-error.js';
import { answer } from '../responses/stamp-response.js';
import { readLinkedCursor, writeLinkedCursor, type LinkedCursor } from './linked-cursor.js';
import { countPayments } from './count-payments.js';
import { linkedPayments, type LinkedPart } from './linked-payments.js';
import { readSearch, type Search } from './search.js';
import { selectPage } from './select-page.js';
import type { ReceivedParameters } from '../validation/receive-parameters.js';

/** A page of a query: the payment that was stored last first, whatever its time. */
export interface QueryResponse extends ErrorResponse {
  /** With includeLinkedTransactions=true, the payments linked to those of the page follow at the end. */
  readonly payments?: readonly PaymentResponse[];
  /** The value of `after` for the next page, or for the rest of the linked payments; missing on the last page. */
  readonly next?: string;
  /**
   * With true, the linked payments of this page are not complete: `next` leads to the rest of them, without the
   * payments of the page, and then to the next page.
   */
  readonly moreLinked?: boolean;
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
  const { place, errors } = readPlace(page, received);
  const checked = checkRequest(context, received, { kind: 'query', caller, found: errors });
  if (!checked.ok) return checked.response;
  const request = checked.value;
  return reading(async () => {
    const limit = Number(request['limit'] ?? '100');
    const search = readSearch(context, request, { caller, id: place.id });
    const { own, next } = await findPage(context, search, place, limit);
    const linked =
      request['includeLinkedTransactions'] === 'true'
        ? await linkedPayments(context, own, caller, place.rest?.linkedKey)
        : { payments: [], hasMore: false };
    const pages =
      place.pageNo === undefined ? {} : { pages: Math.ceil((await countPayments(context, search)) / limit) };
    // The rest of the linked payments comes without the payments of the page, which were returned before.
    const shown = place.rest === undefined ? [...own, ...linked.payments] : linked.payments;
    return {
      ...answer(context, '000.000.100'),
      payments: shown.map((payment) => respondWithPayment(context, payment)),
      ...(linked.hasMore
        ? { next: placeOfRest(own, linked), moreLinked: true }
        : next === undefined
          ? {}
          : { next }),
      ...pages,
    };
  });
}

/** The payments of a page without those that are linked to them. */
interface Page {
  readonly own: readonly StoredPayment[];
  /** Where the next page begins. */
  readonly next: string | undefined;
}

async function findPage(context: CoreContext, search: Search, place: Place, limit: number): Promise<Page> {
  if (place.rest !== undefined) return findPageAgain(context, search, place.rest);
  const { after, pageNo = 1 } = place;
  const found = await selectPage(context, search, {
    before: after,
    skipped: (pageNo - 1) * limit,
    most: limit + 1,
  });
  const own = found.slice(0, limit);
  return { own, next: found.length > limit ? own.at(-1)?.key : undefined };
}

/** The page whose linked payments are continued. */
async function findPageAgain(context: CoreContext, search: Search, rest: LinkedCursor): Promise<Page> {
  const { firstKey, lastKey } = rest;
  const own = await selectPage(context, search, { from: firstKey, to: lastKey, most: mostOwn });
  const following = await selectPage(context, search, { before: lastKey, most: 1 });
  return { own, next: following.length > 0 ? lastKey : undefined };
}

/** The highest `limit` of a request (catalogue 2.26): a cursor that was made up reads no more either. */
const mostOwn = 500;

function placeOfRest(own: readonly StoredPayment[], linked: LinkedPart): string {
  const keyOf = (payment: StoredPayment | undefined) => payment?.key ?? '0';
  return writeLinkedCursor({
    firstKey: keyOf(own[0]),
    lastKey: keyOf(own.at(-1)),
    linkedKey: keyOf(linked.payments.at(-1)),
  });
}

interface Place {
  readonly id: string | undefined;
  /** Before this key. */
  readonly after: string | undefined;
  /** The linked payments of a page from here on. */
  readonly rest: LinkedCursor | undefined;
  readonly pageNo: number | undefined;
}

/** The place, and what is wrong with it: with an error, the place is not used. */
function readPlace(
  options: ReceivedParameters,
  request: ReceivedParameters,
): {
  readonly place: Place;
  readonly errors: readonly ParameterError[];
} {
  const { values, error } = options;
  const { id, after, pageNo } = values;
  const number = readPageNo(pageNo);
  const errors: ParameterError[] = [];
  const rest = readLinkedCursor(after);
  if (error !== undefined || !(after === undefined || rest !== undefined || isPlace(after))) {
    errors.push(pageViolation('after', after, 'is not a value of next'));
  } else if (rest !== undefined && request.values['includeLinkedTransactions'] !== 'true') {
    errors.push(pageViolation('after', after, 'is from a query with includeLinkedTransactions=true'));
  }
  if (pageNo !== undefined && number === undefined) errors.push(pageNoViolation(pageNo));
  else if (pageNo !== undefined && after !== undefined) errors.push(pageNoWithAfter(pageNo));
  errors.push(...unknownOptions(options, pageOptions));
  const place = {
    id: id === undefined ? undefined : receiveId(id),
    after: isPlace(after) ? after : undefined,
    rest,
    pageNo: number,
  };
  return { place, errors };
}

function isPlace(after: unknown): after is string {
  return typeof after === 'string' && /^\d{1,18}$/.test(after);
}
