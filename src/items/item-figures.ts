import type { Reader } from '../db/client.js';
import { itemRows, prepareView, type ItemView } from './item-rows.js';
import { unsettledFindings } from './settled-findings.js';

/** The items of one code and currency that are open or waiting, with their money at risk in hundredths. */
export interface ItemFigures {
  readonly code: string;
  /** Null where no money is in question. */
  readonly currency: string | null;
  readonly open: number;
  readonly waiting: number;
  /** Those that this run saw first. */
  readonly new: number;
  /** What we should have and do not have, and what we have and should not have. */
  readonly missing: bigint;
  readonly surplus: bigint;
  /** The same of the items that this run saw first. */
  readonly newMissing: bigint;
  readonly newSurplus: bigint;
}

/**
 * Adds up the items of the whole database by code and currency: at most as many rows as there are pairs of a code and a
 * currency. It reads every open item, and no other record or payment.
 *
 * @param runId the run whose items are new; 0 for none
 */
export async function itemFigures(sql: Reader, view: ItemView, runId: number): Promise<ItemFigures[]> {
  const prepared = await prepareView(sql, view);
  const rows = itemRows(sql, prepared, { from: unsettledFindings(sql, prepared) });
  const atRisk = sql`coalesce(sum(abs(at_risk_minor))`;
  return sql<ItemFigures[]>`
    select code, currency, count(*) filter (where status = 'OPEN')::int as open,
      count(*) filter (where status = 'WAITING')::int as waiting,
      count(*) filter (where first_seen_run = ${runId})::int as new,
      ${atRisk} filter (where at_risk_minor > 0), 0)::bigint as missing,
      ${atRisk} filter (where at_risk_minor < 0), 0)::bigint as surplus,
      ${atRisk} filter (where at_risk_minor > 0 and first_seen_run = ${runId}), 0)::bigint as "newMissing",
      ${atRisk} filter (where at_risk_minor < 0 and first_seen_run = ${runId}), 0)::bigint as "newSurplus"
    from (${rows}) i
    where status not in ('ACCEPTED', 'RESOLVED')
    group by code, currency order by code, currency nulls first`;
}
