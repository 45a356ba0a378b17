import { namesByAlias, type Allowances } from '../allowances.js';
import { crowdedFamilySentence } from '../choose-of-families.js';
import { amountText, type Fragment, type Tx } from '../fragment.js';
import { fittingTypesOf, typeFits } from '../type-fit.js';
import { wasSettled, type Check } from './check.js';

/** Compares a record with the one payment to which it was matched (`p` is null for other records). */
export function paymentComparisons(tx: Tx, brandAliases: Allowances['brandAliases']): Check[] {
  return [currency(tx), type(tx), success(tx), reversal(tx), ...details(tx), brand(tx, brandAliases)];
}

const settledWithPayment = (tx: Tx): Fragment =>
  tx`(r.reconciliation_type = 'SETTLED' and p.key is not null)`;

function currency(tx: Tx): Check {
  return {
    code: 'CURRENCY_MISMATCH',
    applies: settledWithPayment(tx),
    wrong: tx`p.currency <> r.currency`,
    expected: tx`p.currency`,
    actual: tx`r.currency`,
    message: tx`format('%s %s %s for payment %s, which is for %s %s.',
      ${amountText(tx, tx`r.amount_minor`)}, r.currency, ${wasSettled(tx)}, p.id, ${amountText(tx, tx`p.amount_minor`)}, p.currency)`,
  };
}

function type(tx: Tx): Check {
  return {
    code: 'TYPE_MISMATCH',
    applies: tx`p.key is not null`,
    wrong: tx`not ${typeFits(tx)}`,
    expected: tx`array_to_string(${fittingTypesOf(tx)}, ' or ')`,
    actual: tx`p.payment_type`,
    message: tx`format('The record is a %s %s and names payment %s, which is of type %s; %s would fit.%s',
      r.reconciliation_type, r.payment_type, p.id, p.payment_type,
      array_to_string(${fittingTypesOf(tx)}, ' or '), ${crowdedFamilySentence(tx)})`,
  };
}

function success(tx: Tx): Check {
  return {
    code: 'PAYMENT_NOT_SUCCESSFUL',
    applies: settledWithPayment(tx),
    wrong: tx`p.outcome <> 'SUCCESS'`,
    expected: tx`'SUCCESS'`,
    actual: tx`p.outcome`,
    message: tx`format('%s %s %s for payment %s, which %s (result code %s).',
      ${amountText(tx, tx`r.amount_minor`)}, r.currency, ${wasSettled(tx)}, p.id,
      case p.outcome when 'PENDING' then 'is still pending' else 'failed' end, p.result_code)`,
  };
}

function reversal(tx: Tx): Check {
  return {
    code: 'PAYMENT_REVERSED',
    applies: settledWithPayment(tx),
    wrong: tx`v.payment_key is not null`,
    expected: tx`'not reversed'`,
    actual: tx`(case when v.payment_key is null then 'not reversed' else 'reversed in full' end)`,
    message: tx`format('%s %s %s for payment %s, which was reversed in full.',
      ${amountText(tx, tx`r.amount_minor`)}, r.currency, ${wasSettled(tx)}, p.id)`,
  };
}

function details(tx: Tx): Check[] {
  return [
    {
      code: 'MERCHANT_ACCOUNT_MISMATCH',
      applies: tx`p.entity_id <> ''`,
      wrong: tx`p.entity_id <> r.merchant_account_id`,
      expected: tx`p.entity_id`,
      actual: tx`r.merchant_account_id`,
      message: tx`format('Payment %s was made on merchant account %s, but the record books it on %s.',
        p.id, p.entity_id, r.merchant_account_id)`,
    },
    {
      code: 'ACCOUNT_MISMATCH',
      applies: tx`(p.account_number_last4 <> '' and r.account_number_last4 <> '')`,
      wrong: tx`p.account_number_last4 <> r.account_number_last4`,
      expected: tx`p.account_number_last4`,
      actual: tx`r.account_number_last4`,
      message: tx`format('Payment %s was made with an account ending in %s, but the record names one ending in %s.',
        p.id, p.account_number_last4, r.account_number_last4)`,
    },
  ];
}

function brand(tx: Tx, brandAliases: Allowances['brandAliases']): Check {
  const byAlias = namesByAlias(tx, brandAliases);
  const differs = tx`p.payment_brand <> r.brand`;
  return {
    code: 'BRAND_MISMATCH',
    applies: tx`(p.payment_brand <> '' and r.brand <> '')`,
    wrong: byAlias === null ? differs : tx`(${differs} and not ${byAlias})`,
    expected: tx`p.payment_brand`,
    // Only an explanation shows a check that finds nothing wrong, and there the alias must be visible.
    actual:
      byAlias === null
        ? tx`r.brand`
        : tx`(case when ${differs} and ${byAlias} then r.brand || ', an alias of ' || p.payment_brand else r.brand end)`,
    message: tx`format('Payment %s was made with %s, but the record names %s.', p.id, p.payment_brand, r.brand)`,
  };
}
