import type { Tx } from '../../db/client.js';
import type { Caller, CoreContext } from '../core/core-context.js';
import { ofEntities } from '../core/of-entities.js';
import { currency as currencyType } from '../fields/field-type.js';
import type { ParameterValues } from '../fields/parameters.js';
import { checkRequest } from '../core/check-request.js';
import { writeAmount } from '../values/amounts.js';
import { pageViolation } from '../validation/page-parameters.js';
import { readingRecords } from '../core/transactions.js';
import type { ErrorResponse } from '../responses/response-types.js';
import { answer } from '../responses/stamp-response.js';
import { checkValue } from '../validation/check-value.js';
import type { ParameterError } from '../validation/parameter-error.js';
import type { ReceivedParameters } from '../validation/receive-parameters.js';

/** The settlement of one day in one currency. Amounts are settlement amounts with two decimals. */
export interface SettlementAggregate {
  /** `2026-11-19-EUR`: the date and currency for a request to the detail level. */
  readonly id: string;
  /** `yyyy-MM-dd`. */
  readonly settlementDate: string;
  /** A code of ISO 4217; all amounts are in it. */
  readonly settlementCurrency: string;
  /** Records with status SUCCESS. The amounts are sums over these. */
  readonly records: number;
  /** Records with status FAILED, which no amount contains. */
  readonly failedRecords: number;
  /** Sum of the SettlementAmount whose Cashflow is POS. */
  readonly positive: string;
  /** Sum of the SettlementAmount whose Cashflow is NEG, without a sign. */
  readonly negative: string;
  /** `positive` less `negative`. */
  readonly net: string;
  /** Sum of the SettlementFee. */
  readonly fees: string;
}

/** The sums by date and currency. */
export interface SettlementSummaryResponse extends ErrorResponse {
  /** Missing in a refusal. */
  readonly aggregations?: readonly SettlementAggregate[];
}

/**
 * Settlement by date and currency over a range of settlement dates, both ends included (catalogue 2.25), in the order
 * of both. Besides the parameters of the catalogue, `currency` limits the sums to one settlement currency.
 */
export async function settlementSummary(
  context: CoreContext,
  { values, error }: ReceivedParameters,
  caller: Caller,
): Promise<SettlementSummaryResponse> {
  const { currency, ...rest } = values;
  const found = currencyErrors(currency);
  const checked = checkRequest(context, { values: rest, error }, { kind: 'reporting', caller, found });
  if (!checked.ok) return checked.response;
  const sums = await readingRecords(context.sql, (tx) => aggregate(tx, checked.value, caller));
  const aggregations = sums.filter(
    ({ settlementCurrency }) => currency === undefined || settlementCurrency === currency,
  );
  if (isDescending(checked.value)) aggregations.reverse();
  return { ...answer(context, '000.000.100'), aggregations };
}

function currencyErrors(value: unknown): ParameterError[] {
  if (value === undefined) return [];
  const problem = checkValue(currencyType, typeof value === 'string' ? value : '');
  return problem === undefined ? [] : [pageViolation('currency', value, problem)];
}

interface AggregateRow {
  readonly date: string;
  readonly currency: string;
  readonly records: string;
  readonly failed: string;
  readonly positive: string;
  readonly negative: string;
  readonly fees: string;
}

async function aggregate(tx: Tx, request: ParameterValues, caller: Caller): Promise<SettlementAggregate[]> {
  const rows = await tx<AggregateRow[]>`
    select to_char(settlement_date, 'YYYY-MM-DD') as date, settlement_currency as currency,
      count(*) filter (where settlement_status = 'SUCCESS')::text as records,
      count(*) filter (where settlement_status <> 'SUCCESS')::text as failed,
      coalesce(sum(settlement_amount_minor) filter (where settlement_status = 'SUCCESS' and cashflow = 'POS'), 0)::text as positive,
      coalesce(sum(settlement_amount_minor) filter (where settlement_status = 'SUCCESS' and cashflow = 'NEG'), 0)::text as negative,
      coalesce(sum(settlement_fee_minor) filter (where settlement_status = 'SUCCESS'), 0)::text as fees
    from settlement_records r
    where not exists (select from uncounted_records u where u.file_id = r.file_id and u.line = r.line)
      and settlement_date between ${request['date.from'] ?? ''}::text::date and ${request['date.to'] ?? ''}::text::date
      and ${ofEntities(tx, 'merchant_account_id', entitiesOf(request, caller))}
    group by settlement_date, settlement_currency
    order by settlement_date, settlement_currency collate "C"`;
  return rows.map((row) => ({
    id: `${row.date}-${row.currency}`,
    settlementDate: row.date,
    settlementCurrency: row.currency,
    records: Number(row.records),
    failedRecords: Number(row.failed),
    positive: writeAmount(BigInt(row.positive)),
    negative: writeAmount(BigInt(row.negative)),
    net: writeAmount(BigInt(row.positive) - BigInt(row.negative)),
    fees: writeAmount(BigInt(row.fees)),
  }));
}

/** Whether the latest settlement date comes first. */
export function isDescending({ sortOrder }: ParameterValues): boolean {
  return sortOrder?.toUpperCase() === 'DESC';
}

/** The merchant accounts of a report; undefined for all. */
export function entitiesOf({ entityId }: ParameterValues, caller: Caller): readonly string[] | undefined {
  return entityId === undefined ? caller.entityIds : [entityId];
}
