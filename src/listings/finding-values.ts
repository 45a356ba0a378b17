import type { Tx } from '../db/client.js';
import { isDivided } from '../db/shards/is-divided.js';
import { paymentsWithKeys, rowsAtPlaces } from '../db/shards/rows-by-key.js';
import { currencyOfDifferences } from '../findings/stated-money.js';
import { formatAmount } from '../values/money.js';
import type { DiscrepancyId, RunId } from '../values/ids.js';

/** What a finding said at the end of a run. */
interface Values {
  readonly State: 'open' | 'resolved';
  readonly resolvedRun: RunId | null;
  readonly Severity: string | null;
  /** FILE:LINE of the record that shows it. */
  readonly Record: string | null;
  /** With its currency, as is the difference. */
  readonly Amount: string | null;
  readonly Expected: string | null;
  readonly Actual: string | null;
  readonly Difference: string | null;
}

/** A finding that may differ between two runs, with its values after each; null where it did not exist yet. */
export interface FindingValues {
  readonly discrepancyId: DiscrepancyId;
  readonly code: string;
  readonly message: string;
  readonly firstSeenRun: RunId;
  readonly changedBy: RunId;
  readonly file: string | null;
  readonly line: number | null;
  readonly paymentId: string | null;
  readonly before: Values | null;
  readonly after: Values;
}

interface StoredValues {
  readonly id: DiscrepancyId;
  readonly code: string;
  readonly message: string;
  readonly firstSeenRun: RunId;
  readonly changedBy: RunId;
  readonly paymentId: string | null;
  readonly at: 'before' | 'after';
  readonly severity: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly expected: string | null;
  readonly actual: string | null;
  readonly difference: bigint | null;
  readonly resolvedRun: RunId | null;
  readonly amount: bigint | null;
  readonly currency: string | null;
  readonly differenceCurrency: string | null;
}

/**
 * The findings that a run after `before` and not after `after` found, changed, resolved or opened again. A finding has,
 * after a run, the values that the next run that changed it replaced, and today's values if none did.
 */
export async function valuesOfFindings(tx: Tx, before: RunId, after: RunId): Promise<FindingValues[]> {
  const isOnShards = await isDivided(tx);
  const touched = tx`(select id from touched)`;
  const places = tx`select file_id, line from discrepancies where id in ${touched}
    union select file_id, line from discrepancy_changes where id in ${touched}`;
  const keys = tx`select payment_key from discrepancies where id in ${touched}`;
  const rows = await tx<StoredValues[]>`
    with touched as (
      select id from discrepancies
      where first_seen_run > ${before} and first_seen_run <= ${after}
        or resolved_run > ${before} and resolved_run <= ${after}
      union
      select id from discrepancy_changes where run_id > ${before} and run_id <= ${after}
    )
    select d.id, d.code, d.message, d.first_seen_run as "firstSeenRun", p.id as "paymentId", run.at,
      coalesce((select max(c.run_id) from discrepancy_changes c
        where c.id = d.id and c.run_id > ${before} and c.run_id <= ${after}), d.resolved_run, d.first_seen_run)
        as "changedBy",
      v.severity, f.name as file, v.line, v.expected, v.actual, v.difference_minor as difference,
      case when v.resolved_run <= run.id then v.resolved_run end as "resolvedRun",
      coalesce(r.amount_minor, p.amount_minor) as amount, coalesce(r.currency, p.currency) as currency,
      ${currencyOfDifferences(tx)} as "differenceCurrency"
    from touched t join discrepancies d on d.id = t.id
    cross join (values ('before', ${before}::integer), ('after', ${after}::integer)) run (at, id)
    cross join lateral (
      select * from (
        select c.severity, c.file_id, c.line, c.expected, c.actual, c.difference_minor, c.resolved_run, c.run_id
        from discrepancy_changes c where c.id = d.id and c.run_id > run.id
        union all
        select d.severity, d.file_id, d.line, d.expected, d.actual, d.difference_minor, d.resolved_run, null
      ) known order by run_id nulls last limit 1
    ) v
    left join settlement_files f on f.id = v.file_id
    left join ${rowsAtPlaces(tx, isOnShards, 'settlement_records', places)} r on r.file_id = v.file_id and r.line = v.line
    left join ${paymentsWithKeys(tx, isOnShards, keys)} p on p.key = d.payment_key
    where d.first_seen_run <= run.id`;
  const earlier = new Map(rows.filter(({ at }) => at === 'before').map((row) => [row.id, row]));
  return rows
    .filter(({ at }) => at === 'after')
    .map((last) => {
      const first = earlier.get(last.id);
      const { id: discrepancyId, code, message, firstSeenRun, changedBy, file, line, paymentId } = last;
      return {
        ...{ discrepancyId, code, message, firstSeenRun, changedBy, file, line, paymentId },
        before: first === undefined ? null : valuesOf(first),
        after: valuesOf(last),
      };
    });
}

function valuesOf(stored: StoredValues): Values {
  const money = (minor: bigint | null, currency: string | null) =>
    minor === null ? null : [formatAmount(minor), currency].filter((part) => part !== null).join(' ');
  return {
    State: stored.resolvedRun === null ? 'open' : 'resolved',
    resolvedRun: stored.resolvedRun,
    Severity: stored.severity,
    Record: stored.file === null ? null : `${stored.file}:${stored.line ?? 0}`,
    Amount: money(stored.amount, stored.currency),
    Expected: stored.expected,
    Actual: stored.actual,
    Difference: money(stored.difference, stored.differenceCurrency),
  };
}
