import type { Fragment, Reader } from '../db/client.js';
import { areFewBesideRecords } from '../db/look-up-records.js';
import { itemAges, type AgedItems, type ClosedItems } from '../findings/item-ages.js';
import type { RunId } from '../values/ids.js';
import { itemRows, prepareView, type ItemView } from './item-rows.js';
import { isUnsettledAndDecided, settledSums } from './settled-findings.js';

/**
 * The items that were accepted and those that a run resolved, by currency and age. Only decided and resolved findings
 * are read, so it takes no longer when much is open; and of the accepted ones that a run noted, only their sums.
 *
 * A run may have resolved as many findings as there are records, but usually resolves few. Then it looks up their
 * records: with 121 tables of records, the planner expected so much of a join that the server started other processes
 * for the statement, and each of them prepared to read all tables.
 */
export async function closedItems(sql: Reader, view: ItemView, runId: RunId): Promise<ClosedItems> {
  const { asOf } = view;
  const prepared = await prepareView(sql, view);
  const decided = itemRows(sql, prepared, { wanted: isUnsettledAndDecided(sql, prepared) });
  const isResolved = sql`d.resolved_run = ${runId}`;
  const looksUpRecords = await areFewBesideRecords(sql, sql`select from discrepancies d where ${isResolved}`);
  const resolved = itemRows(sql, { ...prepared, looksUpRecords }, { wanted: isResolved });
  const rows = await sql<StoredGroup[]>`
    select status, currency, ${ageGroupOf(sql)} as age, sum(count)::int as count, sum(missing)::text as missing,
      sum(surplus)::text as surplus
    from (
      select 'ACCEPTED' as status, settled.currency, greatest(${asOf}::date - seen.as_of, 0) as age_days, settled.count,
        settled.missing, settled.surplus
      from (${settledSums(sql, prepared)}) settled left join runs seen on seen.id = settled.first_seen_run
      union all
      select status, currency, age_days, 1, greatest(at_risk_minor, 0), greatest(- at_risk_minor, 0) from (
        ${decided}) decided
      where status = 'ACCEPTED'
      union all
      select 'RESOLVED', currency, age_days, 1, greatest(at_risk_minor, 0), greatest(- at_risk_minor, 0) from (
        ${resolved}) resolved
    ) i
    group by 1, 2, 3
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
