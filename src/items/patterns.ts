import type { Fragment, Reader } from '../db/client.js';
import { formatAmount } from '../values/money.js';
import { prepareView, type ItemView } from './item-rows.js';
import { unresolvedItems, withoutDatesAndIds } from './unresolved-items.js';
import { atRiskOf, sumsAtRisk, type AtRisk, type SumsAtRisk } from './at-risk.js';

/** More items than this with one cause are a pattern. */
const patternAbove = 20;

/**
 * Open items with one cause (design 4.9): more than 20 of one code, merchant account, and pair of expected and actual
 * value, without the dates and ids in it.
 */
export interface Pattern {
  /** The same for the same code, account and values. */
  readonly patternId: string;
  /** The discrepancy code that its items share. */
  readonly code: string;
  /** Of the records, or the entity of the payments; null where they have none. */
  readonly merchantAccountId: string | null;
  /** Both without dates and ids; null where the findings have no such value. */
  readonly expected: string | null;
  readonly actual: string | null;
  /** How many open items it has now: more than 20. */
  readonly count: number;
  /** The amounts of its items, and what is at risk of them, by currency. */
  readonly money: readonly PatternMoney[];
}

/** All in one currency. */
interface PatternMoney extends AtRisk {
  readonly currency: string;
  /** The sum of the amounts of its items. */
  readonly amount: string;
  /** Missing less surplus. */
  readonly atRisk: string;
}

/**
 * The patterns among the items that are open or waiting, the largest first. The members of each are summed by currency
 * first and the patterns from these sums, so that the items are read once however many patterns there are.
 */
export async function listPatterns(sql: Reader, view: ItemView): Promise<Pattern[]> {
  const unresolved = unresolvedItems(sql, await prepareView(sql, view));
  const rows = await sql<StoredPattern[]>`
    with ${unresolved}, sums as (${sumsByCurrency(sql)})
    select ${patternId(sql)} as "patternId", min(code) as code, min(account) as "merchantAccountId",
      nullif(min(expected), '') as expected, nullif(min(actual), '') as actual, sum(members)::int as count,
      json_agg(json_build_object('currency', coalesce(currency, ''), 'amount', amount::text, 'missing', missing::text,
          'surplus', surplus::text)
        order by currency collate "C") as money
    from sums
    group by cause having sum(members) > ${patternAbove}
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

/** What the items of each cause are about, by currency: a fragment. */
function sumsByCurrency(sql: Reader): Fragment {
  return sql`
    select cause, currency, ${whatIsAlike(sql)}, count(*) as members, coalesce(sum(amount_minor), 0) as amount,
      ${sumsAtRisk(sql)}
    from unresolved where cause is not null
    group by cause, currency`;
}

/** The columns that all items of a cause share, for a statement that groups by it. */
function whatIsAlike(sql: Reader): Fragment {
  return sql`min(code) as code, min(merchant_account_id) as account,
    ${withoutDatesAndIds(sql, sql`min(expected)`)} as expected, ${withoutDatesAndIds(sql, sql`min(actual)`)} as actual`;
}

/**
 * The patterns of `unresolved`: a fragment that selects `cause` and `pattern`. Whoever needs the pattern of an item
 * joins by the cause: a list of all members, counted in a window over the sorted items, took 3 of the 15 seconds that
 * the server needed for 630,000 open items.
 */
export function patternsOfItems(sql: Reader): Fragment {
  return sql`select cause, ${patternId(sql)} as pattern from unresolved
    where cause is not null group by cause having count(*) > ${patternAbove}`;
}

function patternId(sql: Reader): Fragment {
  return sql`'p' || left(encode(sha256(convert_to(cause, 'UTF8')), 'hex'), 12)`;
}
