import { isDivided } from '../../db/shards/is-divided.js';
import { lookedUpRecords } from '../../db/shards/rows-by-key.js';
import type { RunScope } from '../../db/run-scope.js';
import { matchingDecisions } from '../../findings/matching-decisions.js';
import type { Fragment, Tx } from '../fragment.js';

/**
 * Lists what people decided about matching (design 4.9): `manual_links`, the links and unlinks in effect, and
 * `redecided_records`, the records whose stored result is based on other ones (`applied_links`).
 *
 * The result follows from the decisions alone, so it does not matter how many runs or re-runs there were in between,
 * and a decision that was taken back before a run saw it changes nothing.
 *
 * @returns whether anybody has ever linked or unlinked a record; if not, there are no such tables, and matching sends
 *   the same statements as without decisions
 */
export async function listManualLinks(tx: Tx): Promise<boolean> {
  const [any] = await tx`select from decisions where kind in ('link', 'unlink') limit 1`;
  if (any === undefined) return false;
  await tx`create temp table manual_links on commit drop as
    select file_id, line, kind, payment_key from (${matchingDecisions(tx)}) d where kind in ('link', 'unlink')`;
  await tx`create index on pg_temp.manual_links (file_id, line)`;
  await tx`analyze manual_links`;
  const differing = tx`
      (select file_id, line, kind, payment_key from manual_links
        except select file_id, line, kind, payment_key from applied_links)
      union
      (select file_id, line, kind, payment_key from applied_links
        except select file_id, line, kind, payment_key from manual_links)`;
  const records = lookedUpRecords(tx, {
    isOnShards: await isDivided(tx),
    columns: tx`r.settlement_date`,
    of: tx`t`,
    places: tx`select file_id, line from (${differing}) d`,
  });
  await tx`create temp table redecided_records on commit drop as
    select t.file_id, t.line, r.settlement_date from (${differing}) t
    join ${records}
    group by t.file_id, t.line, r.settlement_date`;
  await tx`create unique index on pg_temp.redecided_records (file_id, line)`;
  await tx`analyze redecided_records`;
  return true;
}

/** The records in scope that were decided differently since they were matched: a run takes all of them. */
export function redecidedInScope(tx: Tx, scope: RunScope): Fragment {
  return scope.kind === 'run'
    ? tx`select file_id, line from redecided_records`
    : tx`select file_id, line from redecided_records where settlement_date between ${scope.from} and ${scope.to}`;
}
