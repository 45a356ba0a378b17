import { amountText, type Tx } from '../fragment.js';
import { fittingTypesOf, typeFits } from '../type-fit.js';
import type { Check } from './check.js';

/** What a record says against the one payment it was matched to (`p` is null for any other record). */
export function paymentComparisons(tx: Tx): Check[] {
  return [currency(tx), type(tx), success(tx), reversal(tx), ...details(tx)];
}

function currency(tx: Tx): Check {
  return {
    code: 'CURRENCY_MISMATCH',
    when: tx`(r.reconciliation_type = 'SETTLED' and p.currency <> r.currency)`,
    expected: tx`p.currency`,
    actual: tx`r.currency`,
    message: tx`format('%s %s were settled for payment %s, which was made over %s %s.',
      ${amountText(tx, tx`r.amount_minor`)}, r.currency, p.id, ${amountText(tx, tx`p.amount_minor`)}, p.currency)`,
  };
}

function type(tx: Tx): Check {
  return {
    code: 'TYPE_MISMATCH',
    when: tx`(not ${typeFits(tx)})`,
    expected: tx`array_to_string(${fittingTypesOf(tx)}, ' or ')`,
    actual: tx`p.payment_type`,
    message: tx`format('The record is a %s %s and names payment %s, which is of type %s; %s would fit.',
      r.reconciliation_type, r.payment_type, p.id, p.payment_type,
      array_to_string(${fittingTypesOf(tx)}, ' or '))`,
  };
}

function success(tx: Tx): Check {
  return {
    code: 'PAYMENT_NOT_SUCCESSFUL',
    when: tx`(r.reconciliation_type = 'SETTLED' and p.outcome <> 'SUCCESS')`,
    expected: tx`'SUCCESS'`,
    actual: tx`p.outcome`,
    message: tx`format('%s %s were settled for payment %s, which %s (result code %s).',
      ${amountText(tx, tx`r.amount_minor`)}, r.currency, p.id,
      case p.outcome when 'PENDING' then 'is still pending' else 'failed' end, p.result_code)`,
  };
}

function reversal(tx: Tx): Check {
  return {
    code: 'PAYMENT_REVERSED',
    when: tx`(r.reconciliation_type = 'SETTLED' and v.payment_key is not null)`,
    expected: tx`'not reversed'`,
    actual: tx`(case when v.payment_key is null then 'not reversed' else 'reversed in full' end)`,
    message: tx`format('%s %s were settled for payment %s, which was reversed in full.',
      ${amountText(tx, tx`r.amount_minor`)}, r.currency, p.id)`,
  };
}

function details(tx: Tx): Check[] {
  return [
    {
      code: 'MERCHANT_ACCOUNT_MISMATCH',
      when: tx`(p.entity_id <> r.merchant_account_id and p.entity_id <> '')`,
      expected: tx`p.entity_id`,
      actual: tx`r.merchant_account_id`,
      message: tx`format('Payment %s was made on merchant account %s, but the record books it on %s.',
        p.id, p.entity_id, r.merchant_account_id)`,
    },
    {
      code: 'ACCOUNT_MISMATCH',
      when: tx`(p.account_number_last4 <> r.account_number_last4 and p.account_number_last4 <> ''
        and r.account_number_last4 <> '')`,
      expected: tx`p.account_number_last4`,
      actual: tx`r.account_number_last4`,
      message: tx`format('Payment %s was made with an account ending in %s, but the record names one ending in %s.',
        p.id, p.account_number_last4, r.account_number_last4)`,
    },
    {
      code: 'BRAND_MISMATCH',
      when: tx`(p.payment_brand <> r.brand and p.payment_brand <> '' and r.brand <> '')`,
      expected: tx`p.payment_brand`,
      actual: tx`r.brand`,
      message: tx`format('Payment %s was made with %s, but the record names %s.', p.id, p.payment_brand, r.brand)`,
    },
  ];
}
