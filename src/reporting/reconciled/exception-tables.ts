import type { Fragment, Tx } from '../../db/client.js';
import { isDivided } from '../../db/shards/is-divided.js';
import { collectFromShards } from '../../db/shards/on-shards.js';
import type { FileId } from '../../values/ids.js';
import { isFoundByOwnId } from './found-by-own-id.js';

/** Where the results of a file are that its reconciled file must list, and the payments that they name. */
export interface ExceptionTables {
  /** At least the results that are not the payment of the row's own UniqueID, and those of chargebacks. */
  readonly results: Fragment;
  readonly payments: Fragment;
  /** The records of the rows that were already known, and the results of these records. */
  readonly known: { readonly records: Fragment; readonly results: Fragment };
}

/**
 * With shards, each shard lists the few results of the file that are exceptions. The payments that they name may be on
 * any shard. Otherwise they are the tables themselves. The records of rows that were already known are in other files.
 */
export async function exceptionTables(
  tx: Tx,
  { id: fileId, rows_already_known: known }: { readonly id: FileId; readonly rows_already_known: number },
): Promise<ExceptionTables> {
  const tables = { records: tx`settlement_records`, results: tx`record_matches` };
  if (!(await isDivided(tx))) return { results: tables.results, payments: tx`payments`, known: tables };
  const knownTable = known > 0 ? await collectKnown(tx, fileId) : undefined;
  const ofKnown = knownTable === undefined ? undefined : tx`${tx(knownTable)}`;
  const [results, payments] = [`exceptions_${fileId}`, `exception_payments_${fileId}`];
  for (const table of [results, payments]) await tx`drop table if exists ${tx(`pg_temp.${table}`)}`;
  await collectFromShards(
    tx,
    results,
    tx`select m.* from record_matches m where m.file_id = ${fileId}
      and (not ${isFoundByOwnId(tx)}
        or m.line in (select line from chargeback_links l where l.file_id = ${fileId} and l.active))`,
    [
      {
        name: 'chargeback_links',
        columns: 'file_id integer, line integer, active boolean',
        rows: tx`select file_id, line, active from chargeback_links where file_id = ${fileId}`,
      },
    ],
  );
  await tx`create index on ${tx(`pg_temp.${results}`)} (file_id, line)`;
  await tx`analyze ${tx(`pg_temp.${results}`)}`;
  const keys = tx`select m.payment_key from ${tx(results)} m where not ${isFoundByOwnId(tx)}
    union select payment_key from match_candidates where file_id = ${fileId} ${
      ofKnown === undefined
        ? tx``
        : tx`union select m.payment_key from ${ofKnown} m where not ${isFoundByOwnId(tx)}
            union select c.payment_key from ${ofKnown} m join match_candidates c on c.file_id = m.file_id and c.line = m.line`
    }`;
  await tx`create temp table exception_keys on commit drop as ${keys}`;
  await collectFromShards(
    tx,
    payments,
    tx`select p.id, p.key from exception_keys k join payments p on p.key = k.payment_key`,
    [
      {
        name: 'exception_keys',
        columns: 'payment_key bigint',
        rows: tx`select payment_key from exception_keys where payment_key is not null`,
      },
    ],
  );
  await tx`drop table pg_temp.exception_keys`;
  await tx`create index on ${tx(`pg_temp.${payments}`)} (key)`;
  await tx`analyze ${tx(`pg_temp.${payments}`)}`;
  return {
    results: tx`${tx(results)}`,
    payments: tx`${tx(payments)}`,
    known: ofKnown === undefined ? tables : { records: ofKnown, results: ofKnown },
  };
}

/**
 * Each shard joins its records of the rows that were already known with their results.
 *
 * @returns the name of the table
 */
async function collectKnown(tx: Tx, fileId: FileId): Promise<string> {
  const table = `known_results_${fileId}`;
  await tx`drop table if exists ${tx(`pg_temp.${table}`)}`;
  await collectFromShards(
    tx,
    table,
    tx`select r.file_id, r.line, r.settlement_date, m.status, m.matched_by, m.matched_through, m.payment_key
      from (select distinct record_file_id, record_line from already_known_rows) k
      join settlement_records r on r.file_id = k.record_file_id and r.line = k.record_line
      left join record_matches m on m.file_id = r.file_id and m.line = r.line`,
    [
      {
        name: 'already_known_rows',
        columns: 'record_file_id integer, record_line integer',
        rows: tx`select record_file_id, record_line from already_known_rows where file_id = ${fileId}`,
      },
    ],
  );
  await tx`create index on ${tx(`pg_temp.${table}`)} (file_id, line)`;
  await tx`analyze ${tx(`pg_temp.${table}`)}`;
  return table;
}
