import type { Fragment, Tx } from '../db/client.js';
import { isDivided } from '../db/shards/is-divided.js';
import { paymentsWithKeys, rowsAtPlaces } from '../db/shards/rows-by-key.js';
import type { ChangedCell } from '../findings/changed-cell.js';
import { currencyOfDifferences } from '../findings/stated-money.js';
import type { DiscrepancyId, RunId } from '../values/ids.js';
import { batchSize } from './listing.js';

/** A discrepancy that was found, resolved, opened again or changed after one run and not later than another. */
export interface FindingDifference {
  /** `reopened`: it had been resolved before. */
  readonly kind: 'added' | 'resolved' | 'reopened' | 'changed';
  /** The run that found or resolved it, or the last one that changed it. */
  readonly runId: RunId;
  /** 32 hexadecimal digits, the same before and after. */
  readonly discrepancyId: DiscrepancyId;
  /** One of design 4.6. */
  readonly code: string;
  /** `error`, `warning` or `info`, as it is now. */
  readonly severity: string;
  /** Where its record is; null for a finding about a payment alone. */
  readonly file: string | null;
  /** The first physical line of the record in `file`. */
  readonly line: number | null;
  /** Null where no payment is involved. */
  readonly paymentId: string | null;
  /** What it says now. */
  readonly message: string;
  /** Of one that was changed or opened again. */
  readonly cells: readonly ChangedCell[];
}

const columns = ['State', 'Severity', 'Record', 'Amount', 'Expected', 'Actual', 'Difference'] as const;

/** What a finding said at the end of a run. */
type Values = Readonly<Record<(typeof columns)[number], string | null>>;

type ChangedFinding = Omit<FindingDifference, 'cells'> & { readonly before: Values; readonly after: Values };

/**
 * The findings that a run after `before` and not after `after` found, changed, resolved or opened again, by kind, run,
 * code and id, in batches. One that was found and resolved in between is listed twice.
 *
 * A finding has, after a run, the values that the next run that changed it replaced, and today's values if none did.
 */
export async function* changedFindings(
  tx: Tx,
  before: RunId,
  after: RunId,
): AsyncGenerator<FindingDifference[]> {
  const isOnShards = await isDivided(tx);
  const touched = tx`(select id from touched)`;
  const places = tx`select file_id, line from discrepancies where id in ${touched}
    union select file_id, line from discrepancy_changes where id in ${touched}`;
  const keys = tx`select payment_key from discrepancies where id in ${touched}`;
  const records = rowsAtPlaces(tx, isOnShards, 'settlement_records', places);
  const rows = tx<ChangedFinding[]>`
    with touched as (
      select id from discrepancies
      where first_seen_run > ${before} and first_seen_run <= ${after}
        or resolved_run > ${before} and resolved_run <= ${after}
      union
      select id from discrepancy_changes where run_id > ${before} and run_id <= ${after}
    )
    select e.kind, e.run_id as "runId", d.id as "discrepancyId", d.code, a.severity, a_file.name as file, a.line,
      p.id as "paymentId", d.message, ${valuesOf(tx, 'b')} as before, ${valuesOf(tx, 'a')} as after
    from touched t join discrepancies d on d.id = t.id
    cross join lateral (${storedAfter(tx, after)}) a
    left join lateral (${storedAfter(tx, before)}) b on d.first_seen_run <= ${before}
    cross join lateral (
      select 'added' as kind, d.first_seen_run as run_id where d.first_seen_run > ${before}
      union all
      select 'resolved', a.resolved_run where a.resolved_run is not null and b.resolved_run is null
      union all
      select case when b.resolved_run is null then 'changed' else 'reopened' end,
        coalesce((select max(c.run_id) from discrepancy_changes c
          where c.id = d.id and c.run_id > ${before} and c.run_id <= ${after}), d.resolved_run, d.first_seen_run)
      where a.resolved_run is null and d.first_seen_run <= ${before}
    ) e
    left join settlement_files a_file on a_file.id = a.file_id
    left join settlement_files b_file on b_file.id = b.file_id
    left join ${records} a_record on a_record.file_id = a.file_id and a_record.line = a.line
    left join ${records} b_record on b_record.file_id = b.file_id and b_record.line = b.line
    left join ${paymentsWithKeys(tx, isOnShards, keys)} p on p.key = d.payment_key
    order by e.kind collate "C", e.run_id, d.code, d.id`;
  for await (const batch of rows.cursor(batchSize)) yield batch.flatMap(differenceOf);
}

/** The values of finding `d` after a run, if it existed then. */
function storedAfter(tx: Tx, runId: RunId): Fragment {
  return tx`
    select severity, file_id, line, expected, actual, difference_minor,
      case when resolved_run <= ${runId} then resolved_run end as resolved_run
    from (
      select c.severity, c.file_id, c.line, c.expected, c.actual, c.difference_minor, c.resolved_run, c.run_id
      from discrepancy_changes c where c.id = d.id and c.run_id > ${runId}
      union all
      select d.severity, d.file_id, d.line, d.expected, d.actual, d.difference_minor, d.resolved_run, null
    ) known order by run_id nulls last limit 1`;
}

/** What a finding says with these stored values, as {@link Values}. */
function valuesOf(tx: Tx, stored: 'a' | 'b'): Fragment {
  const [v, f, r] = [tx`${tx(stored)}`, tx`${tx(`${stored}_file`)}`, tx`${tx(`${stored}_record`)}`];
  const money = (minor: Fragment, currency: Fragment) =>
    tx`case when ${minor} is not null then concat_ws(' ', round(${minor}::numeric / 100, 2), ${currency}) end`;
  return tx`jsonb_build_object(
      'State', case when ${v}.resolved_run is null then 'open' else 'resolved' end,
      'Severity', ${v}.severity, 'Record', ${f}.name || ':' || ${v}.line,
      'Amount', ${money(tx`coalesce(${r}.amount_minor, p.amount_minor)`, tx`coalesce(${r}.currency, p.currency)`)},
      'Expected', ${v}.expected, 'Actual', ${v}.actual,
      'Difference', ${money(tx`${v}.difference_minor`, currencyOfDifferences(tx, r))})`;
}

function differenceOf({ before, after, ...finding }: ChangedFinding): FindingDifference[] {
  if (finding.kind === 'added' || finding.kind === 'resolved') return [{ ...finding, cells: [] }];
  const cells = columns
    .filter((column) => before[column] !== after[column])
    .map((column) => ({ column, before: before[column], after: after[column] }));
  return cells.length === 0 ? [] : [{ ...finding, cells }];
}
