import { formatAmount } from '../values/money.js';
import type { ItemView } from './item-rows.js';
import { currentItems } from './current-items.js';
import { atRiskOf, sumsAtRisk, type AtRisk, type SumsAtRisk } from './at-risk.js';
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
  readonly money: readonly PatternMoney[];
}

/** All in one currency. */
interface PatternMoney extends AtRisk {
  readonly currency: string;
  readonly amount: string;
  /** Missing less surplus. */
  readonly atRisk: string;
}

/**
 * The patterns among the items that are open or waiting, the largest first. The members of each are summed by currency
 * first and the patterns from these sums, so that the items are read once however many patterns there are.
 */
export async function listPatterns(sql: Reader, view: ItemView): Promise<Pattern[]> {
  const rows = await sql<StoredPattern[]>`
    with ${currentItems(sql, view)}, sums as (${sumsByCurrency(sql)})
    select ${patternId(sql)} as "patternId", code, nullif(account, '') as "merchantAccountId",
      nullif(plain_expected, '') as expected, nullif(plain_actual, '') as actual, sum(members)::int as count,
      json_agg(json_build_object('currency', coalesce(currency, ''), 'amount', amount::text, 'missing', missing::text,
          'surplus', surplus::text)
        order by currency collate "C") as money
    from sums
    group by code, account, plain_expected, plain_actual
    order by sum(members) desc, (${patternId(sql)}) collate "C"`;
  return rows.map(({ money, ...pattern }) => ({
    ...pattern,
    money: money.map(({ currency, amount, missing, surplus }) =>
      patternMoney({
        currency,
        amount: BigInt(amount),
        missing: BigInt(missing),
        surplus: BigInt(surplus),
      }),
    ),
  }));
}

interface StoredPattern extends Omit<Pattern, 'money'> {
  /** In hundredths, as texts. */
  readonly money: readonly {
    readonly currency: string;
    readonly amount: string;
    readonly missing: string;
    readonly surplus: string;
  }[];
}

/** The money of a pattern from hundredths. */
export function patternMoney({
  currency,
  amount,
  ...sums
}: SumsAtRisk & { readonly currency: string; readonly amount: bigint }): PatternMoney {
  const atRisk = formatAmount(sums.missing - sums.surplus);
  return { currency, amount: formatAmount(amount), atRisk, ...atRiskOf(sums) };
}

/** What the members of each pattern of `current_items` are about, by currency: a fragment. */
function sumsByCurrency(sql: Reader): Fragment {
  return sql`
    select code, account, plain_expected, plain_actual, currency, count(*) as members,
      coalesce(sum(amount_minor), 0) as amount, ${sumsAtRisk(sql)}
    from current_items where alike > ${patternAbove}
    group by code, account, plain_expected, plain_actual, currency`;
}

/**
 * The items of `current_items` that belong to a pattern: a fragment that selects `id` and `pattern`. Each item knows
 * how many are like it. A join of items with patterns, of which the server expects one, compared each of 9,000 items
 * with each of 7,500 members: 20 of the 27 seconds of a report.
 */
export function patternMembers(sql: Reader): Fragment {
  return sql`select id, ${patternId(sql)} as pattern from current_items where alike > ${patternAbove}`;
}

function patternId(sql: Reader): Fragment {
  return sql`'p' || left(encode(sha256(convert_to(
    concat_ws(chr(31), code, account, plain_expected, plain_actual), 'UTF8')), 'hex'), 12)`;
}
