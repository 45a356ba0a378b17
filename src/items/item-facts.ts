import type { Fragment, Reader } from '../db/client.js';

/*
 * What follows from one finding, as SQL over `d` (discrepancies), `r` (settlement_records) and `m` (record_matches) of
 * its record, and `p`, the payment that it is about or its record is matched to.
 */

/**
 * A hash of the facts that a decision is bound to: expected, actual and difference, and the payment or candidates of
 * the record. File and line are not among them, so a decision survives another delivery of the same facts.
 *
 * @param candidates the ids of the candidates (`candidateIds`)
 */
export function factsHash(sql: Reader, candidates: Fragment): Fragment {
  const payments = sql`(case when m.status = 'MULTIPLE_MATCHES' then ${candidates}
    else p.id end)`;
  return sql`left(encode(sha256(convert_to(concat_ws(chr(31), coalesce(d.expected, ''), coalesce(d.actual, ''),
    coalesce(d.difference_minor::text, ''), coalesce(${payments}, '')), 'UTF8')), 'hex'), 16)`;
}

/** The codes whose whole amount is at risk, in the direction in which the record moved it (design 6). */
const movedWrongly = [
  'DUPLICATE_SETTLEMENT',
  'NOT_MATCHED',
  'MULTIPLE_MATCHES',
  'PAYMENT_NOT_SUCCESSFUL',
  'PAYMENT_REVERSED',
  'REVERSAL_WITHOUT_CHARGEBACK',
  'RECORD_REDELIVERED',
];

/**
 * AtRisk (design 6) in hundredths: positive is money that we should have and do not have, negative is money that we
 * have and should not have.
 *
 * The type of a failed settlement is that of its payment, or the record's own where no payment is known. A failed
 * record of another kind, such as a chargeback, has no type of the four: its Cashflow says which way the money should
 * have moved.
 */
export function atRiskMinor(sql: Reader): Fragment {
  const comesIn = sql`(case
    when r.file_id is null or r.reconciliation_type = 'SETTLED' then (case
      when p.payment_type in ('DB', 'CP') then true
      when p.payment_type in ('CD', 'RF') then false
      else r.payment_type = 'DEBIT' end)
    else r.cashflow = 'POS' end)`;
  return sql`coalesce((case
    when d.code = 'MISSING_SETTLEMENT' then case when ${comesIn} then p.amount_minor else - p.amount_minor end
    when d.code = 'SETTLEMENT_FAILED' then case when ${comesIn} then r.amount_minor else - r.amount_minor end
    when d.code = 'AMOUNT_MISMATCH' then case when ${comesIn} then - d.difference_minor else d.difference_minor end
    when d.code = 'CHARGEBACK_EXCEEDS_PAYMENT' then d.difference_minor
    when d.code = 'CURRENCY_MISMATCH' then p.amount_minor
    when d.code in ${sql(movedWrongly)} then case r.cashflow when 'POS' then - r.amount_minor else r.amount_minor end
    end), 0)`;
}

/**
 * An expected or actual value of a finding. The amounts of an FX_MISMATCH are in the settlement currency, and the
 * item's currency is that of its Amount, so they name theirs.
 */
export function inItsCurrency(sql: Reader, value: Fragment): Fragment {
  return sql`(case when d.code = 'FX_MISMATCH' then ${value} || ' ' || r.settlement_currency else ${value} end)`;
}

/**
 * Amount and currency of an item: those of its record, or of its payment. What is at risk in a CURRENCY_MISMATCH is the
 * payment's amount, and a row has one currency, so the amount is the payment's too.
 */
export function itemAmount(sql: Reader): { readonly amountMinor: Fragment; readonly currency: Fragment } {
  const ofPayment = sql`(d.code = 'CURRENCY_MISMATCH' or r.file_id is null)`;
  return {
    amountMinor: sql`case when ${ofPayment} then coalesce(p.amount_minor, r.amount_minor) else r.amount_minor end`,
    currency: sql`case when ${ofPayment} then coalesce(p.currency, r.currency) else r.currency end`,
  };
}
