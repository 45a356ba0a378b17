import { itemRows, type ItemView } from './item-rows.js';
import type { Fragment, Reader } from './fragment.js';
import { decisionsOfUnsettled, isUnsettled } from './settled-findings.js';

/**
 * `unresolved`, the items whose finding holds, and `current_items`, those of them that are not accepted, with the
 * columns of patterns: common table expressions for a statement that begins with `with`. Both are computed once,
 * whatever refers to them.
 *
 * @param accepted whether `unresolved` has the accepted items too; otherwise it may have some of them
 */
export function currentItems(
  sql: Reader,
  view: ItemView,
  accepted: 'with accepted' | 'open' = 'open',
): Fragment {
  const rows =
    accepted === 'with accepted'
      ? itemRows(sql, view, sql`d.resolved_run is null`)
      : itemRows(sql, view, isUnsettled(sql), decisionsOfUnsettled(sql));
  return sql`
    unresolved as materialized (${rows}),
    current_items as materialized (
      select c.*, count(*) over (partition by code, account, plain_expected, plain_actual) as alike from (
        select id, code, reconciliation_type, payment_type, merchant_account_id, currency, amount_minor, at_risk_minor,
          date, coalesce(merchant_account_id, '') as account,
          ${withoutDatesAndIds(sql, sql`expected`)} as plain_expected,
          ${withoutDatesAndIds(sql, sql`actual`)} as plain_actual
        from unresolved where status <> 'ACCEPTED') c)`;
}

/**
 * A text without its dates and ids, so that the same finding in a thousand records has the same text. An id is a word
 * of at least eight letters and digits with at least one digit. Most texts are shorter or amounts, and contain none.
 */
function withoutDatesAndIds(sql: Reader, text: Fragment): Fragment {
  const dateOrId = String.raw`\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2})?)?|\d+\.\d+\.\d+|(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{8,}`;
  return sql`(case
    when ${text} is null then ''
    when length(${text}) < 8 or ${text} ~ '^-?[0-9]+[.][0-9]{2}$' then ${text}
    else regexp_replace(${text}, ${dateOrId}, '…', 'g') end)`;
}
