import { recordsInScope, type RunScope } from '../db/run-scope.js';
import type { Tx } from './fragment.js';
import {
  isMatchable,
  matchingKeys,
  uniqueIdKey,
  type AttributeSettings,
  type MatchingKey,
} from './matching-keys.js';
import { narrowed, narrowingColumns } from './narrowing.js';
import { refreshStatistics } from './refresh-statistics.js';
import { selectRechecks } from './select-rechecks.js';
import { storeCandidates, storeMatches } from './store-matches.js';
import { prepareWorkTables } from './work-tables.js';

export interface MatchSettings {
  readonly runId: number;
  readonly attributes: AttributeSettings;
  /** How far back, in days before the as-of date, a record that is still open is looked at again. */
  readonly lookbackDays: number;
}

/**
 * Matches the records in scope with the stored payments (design 4.4) and stores a result for each of them.
 * A record whose chargeback id was given keeps the payment it was given for. Rows that would not change
 * are not written.
 *
 * First of the three steps of one transaction; the later ones read its work tables.
 */
export async function matchRecords(tx: Tx, scope: RunScope, settings: MatchSettings): Promise<void> {
  await prepareWorkTables(tx);
  if (scope.kind === 'run') await selectRechecks(tx, scope, settings.lookbackDays);
  await refreshStatistics(tx, 'payments');
  await refreshStatistics(tx, 'settlement_records');
  await matchByUniqueId(tx, scope);
  await listUndecided(tx);
  await tx`create temp table key_hits (file_id integer, line integer, matched_by matched_by,
    payment_key bigint, fits_type boolean, succeeded boolean, same_amount boolean) on commit drop`;
  for (const key of matchingKeys(tx, settings.attributes)) {
    if (key.name !== 'UNIQUE_ID') await matchByKey(tx, key);
  }
  await tx`analyze key_hits`;
  await tx`create temp table kept_hits on commit drop as ${narrowed(tx, tx`select * from key_hits`)}`;
  await concludeMatches(tx);
  await storeMatches(tx, settings.runId);
  await refreshStatistics(tx, 'record_matches');
  await storeCandidates(tx);
}

/** Reads the scope once and takes the fast path for the bulk: a UniqueID finds one payment or none. */
async function matchByUniqueId(tx: Tx, scope: RunScope): Promise<void> {
  await tx`create temp table scope_records on commit drop as
    select r.file_id, r.line, r.reconciliation_type, ${isMatchable(tx)} as matchable,
      l.file_id is not null as pinned, p.key as unique_key
    from (${recordsInScope(tx, scope)}) s
    join settlement_records r on r.file_id = s.file_id and r.line = s.line
    left join chargeback_links l on l.file_id = s.file_id and l.line = s.line
    left join payments p on ${uniqueIdKey(tx)}`;
  await tx`analyze scope_records`;
}

async function listUndecided(tx: Tx): Promise<void> {
  await tx`create temp table undecided on commit drop as
    select file_id, line from scope_records where matchable and not pinned and unique_key is null`;
  await tx`analyze undecided`;
}

/** Finds payments for the records that no stronger key has found any for. */
async function matchByKey(tx: Tx, key: MatchingKey): Promise<void> {
  const hits = key.alternatives
    .map(
      (condition) => tx`
      select u.file_id, u.line, p.key from undecided u
      join settlement_records r on r.file_id = u.file_id and r.line = u.line
      join payments p on ${condition}
      where not exists (select from key_hits h where h.file_id = u.file_id and h.line = u.line)`,
    )
    .reduce((all, more) => tx`${all} union ${more}`);
  await tx`insert into key_hits
    select h.file_id, h.line, ${key.name}::matched_by, h.key, ${narrowingColumns(tx)}
    from (${hits}) h
    join settlement_records r on r.file_id = h.file_id and r.line = h.line
    join payments p on p.key = h.key`;
}

/** The result for every record in scope, beside the one that is stored. */
async function concludeMatches(tx: Tx): Promise<void> {
  await tx`create temp table new_matches on commit drop as
    select n.*, o.payment_key as former_payment_key, o.file_id is null as is_new, o.file_id is null
        or (o.status, o.matched_by, o.payment_key) is distinct from (n.status, n.matched_by, n.payment_key)
      as changed
    from (
      select s.file_id, s.line, s.reconciliation_type, (case
          when not s.matchable then 'NOT_APPLICABLE'
          when s.unique_key is not null or d.found = 1 then 'MATCHED'
          when d.found > 1 then 'MULTIPLE_MATCHES'
          else 'NOT_MATCHED' end)::matching_status as status,
        case when not s.matchable then null when s.unique_key is not null then 'UNIQUE_ID'
          else d.matched_by end as matched_by,
        case when s.matchable then coalesce(s.unique_key, case when d.found = 1 then d.payment_key end) end
          as payment_key
      from scope_records s left join (
        select file_id, line, count(*) as found, min(matched_by) as matched_by, min(payment_key) as payment_key
        from kept_hits group by file_id, line) d using (file_id, line)
      where not s.pinned
      union all
      select s.file_id, s.line, s.reconciliation_type, m.status, m.matched_by, m.payment_key
      from scope_records s join record_matches m using (file_id, line) where s.pinned
    ) n left join record_matches o using (file_id, line)`;
  await tx`analyze new_matches`;
}
