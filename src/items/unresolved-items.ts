import type { Fragment, Reader } from '../db/client.js';
import { itemRows, type PreparedView } from './item-rows.js';
import { unsettledFindings } from './settled-findings.js';

/**
 * `unresolved`, the items whose finding holds, as a common table expression for a statement that begins with `with`:
 * the columns of `itemRows`, and `cause`, the same text for items of one code, merchant account, and pair of expected
 * and actual value without the dates and ids in it. It is null for accepted items, of which it may have some. All is
 * computed once, whatever refers to it.
 */
export function unresolvedItems(sql: Reader, view: PreparedView): Fragment {
  const rows = itemRows(sql, view, { from: unsettledFindings(sql, view) });
  // Behind `offset 0`, so that the server computes each value once.
  return sql`
    unresolved as materialized (
      select i.*, case when status <> 'ACCEPTED' then concat_ws(chr(31), code, coalesce(merchant_account_id, ''),
        ${withoutDatesAndIds(sql, sql`expected`)}, ${withoutDatesAndIds(sql, sql`actual`)}) end as cause
      from (${rows} offset 0) i)`;
}

/** The items of `unresolved` that are not accepted: a fragment. */
export function currentItems(sql: Reader): Fragment {
  return sql`(select * from unresolved where cause is not null)`;
}

/**
 * A text without its dates and ids, so that the same finding in a thousand records has the same text. An id is a word
 * of at least eight letters and digits with at least one digit. Most texts are shorter or amounts, and contain none: a
 * search takes 2 µs.
 */
export function withoutDatesAndIds(sql: Reader, text: Fragment): Fragment {
  const dateOrId = String.raw`\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2})?)?|\d+\.\d+\.\d+|(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{8,}`;
  return sql`(case
    when ${text} is null then ''
    when length(${text}) < 8 or ${text} ~ '^-?[0-9]+[.][0-9]{2}( [A-Z]{3})?$' then ${text}
    else regexp_replace(${text}, ${dateOrId}, '…', 'g') end)`;
}
