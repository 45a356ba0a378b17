import type { Fragment, Tx } from '../db/client.js';
import { isDivided } from '../db/shards/is-divided.js';
import { isoMoment } from '../values/iso-moment.js';
import { formatAmount } from '../values/money.js';
import { listSource, type ListSource } from './listing.js';

/** The words of {@link ListedChargeback.status}, as `recon chargebacks list --status` takes them. */
export const chargebackStatuses = ['open', 'partly-reversed', 'reversed', 'failed', 'withdrawn'] as const;

/** A chargeback as it is now. */
export interface ListedChargeback {
  readonly id: string;
  /**
   * `failed`: its settlement record FAILED and nothing reversed it, so no money was charged back, as in the report.
   * `withdrawn`: its settlement record does not count any more, so nothing is charged back.
   */
  readonly status: (typeof chargebackStatuses)[number];
  readonly paymentId: string;
  readonly amount: string;
  /** What its reversals returned, in `reversedCurrency`. */
  readonly reversedAmount: string;
  /**
   * Null if nothing was returned. A settlement file may reverse a chargeback in another currency than it was booked in.
   * If the back office reversed a part of it as well, this is the currency of the chargeback, and the amount that part.
   */
  readonly reversedCurrency: string | null;
  readonly currency: string;
  readonly reasonCode: string;
  readonly bookedAt: string;
  /** The person or token of the back office; null for one of a settlement file. */
  readonly bookedBy: string | null;
  /** Who reversed it, and when last; null if it is not reversed, or if a settlement file reversed it. */
  readonly reversedAt: string | null;
  readonly reversedBy: string | null;
}

type Stored = Omit<ListedChargeback, 'amount' | 'reversedAmount'> & {
  readonly amountMinor: bigint;
  readonly reversedMinor: bigint;
};

interface Wanted {
  readonly paymentId: string | null;
  readonly status: ListedChargeback['status'] | null;
}

/** The chargebacks of settlement files and of the back office, the latest first. */
export function chargebackList({ paymentId, status }: Wanted): ListSource<ListedChargeback> {
  return listSource<Stored, ListedChargeback>(
    async (tx) => {
      const ofPayment = paymentId === null ? tx`` : tx`and c.referenced_payment_id = ${paymentId}`;
      const booked = tx`c.payment_type = 'CB' ${ofPayment}`;
      const chargebacks = tx`
        select c.key, c.id, c.referenced_payment_id as "paymentId", c.amount_minor as "amountMinor",
          coalesce(back.own, back.elsewhere, 0)::bigint as "reversedMinor",
          case when back.own is null then back.currency else c.currency end as "reversedCurrency",
          c.currency, c.result_code as "reasonCode",
          c.requested_at as "bookedAt", d.answer ->> 'bookedBy' as "bookedBy", r.at as "reversedAt",
          r.by as "reversedBy",
          case when c.amount_minor = 0 and not exists (select from chargeback_links l
              where l.booking_id = c.id and l.active) then 'withdrawn'
            when r.parts is null and ${hasFailed(tx)} then 'failed'
            when r.parts is null then 'open'
            when back.elsewhere is null and back.own < c.amount_minor then 'partly-reversed'
            else 'reversed' end as status
        from payments c left join payment_details d on d.payment_key = c.key
        left join ${reversals(tx, await isDivided(tx), booked)}
        cross join lateral (
          select sum(part.amount_minor) filter (where part.currency = c.currency) as own,
            sum(part.amount_minor) filter (where part.currency <> c.currency) as elsewhere,
            max(part.currency) filter (where part.currency <> c.currency) as currency
          from jsonb_to_recordset(r.parts) as part (currency text, amount_minor bigint)
        ) back
        where ${booked}`;
      const wanted = tx`from (${chargebacks}) as chargeback
        where ${status}::text is null or status = ${status}::text`;
      return {
        rows: tx`select * ${wanted} order by "bookedAt" desc, key desc`,
        total: tx`select count(*)::integer as total ${wanted}`,
      };
    },
    (stored) => ({
      id: stored.id,
      status: stored.status,
      paymentId: stored.paymentId,
      amount: formatAmount(stored.amountMinor),
      reversedAmount: formatAmount(stored.reversedMinor),
      reversedCurrency: stored.reversedCurrency,
      currency: stored.currency,
      reasonCode: stored.reasonCode,
      bookedAt: isoMoment(stored.bookedAt),
      bookedBy: stored.bookedBy,
      reversedAt: isoMoment(stored.reversedAt),
      reversedBy: stored.reversedBy,
    }),
  );
}

/**
 * What was reversed of chargeback `c`: a table `r` with its condition. With shards, all reversals are fetched together.
 *
 * @param booked a condition over `c` (payments) that all listed chargebacks fulfil
 */
function reversals(tx: Tx, isOnShards: boolean, booked: Fragment): Fragment {
  const reversed = tx`
          select jsonb_agg(jsonb_build_object('currency', v.currency, 'amount_minor', v.amount_minor)) as parts,
            max(v.requested_at) as at,
            (array_agg(e.answer ->> 'bookedBy' order by v.key desc))[1] as by`;
  const isReversal = tx`v.payment_type = 'CR' and v.amount_minor > 0`;
  if (!isOnShards)
    return tx`lateral (${reversed}
          from payments v left join payment_details e on e.payment_key = v.key
          where v.referenced_payment_id = c.id and ${isReversal}
        ) r on true`;
  const ids = tx`select c.id collate "default" from payments c where ${booked}`;
  return tx`(${reversed}, v.referenced_payment_id
          from (select v.* from payments v where v.referenced_payment_id = any (array(${ids})) and ${isReversal} offset 0) v
          left join payment_details e on e.payment_key = v.key
          group by v.referenced_payment_id
        ) r on r.referenced_payment_id = c.id`;
}

/**
 * Whether the record of chargeback `c` FAILED. Every such record has had a SETTLEMENT_FAILED, which stays when the
 * record itself is removed, and is on the home server.
 */
function hasFailed(tx: Tx): Fragment {
  return tx`exists (select from chargeback_links l join discrepancies s on s.file_id = l.file_id and s.line = l.line
              where l.booking_id = c.id and l.active and s.code = 'SETTLEMENT_FAILED')`;
}
