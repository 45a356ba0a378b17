import { itemAges, type AgedItems, type ClosedItems } from '../findings/item-ages.js';
import type { RunId } from '../values/ids.js';
import type { Fragment, Reader } from './fragment.js';
import { itemRows, type ItemView } from './item-rows.js';

/**
 * The items that were accepted and those that a run resolved, by currency and age. Only decided and resolved findings
 * are read, so it takes no longer when much is open.
 */
export async function closedItems(sql: Reader, view: ItemView, runId: RunId): Promise<ClosedItems> {
  const rows = await sql<StoredGroup[]>`
    select status, currency, age, count(*)::int as count,
      coalesce(sum(at_risk_minor) filter (where at_risk_minor > 0), 0)::text as missing,
      coalesce(-sum(at_risk_minor) filter (where at_risk_minor < 0), 0)::text as surplus
    from (
      select status, currency, at_risk_minor, ${ageGroupOf(sql)} as age from (
        ${itemRows(sql, view, sql`d.resolved_run is null and s.kind = 'accept'`)}) accepted
      where status = 'ACCEPTED'
      union all
      select status, currency, at_risk_minor, ${ageGroupOf(sql)} as age from (
        ${itemRows(sql, view, sql`d.resolved_run = ${runId}`)}) resolved
    ) i
    group by status, currency, age
    order by status, currency collate "C", age`;
  const ofStatus = (wanted: string) =>
    rows
      .filter(({ status }) => status === wanted)
      .map(({ currency, age, count, missing, surplus }): AgedItems => ({
        currency,
        age,
        count,
        missing: BigInt(missing),
        surplus: BigInt(surplus),
      }));
  return { accepted: ofStatus('ACCEPTED'), resolved: ofStatus('RESOLVED') };
}

interface StoredGroup extends Omit<AgedItems, 'missing' | 'surplus'> {
  readonly status: string;
  /** Hundredths, as text: a sum of bigints is a numeric. */
  readonly missing: string;
  readonly surplus: string;
}

/** The index in `itemAges`. */
function ageGroupOf(sql: Reader): Fragment {
  const [, ...later] = itemAges.map(({ from }) => from);
  return sql`width_bucket(coalesce(age_days, 0), string_to_array(${later.join(',')}, ',')::integer[])`;
}
