import { amountText, type Tx } from '../fragment.js';
import { wereSettled, type Check } from './check.js';

/**
 * FX_MISMATCH: Amount × SettlementFxRate must be the settlement amount, or that amount plus or minus the fee. The
 * tolerance is 0.01, plus 0.005 × Amount if the currencies differ, because the rate has only two decimals (design 4.6).
 *
 * Exact: hundredths times hundredths are ten-thousandths, and everything is doubled so that half of an amount is a
 * whole number. `numeric`, because the product of two of the largest amounts exceeds 64 bits. The first branch decides
 * most records (rate 1.00, amounts equal) without arithmetic.
 */
export function fxCheck(tx: Tx): Check {
  const exact = tx`r.amount_minor::numeric * r.settlement_fx_rate_hundredths`;
  const fee = tx`coalesce(r.settlement_fee_minor, 0)`;
  const nearest = tx`least(
    abs(${exact} - 100 * r.settlement_amount_minor::numeric),
    abs(${exact} - 100 * (r.settlement_amount_minor::numeric + ${fee})),
    abs(${exact} - 100 * (r.settlement_amount_minor::numeric - ${fee})))`;
  const expectedMinor = tx`round(${exact} / 100)`;
  const difference = tx`(r.settlement_amount_minor - ${expectedMinor})`;
  return {
    code: 'FX_MISMATCH',
    applies: tx`r.reconciliation_type <> 'FEE'`,
    wrong: tx`(case
      when r.settlement_fx_rate_hundredths = 100 and r.amount_minor = r.settlement_amount_minor then false
      else 2 * ${nearest} >
        200 + case when r.currency = r.settlement_currency then 0 else r.amount_minor end end)`,
    expected: amountText(tx, expectedMinor),
    actual: amountText(tx, tx`r.settlement_amount_minor`),
    // A difference beyond 64 bits is only in the message; it could not be stored as a number.
    difference: tx`(case when abs(${difference}) < 9000000000000000000 then ${difference} end)`,
    message: tx`format('%s %s at the rate %s are %s %s, but %s %s %s%s.',
      ${amountText(tx, tx`r.amount_minor`)}, r.currency, ${amountText(tx, tx`r.settlement_fx_rate_hundredths`)},
      ${amountText(tx, expectedMinor)}, r.settlement_currency, ${amountText(tx, tx`r.settlement_amount_minor`)},
      r.settlement_currency, ${wereSettled(tx)}, case when r.settlement_fee_minor is null then ''
        else ', and the fee of ' || ${amountText(tx, tx`r.settlement_fee_minor`)} || ' ' || r.settlement_currency || ' does not explain it' end)`,
  };
}
