import { formatAmount } from '../values/money.js';
import type { ItemView } from './item-rows.js';
import { currentItems } from './current-items.js';
import type { Fragment, Reader } from './fragment.js';

/** More items than this with one cause are a pattern. */
const patternAbove = 20;

/**
 * Open items with one cause (design 4.9): more than 20 of one code, merchant account, and pair of expected and actual
 * value, without the dates and ids in it.
 */
export interface Pattern {
  /** The same for the same code, account and values. */
  readonly patternId: string;
  readonly code: string;
  readonly merchantAccountId: string | null;
  readonly expected: string | null;
  readonly actual: string | null;
  readonly count: number;
  /** The amounts of its items, and what is at risk of them, by currency. */
  readonly money: readonly { readonly currency: string; readonly amount: string; readonly atRisk: string }[];
}

/** The patterns among the items that are open or waiting, the largest first. */
export async function listPatterns(sql: Reader, view: ItemView): Promise<Pattern[]> {
  const rows = await sql<StoredPattern[]>`
    with ${currentItems(sql, view)}, patterns as (${patterns(sql)})
    select p.pattern as "patternId", p.code, nullif(p.account, '') as "merchantAccountId",
      nullif(p.expected, '') as expected, nullif(p.actual, '') as actual, p.members::int as count,
      (select json_agg(json_build_object('currency', coalesce(m.currency, ''), 'amount', m.amount::text,
          'atRisk', m.at_risk::text) order by m.currency collate "C")
        from (select c.currency, coalesce(sum(c.amount_minor), 0) as amount, sum(c.at_risk_minor) as at_risk
          from current_items c where ${isMember(sql)} group by c.currency) m) as money
    from patterns p
    order by p.members desc, p.pattern collate "C"`;
  return rows.map(({ money, ...pattern }) => ({
    ...pattern,
    money: money.map(({ currency, amount, atRisk }) => ({
      currency,
      amount: formatAmount(BigInt(amount)),
      atRisk: formatAmount(BigInt(atRisk)),
    })),
  }));
}

interface StoredPattern extends Omit<Pattern, 'money'> {
  readonly money: readonly { readonly currency: string; readonly amount: string; readonly atRisk: string }[];
}

/** The patterns of `current_items`: a fragment that selects `pattern`, what it is made of, and `members`. */
function patterns(sql: Reader): Fragment {
  return sql`
    select code, account, plain_expected as expected, plain_actual as actual, count(*) as members,
      ${patternId(sql)} as pattern
    from current_items where alike > ${patternAbove}
    group by code, account, plain_expected, plain_actual`;
}

/**
 * The items of `current_items` that belong to a pattern: a fragment that selects `id` and `pattern`. Each item knows how
 * many are like it. A join of items with patterns, of which the server expects one, compared each of 9,000 items with
 * each of 7,500 members: 20 of the 27 seconds of a report.
 */
export function patternMembers(sql: Reader): Fragment {
  return sql`select id, ${patternId(sql)} as pattern from current_items where alike > ${patternAbove}`;
}

function patternId(sql: Reader): Fragment {
  return sql`'p' || left(encode(sha256(convert_to(
    concat_ws(chr(31), code, account, plain_expected, plain_actual), 'UTF8')), 'hex'), 12)`;
}

/** Whether item `c` (current_items) belongs to pattern `p` (patterns). */
function isMember(sql: Reader): Fragment {
  return sql`(c.code = p.code and c.account = p.account and c.plain_expected = p.expected
    and c.plain_actual = p.actual)`;
}
