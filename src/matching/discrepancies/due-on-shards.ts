import { onCopies } from '../../db/shards/on-copies.js';
import {
  askShards,
  collectFromShards,
  readAnswers,
  statementText,
  type ShardInput,
} from '../../db/shards/on-shards.js';
import type { Fragment, Tx } from '../fragment.js';
import { changedIdColumns } from '../changed-payments/changed-ids.js';
import { copyOfResults } from '../copies-from-shards.js';
import { dueWithMatchedRecord } from './settled-payments.js';

/** Which payments the shards list. */
interface DueQuery {
  /** The rows of `due_payments`. */
  readonly query: Fragment;
  /** Whether the query looks payments up by an index. */
  readonly byIndex: boolean;
  /** The last of the changes that a former run saw; null if all payments are looked at. */
  readonly change: string | null;
  /** Whether most of what is stored is about these payments. */
  readonly most: boolean;
}

/**
 * Each shard lists its due payments and leaves out those that are settled by a record of the same shard. These are
 * nearly all of them, because the record of a settlement is on the shard of the payment that it names.
 */
export async function listDueOnShards(tx: Tx, { query, byIndex, change, most }: DueQuery): Promise<void> {
  const changes = change === null ? [] : await changesInput(tx, change);
  const due = await statementText(tx, query);
  const seqscan = (value: string) => (byIndex ? `set local enable_seqscan to ${value};` : '');
  const unsettled = await statementText(
    tx,
    tx`select key, true, payment_type from due_payments where is_pending
      union all
      select d.key, false, d.payment_type from (
        select key from due_payments where not is_pending except ${dueWithMatchedRecord(tx, most)}) u
      join due_payments d on d.key = u.key`,
  );
  await askShards(tx, {
    inputs: [...changes, ...queryInputs(tx)],
    step: `drop table if exists pg_temp.due_payments; ${seqscan('off')}
      create temp table due_payments on commit drop as ${due};
      ${seqscan('default')} create unique index on pg_temp.due_payments (key); analyze pg_temp.due_payments`,
    answer: `select t::text from (${unsettled}) t`,
  });
  await readAnswers(tx, 'due_payments');
}

function queryInputs(tx: Tx): ShardInput[] {
  return [
    {
      name: 'discrepancies',
      columns: 'payment_key bigint, code text collate "C", resolved_run integer',
      rows: tx`select payment_key, code, resolved_run from discrepancies
        where code = 'MISSING_SETTLEMENT' and resolved_run is null`,
    },
    {
      name: 'payments_to_check',
      columns: 'payment_key bigint',
      rows: tx`select payment_key from payments_to_check`,
    },
    { name: 'lost_payments', columns: 'key bigint', rows: tx`select key from lost_payments` },
  ];
}

/**
 * The changes after that one. A changed reversal may be on a different shard from the payment that it refers to, so
 * that payment is among them.
 */
async function changesInput(tx: Tx, change: string): Promise<ShardInput[]> {
  const changed: ShardInput = {
    name: 'payment_changes',
    columns: changedIdColumns,
    rows: tx`select id, payment_id, column_name, old_value from payment_changes where id > ${change}::bigint`,
  };
  await collectFromShards(
    tx,
    'changed_references',
    tx`select c.id, p.referenced_payment_id as payment_id from payment_changes c join payments p on p.id = c.payment_id
      where p.referenced_payment_id is not null`,
    [changed],
  );
  const references = tx`select id, payment_id, null, null from changed_references`;
  return [{ ...changed, rows: tx`${changed.rows} union all ${references}` }];
}

/**
 * Does work that reads the results and records of `due_payments`. Most of the records that shards copy belong to
 * payments that a weaker key found on another shard.
 */
export async function onRowsOfDuePayments(tx: Tx, work: () => Promise<void>): Promise<void> {
  const results = tx`due_payments d join record_matches m on m.payment_key = d.key`;
  await onCopies(
    tx,
    {
      inputs: [
        {
          name: 'due_payments',
          columns: 'key bigint',
          rows: tx`select key from due_payments where not is_pending`,
        },
        {
          name: 'match_candidates',
          columns: 'file_id integer, line integer, payment_key bigint',
          rows: tx`select c.file_id, c.line, c.payment_key from match_candidates c
            join due_payments d on d.key = c.payment_key`,
        },
      ],
      copies: [
        {
          table: 'settlement_records',
          rows: tx`select r.file_id, r.line, r.reconciliation_type, r.payment_type, r.settlement_status
            from (select m.file_id, m.line from ${results} union select c.file_id, c.line from match_candidates c) k
            join settlement_records r on r.file_id = k.file_id and r.line = k.line`,
          indexed: 'file_id, line',
        },
        copyOfResults(tx, results),
      ],
    },
    work,
  );
}
