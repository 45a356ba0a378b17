import type { Tx } from '../../db/client.js';

/**
 * How the SettlementFee of record `r` relates to SettlementAmount, in SQL: 1 when SettlementAmount is already less the
 * fee (an incoming amount without it, an outgoing one with it), 0 when the fee is charged beside SettlementAmount, -1
 * when SettlementAmount holds a fee that was given back.
 *
 * A settlement file does not say which of them it means, so Amount × SettlementFxRate decides: the nearest one, and the
 * fee beside it if two are equally near. A rate of two decimals is too coarse for the third, which is therefore
 * considered only where Currency is SettlementCurrency.
 *
 * Exact, in ten-thousandths. A product of more than 64 bits (a rate above 90,000) is calculated as `numeric`.
 */
export function feePlace(tx: Tx) {
  return tx`(case
    when coalesce(r.settlement_fee_minor, 0) = 0 or r.reconciliation_type = 'FEE' then 0
    when r.settlement_fx_rate_hundredths = 100 and r.amount_minor = r.settlement_amount_minor then 0
    when r.settlement_fx_rate_hundredths <= 9000000 then ${nearestPlace(tx, tx`bigint`)}
    else ${nearestPlace(tx, tx`numeric`)} end)`;
}

function nearestPlace(tx: Tx, type: ReturnType<Tx>) {
  const outside = tx`(r.amount_minor::${type} * r.settlement_fx_rate_hundredths - 100 * r.settlement_amount_minor::${type})`;
  const fee = tx`(100 * r.settlement_fee_minor::${type} * case r.cashflow when 'POS' then 1 else -1 end)`;
  const beside = tx`abs(${outside})`;
  const deducted = tx`abs(${outside} - ${fee})`;
  const givenBack = tx`abs(${outside} + ${fee})`;
  const converted = tx`r.currency <> r.settlement_currency`;
  return tx`(case
    when ${beside} <= ${deducted} and (${converted} or ${beside} <= ${givenBack}) then 0
    when ${deducted} <= ${givenBack} then 1
    else -1 end)`;
}
