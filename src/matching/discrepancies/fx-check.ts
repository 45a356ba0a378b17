import { amountText, type Fragment, type Tx } from '../fragment.js';
import { wasSettled, type Check } from './check.js';

/**
 * FX_MISMATCH: Amount × SettlementFxRate must be the settlement amount, or that amount plus or minus the fee. The
 * tolerance is 0.01, plus 0.005 × Amount if the currencies differ, because the rate has only two decimals (design 4.6).
 *
 * Exact: hundredths times hundredths are ten-thousandths. A product of more than 64 bits (a rate above 90,000) is
 * calculated as `numeric`, which takes ten times as long. The first branch decides most records (rate 1.00, amounts
 * equal) without arithmetic.
 */
export function fxCheck(tx: Tx): Check {
  const exact = tx`r.amount_minor::numeric * r.settlement_fx_rate_hundredths`;
  const expectedMinor = tx`round(${exact} / 100)`;
  const difference = tx`(r.settlement_amount_minor - ${expectedMinor})`;
  return {
    code: 'FX_MISMATCH',
    applies: tx`r.reconciliation_type <> 'FEE'`,
    wrong: tx`(case
      when r.settlement_fx_rate_hundredths = 100 and r.amount_minor = r.settlement_amount_minor then false
      when r.settlement_fx_rate_hundredths <= 9000000 then ${isTooFar(tx, tx`bigint`)}
      else ${isTooFar(tx, tx`numeric`)} end)`,
    expected: amountText(tx, expectedMinor),
    actual: amountText(tx, tx`r.settlement_amount_minor`),
    // A difference beyond 64 bits is only in the message; it could not be stored as a number.
    difference: tx`(case when abs(${difference}) < 9000000000000000000 then ${difference} end)`,
    message: tx`format('%s %s at the rate %s is %s %s, but %s %s %s%s.',
      ${amountText(tx, tx`r.amount_minor`)}, r.currency, ${amountText(tx, tx`r.settlement_fx_rate_hundredths`)},
      ${amountText(tx, expectedMinor)}, r.settlement_currency, ${amountText(tx, tx`r.settlement_amount_minor`)},
      r.settlement_currency, ${wasSettled(tx)}, case when r.settlement_fee_minor is null then ''
        else ', and the fee of ' || ${amountText(tx, tx`r.settlement_fee_minor`)} || ' ' || r.settlement_currency || ' does not explain it' end)`,
  };
}

/**
 * Whether the nearest of the three amounts is further away than the tolerance. Half of an odd amount may be rounded
 * down: what is compared with it is a whole number.
 */
function isTooFar(tx: Tx, type: Fragment): Fragment {
  const apart = tx`abs(r.amount_minor::${type} * r.settlement_fx_rate_hundredths - 100 * r.settlement_amount_minor::${type})`;
  const apartWithFee = tx`abs(${apart} - 100 * coalesce(r.settlement_fee_minor, 0)::${type})`;
  return tx`(least(${apart}, ${apartWithFee}) >
    100 + case when r.currency = r.settlement_currency then 0 else r.amount_minor / 2 end)`;
}
