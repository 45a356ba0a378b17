import type { Tx } from '../db/client.js';
import { areOpenFindingsFew, recordsOfFindings } from '../db/look-up-records.js';
import { chargebackIdInEffect } from '../findings/chargeback-id-in-effect.js';
import { differenceCurrency } from '../findings/stated-money.js';
import { formatAmount } from '../values/money.js';
import { listSource, type ListSource } from './listing.js';
import type { DiscrepancyId, RunId } from '../values/ids.js';

/** Which discrepancies to list; null: whatever their value. */
export interface DiscrepancyFilter {
  readonly code: string | null;
  readonly severity: string | null;
  /** SettlementDate of the record, or the payment's own day in `timezone`; either end may be open. */
  readonly from: string | null;
  readonly to: string | null;
  readonly timezone: string;
  /** The run that found it first. */
  readonly runId: RunId | null;
  readonly withResolved: boolean;
}

/** A discrepancy as `recon discrepancies --json` lists it. Amounts are texts such as `123.45`. */
export interface ListedDiscrepancy {
  /** 32 hexadecimal digits, the same in every run (design 4.6). */
  readonly discrepancyId: DiscrepancyId;
  /** One of design 4.6. */
  readonly code: string;
  /** `error`, `warning` or `info`. */
  readonly severity: string;
  /** Where the record stands; null for a finding about a payment alone. */
  readonly source: string | null;
  /** The name of the settlement file. */
  readonly file: string | null;
  /** The first physical line of the record. */
  readonly line: number | null;
  /** SettlementDate of the record, or the day of the payment in the configured time zone. */
  readonly date: string | null;
  /** Null where the record has none, or there is no record. */
  readonly settlementTxId: string | null;
  /** The payment that it is about, or that the record is matched to. */
  readonly paymentId: string | null;
  /** Of a CHARGEBACK or CHARGEBACK REVERSAL record, once it has one. */
  readonly chargebackId: string | null;
  /** Of the record, or of the payment where there is no record. */
  readonly amount: string | null;
  /** Of `amount`; null with it. */
  readonly currency: string | null;
  /** As the report shows them: amounts, types, dates or ids, as the code needs them. */
  readonly expected: string | null;
  /** What was found instead of `expected`, in the same form. */
  readonly actual: string | null;
  /** How much money it is about; null where it is not about an amount. */
  readonly difference: string | null;
  /** The currency of `difference`; `currency` is that of `amount`. */
  readonly differenceCurrency: string | null;
  /** A sentence for finance. */
  readonly message: string;
  /** The run that found it first. */
  readonly firstSeenRun: RunId;
  /** Null while it is open. */
  readonly resolvedRun: RunId | null;
}

interface StoredDiscrepancy extends Omit<ListedDiscrepancy, 'amount' | 'difference'> {
  amountMinor: bigint | null;
  differenceMinor: bigint | null;
}

/** The discrepancies, the most severe first. */
export function discrepancyList(filter: DiscrepancyFilter): ListSource<ListedDiscrepancy> {
  return listSource<StoredDiscrepancy, ListedDiscrepancy>(
    async (tx) => {
      const looksUp = !filter.withResolved && (await areOpenFindingsFew(tx));
      const day = tx`coalesce(r.settlement_date, (p.requested_at at time zone ${filter.timezone})::date)`;
      const wanted = tx`
    from discrepancies d
    left join settlement_files f on f.id = d.file_id
    ${recordsOfFindings(tx, looksUp)}
    left join record_matches m on m.file_id = d.file_id and m.line = d.line
    left join chargeback_links l on l.file_id = d.file_id and l.line = d.line
    left join payments p on p.key = coalesce(d.payment_key, m.payment_key)
    where true
      ${filter.withResolved ? tx`` : tx`and ${isOpen(tx)}`}
      ${filter.code === null ? tx`` : tx`and d.code = ${filter.code}`}
      ${filter.severity === null ? tx`` : tx`and d.severity = ${filter.severity}`}
      ${filter.runId === null ? tx`` : tx`and d.first_seen_run = ${filter.runId}`}
      ${filter.from === null ? tx`` : tx`and ${day} >= ${filter.from}::date`}
      ${filter.to === null ? tx`` : tx`and ${day} <= ${filter.to}::date`}`;
      return {
        rows: tx`
    select d.id as "discrepancyId", d.code, d.severity, f.source, f.name as file, d.line, ${day} as date,
      r.settlement_tx_id as "settlementTxId", p.id as "paymentId",
      ${chargebackIdInEffect(tx)} as "chargebackId",
      coalesce(r.amount_minor, p.amount_minor) as "amountMinor", coalesce(r.currency, p.currency) as currency,
      d.expected, d.actual, d.difference_minor as "differenceMinor",
      ${differenceCurrency(tx)} as "differenceCurrency", d.message,
      d.first_seen_run as "firstSeenRun", d.resolved_run as "resolvedRun"
    ${wanted}
    order by array_position(array['error', 'warning', 'info'], d.severity::text), d.code, date desc, d.id`,
        total: tx`select count(*)::integer as total ${wanted}`,
      };
    },
    ({ amountMinor, differenceMinor, ...row }) => ({
      ...row,
      amount: amountMinor === null ? null : formatAmount(amountMinor),
      difference: differenceMinor === null ? null : formatAmount(differenceMinor),
    }),
  );
}

/**
 * That `resolved_run` is null, as the conditions of two indexes: without them, the open findings of a day were looked
 * for among those that were resolved in all years.
 */
function isOpen(tx: Tx) {
  return tx`(not d.is_settled or (d.resolved_run is null and d.accepted_at_risk_minor is not null))`;
}
