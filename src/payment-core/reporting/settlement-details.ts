import type { Fragment, Tx } from '../../db/client.js';
import type { Caller, CoreContext } from '../core/core-context.js';
import { ofEntities } from '../core/of-entities.js';
import type { ParameterValues } from '../fields/parameters.js';
import { matchedPaymentIds } from '../../findings/matched-payment-ids.js';
import { checkRequest } from '../core/check-request.js';
import { unknownOptions, type OptionNames } from '../core/option-names.js';
import {
  pageNoViolation,
  pageNoWithAfter,
  pageViolation,
  readPageNo,
} from '../validation/page-parameters.js';
import { readingRecords } from '../core/transactions.js';
import type { ErrorResponse } from '../responses/response-types.js';
import type { ParameterError } from '../validation/parameter-error.js';
import { answer } from '../responses/stamp-response.js';
import { readCursor, writeCursor, type Cursor } from './record-cursor.js';
import { reconciliationRecord, type ReconciliationRecord, type RecordRow } from './reconciliation-record.js';
import { entitiesOf, isDescending } from './settlement-summary.js';
import type { ReceivedParameters } from '../validation/receive-parameters.js';

/** Which part of the records the details return; the first page without an option. */
export interface DetailsPage {
  /** Limits the records to one settlement currency. */
  readonly settlementCurrency?: string;
  /** 1-500, default 100. */
  readonly limit?: number;
  /** `next` of the previous page. */
  readonly after?: string;
  /** From 1, as a number or its text, instead of `after`. Numbered pages shift when files are loaded meanwhile. */
  readonly pageNo?: number | string;
}

/** A page of reconciliation records. */
export interface SettlementDetailsResponse extends ErrorResponse {
  /** Missing in a refusal. */
  readonly records?: readonly ReconciliationRecord[];
  /** The value of `after` for the next page; missing on the last page. */
  readonly next?: string;
  /** How many pages there are now; only if a page was requested by its number. */
  readonly pages?: number;
}

const mostRecords = 500;

const pageOptions: OptionNames<DetailsPage> = {
  settlementCurrency: true,
  limit: true,
  after: true,
  pageNo: true,
};

/**
 * The detail level (catalogue 2.25): the stored reconciliation records of a range of settlement dates, in
 * their API names, with the matching result. Sorted by SettlementTxDate, which is the record's settlement date,
 * within a day by SettlementTxId, then in the order of delivery. Pages do not shift when files are loaded meanwhile.
 */
export async function settlementDetails(
  context: CoreContext,
  received: ReceivedParameters,
  options: ReceivedParameters,
  caller: Caller,
): Promise<SettlementDetailsResponse> {
  const { page, errors } = readPage(options);
  const checked = checkRequest(context, received, { kind: 'reporting', caller, found: errors });
  if (!checked.ok) return checked.response;
  const { limit, pageNo } = page;
  const { rows, total } = await readingRecords(context.sql, async (tx) => ({
    rows: await selectRecords(tx, checked.value, page, caller),
    total: pageNo === undefined ? null : await countRecords(tx, checked.value, page, caller),
  }));
  const pages = total === null ? {} : { pages: Math.ceil(total / limit) };
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    ...answer(context, '000.000.100'),
    records: shown.map(reconciliationRecord),
    ...(rows.length > limit && last !== undefined ? { next: writeCursor(last) } : {}),
    ...pages,
  };
}

interface Page {
  readonly limit: number;
  readonly cursor: Cursor | undefined;
  readonly pageNo: number | undefined;
  readonly settlementCurrency: string | undefined;
}

/** The page, and what is wrong with it: with an error, the page is not used. */
function readPage(options: ReceivedParameters): {
  readonly page: Page;
  readonly errors: readonly ParameterError[];
} {
  const { values, error } = options;
  const errors: ParameterError[] = error === undefined ? [] : [error];
  const { after, pageNo, settlementCurrency, limit = 100 } = values;
  const cursor = typeof after === 'string' ? readCursor(after) : undefined;
  if (after !== undefined && cursor === undefined) {
    errors.push(pageViolation('after', after, 'is not a value of next'));
  }
  const isLimit = typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= mostRecords;
  if (!isLimit) errors.push(pageViolation('limit', limit, `must be a whole number from 1 to ${mostRecords}`));
  const number = readPageNo(pageNo);
  if (pageNo !== undefined && number === undefined) errors.push(pageNoViolation(pageNo));
  else if (pageNo !== undefined && after !== undefined) errors.push(pageNoWithAfter(pageNo));
  const currency = isCurrency(settlementCurrency) ? settlementCurrency : undefined;
  if (settlementCurrency !== undefined && currency === undefined) {
    const message = 'must be a currency code of 3 capital letters';
    errors.push(pageViolation('settlementCurrency', settlementCurrency, message));
  }
  errors.push(...unknownOptions(options, pageOptions));
  return {
    page: { limit: isLimit ? limit : mostRecords, cursor, pageNo: number, settlementCurrency: currency },
    errors,
  };
}

function isCurrency(text: unknown): text is string {
  return typeof text === 'string' && /^[A-Z]{3}$/.test(text);
}

/** The records that a request is about, on whichever page. */
function conditionsOf(
  sql: Tx,
  request: ParameterValues,
  { settlementCurrency }: Page,
  caller: Caller,
): Fragment {
  return sql`
        r.settlement_date between ${request['date.from'] ?? ''}::text::date
        and ${request['date.to'] ?? ''}::text::date
        and ${ofEntities(sql, 'r.merchant_account_id', entitiesOf(request, caller))}
        and (${settlementCurrency ?? null}::text is null or r.settlement_currency = ${settlementCurrency ?? null}::text)
        and not exists (select from uncounted_records u where u.file_id = r.file_id and u.line = r.line)`;
}

async function countRecords(tx: Tx, request: ParameterValues, page: Page, caller: Caller): Promise<number> {
  const [counted] = await tx<{ total: string }[]>`
    select count(*)::text as total from settlement_records r
    where ${conditionsOf(tx, request, page, caller)}`;
  return Number(counted?.total ?? '0');
}

/** The records of a page, and one more if there is a next page. */
async function selectRecords(
  tx: Tx,
  request: ParameterValues,
  page: Page,
  caller: Caller,
): Promise<RecordRow[]> {
  const { limit, cursor, pageNo = 1 } = page;
  const descending = isDescending(request);
  const direction = descending ? tx`desc` : tx`asc`;
  const place = tx`(r.settlement_date, coalesce(r.settlement_tx_id, ''), r.file_id, r.line)`;
  const beyond =
    cursor === undefined
      ? tx``
      : tx`and ${place} ${descending ? tx`<` : tx`>`} (${cursor.date}::text::date,
          ${cursor.settlementTxId}::text collate "C", ${cursor.fileId}::int, ${cursor.line}::int)`;
  // A record may be matched to a payment of another entity, which does not exist for the caller.
  const isForCaller = tx`(p.entity_id is null or ${ofEntities(tx, 'p.entity_id', caller.entityIds)})`;
  const rows = await tx<{ record: string }[]>`
    with page as (
      select r.* from settlement_records r
      where ${conditionsOf(tx, request, page, caller)}
        ${beyond}
      order by r.settlement_date ${direction}, coalesce(r.settlement_tx_id, '') ${direction},
        r.file_id ${direction}, r.line ${direction}
      limit ${limit + 1}::int offset ${(pageNo - 1) * limit}::bigint
    )
    select (jsonb_build_object('fileId', r.file_id, 'line', r.line, 'reconciliationType', r.reconciliation_type,
      'paymentType', r.payment_type, 'cashflow', r.cashflow,
      'clearingInstituteMerchantId', r.clearing_institute_merchant_id, 'merchantAccountId', r.merchant_account_id,
      'merchantAccountName', r.merchant_account_name, 'pspId', r.psp_id, 'divisionId', r.division_id,
      'merchantId', r.merchant_id, 'settlementTxId', r.settlement_tx_id, 'uniqueId', r.unique_id,
      'connectorTxId1', r.connector_tx_id1, 'connectorTxId2', r.connector_tx_id2,
      'connectorTxId3', r.connector_tx_id3, 'amountMinor', r.amount_minor::text, 'currency', r.currency,
      'brand', r.brand,
      'presentmentMs', floor(extract(epoch from coalesce(r.tx_request_time, f.received_at)) * 1000)::bigint::text,
      'settlementAmountMinor', r.settlement_amount_minor::text)
      || jsonb_build_object('settlementCurrency', r.settlement_currency,
      'settlementFeeMinor', r.settlement_fee_minor::text,
      'fxRateHundredths', r.settlement_fx_rate_hundredths::text, 'settlementDate', r.settlement_date,
      'settlementStatus', r.settlement_status, 'descriptor', r.descriptor,
      'accountNumberLast4', r.account_number_last4, 'bankCode', r.bank_code, 'accountHolder', r.account_holder,
      'reasonCode', r.reason_code, 'reasonDesc', r.reason_desc, 'format', r.settlement_file_format,
      'clearingInstituteName', r.clearing_institute_name, 'matchingStatus', m.status,
      'matchedIds', string_to_array(${matchedPaymentIds(tx, tx`p.id`)}, ','),
      'chargebackId', l.chargeback_id,
      'transactionId', case when ${isForCaller} then coalesce(p.merchant_transaction_id, p.id) else p.id end,
      'invoiceId', case when ${isForCaller} then p.merchant_invoice_id end))::text as record
    from page r
    left join settlement_files f on f.id = r.file_id
    left join record_matches m on m.file_id = r.file_id and m.line = r.line
    left join payments p on p.key = m.payment_key
    left join chargeback_links l on l.file_id = r.file_id and l.line = r.line and l.active
    order by r.settlement_date ${direction}, coalesce(r.settlement_tx_id, '') ${direction},
      r.file_id ${direction}, r.line ${direction}`;
  // The statement above builds the document.
  return rows.map(({ record }) => JSON.parse(record) as RecordRow);
}
