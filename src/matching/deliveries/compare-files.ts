import { isDivided } from '../../db/shards/is-divided.js';
import { onCopies } from '../../db/shards/on-copies.js';
import { rowsAtPlaces } from '../../db/shards/rows-by-key.js';
import type { FileId } from '../../values/ids.js';
import type { ChangedCell } from '../../findings/changed-cell.js';
import { amountText, type Fragment, type Tx } from '../fragment.js';
import { comparedCells } from './delivered-cells.js';
import { deliveryKey, paymentReference } from './delivery-key.js';

/** A record that only one of two files has, or that both have with different cells. */
export interface RecordDifference {
  /** `added`: only the second file has it. */
  readonly kind: 'added' | 'removed' | 'changed';
  /** Lines of the first and of the second file. */
  readonly lineBefore: number | null;
  /** Null for a record that only the first file has; `lineBefore` for one that only the second has. */
  readonly lineAfter: number | null;
  /** Of the second file where it has the record; null if the cell is empty. */
  readonly settlementTxId: string | null;
  /** The same, of column UniqueID. */
  readonly uniqueId: string | null;
  /** Of the second file where it has the record, as `123.45`. */
  readonly amount: string;
  /** Of `amount`: a code of ISO 4217. */
  readonly currency: string;
  /** Of a changed record. */
  readonly cells: readonly ChangedCell[];
}

/** What two files have in common, and what not. */
export interface FileComparison {
  readonly unchanged: number;
  /** In batches, which are read again each time they are iterated. */
  readonly differences: AsyncIterable<readonly RecordDifference[]>;
}

/**
 * Compares the accepted rows of two files (design 4.8). Rows with the same cells are unchanged. The others are paired
 * by what they have in common, step by step, each time in the order of their lines; a row without a partner was added
 * or removed.
 *
 * @param read what is done with the comparison, which cannot be read after it
 */
export async function compareFiles<T>(
  tx: Tx,
  before: FileId,
  after: FileId,
  read: (comparison: FileComparison) => Promise<T>,
): Promise<T> {
  const known = tx`select record_file_id as file_id, record_line as line from already_known_rows
    where file_id in (${before}, ${after})`;
  await tx`create temp table rows_of_files on commit drop as
    select case file_id when ${before} then 'before' else 'after' end as side, line as row_line, file_id, line
    from settlement_records where file_id in (${before}, ${after})
    union all
    select case k.file_id when ${before} then 'before' else 'after' end, k.line, r.file_id, r.line
    from already_known_rows k
    join ${rowsAtPlaces(tx, await isDivided(tx), 'settlement_records', known)} r
      on r.file_id = k.record_file_id and r.line = k.record_line
    where k.file_id in (${before}, ${after})`;
  await tx`create temp table other_rows on commit drop as
    select * from (
      select o.*, count(*) over (partition by o.file_id, o.line) as sides from rows_of_files o) o
    where sides = 1`;
  await tx`analyze other_rows`;
  const [all] = await tx<{ unchanged: number }[]>`
    select (count(*)::integer - (select count(*)::integer from other_rows)) / 2 as unchanged from rows_of_files`;
  return onOtherRecords(tx, async () => {
    await tx`create temp table paired_rows (before_line integer, after_line integer) on commit drop`;
    for (const key of pairingKeys(tx)) await pairRows(tx, key);
    await tx`analyze paired_rows`;
    const differences = { [Symbol.asyncIterator]: () => readDifferences(tx) };
    return read({ unchanged: all?.unchanged ?? 0, differences });
  });
}

/** Does work that reads only the records of `other_rows`. With shards, it is done on copies. */
function onOtherRecords<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  return onCopies(
    tx,
    {
      inputs: [
        {
          name: 'other_rows',
          columns: 'file_id integer, line integer',
          rows: tx`select file_id, line from other_rows`,
        },
      ],
      copies: [
        {
          table: 'settlement_records',
          rows: tx`select r.* from other_rows o
            join settlement_records r on r.file_id = o.file_id and r.line = o.line`,
          indexed: 'file_id, line',
        },
      ],
    },
    work,
  );
}

/**
 * What two rows have in common that are one record, the surest first: what makes them deliveries of one record; the
 * SettlementTxId, when the payment reference was corrected; the reference of rows without SettlementTxId; and of rows
 * without either, such as monthly fees, account, date, currency and amount, and then the same with another amount.
 */
function pairingKeys(tx: Tx): readonly Fragment[] {
  const types = tx`r.reconciliation_type || '|' || r.payment_type || '|'`;
  const withoutId = tx`coalesce(r.settlement_tx_id, '') = ''`;
  const place = tx`r.merchant_account_id || '|' || r.settlement_date || '|' || r.currency`;
  return [
    tx`(${deliveryKey(tx)})::text`,
    tx`${types} || nullif(r.settlement_tx_id, '')`,
    tx`case when ${withoutId} then ${types} || ${paymentReference(tx)} end`,
    tx`case when ${deliveryKey(tx)} is null then ${types} || ${place} || '|' || r.amount_minor end`,
    tx`case when ${deliveryKey(tx)} is null then ${types} || ${place} end`,
  ];
}

/**
 * Pairs the rows that have no partner yet and agree on a key. Both sides are numbered together and not joined: the
 * planner cannot know how many rows a step leaves, and joined 10,000 with each of 10,000.
 */
async function pairRows(tx: Tx, key: Fragment): Promise<void> {
  await tx`insert into paired_rows
    select min(row_line) filter (where side = 'before'), min(row_line) filter (where side = 'after')
    from (
      select o.side, o.row_line, k.key, row_number() over (partition by o.side, k.key order by o.row_line) as rank
      from other_rows o
      join settlement_records r on r.file_id = o.file_id and r.line = o.line
      cross join lateral (select ${key} as key) k
      where k.key is not null and case o.side
        when 'before' then o.row_line not in (select before_line from paired_rows)
        else o.row_line not in (select after_line from paired_rows) end) numbered
    group by key, rank having count(*) = 2`;
}

/** Rows that the database sends at a time. */
const batchRows = 1000;

async function* readDifferences(tx: Tx): AsyncGenerator<RecordDifference[]> {
  const differences = tx<RecordDifference[]>`
    select case when b.side is null then 'added' when a.side is null then 'removed' else 'changed' end as kind,
      b.row_line as "lineBefore", a.row_line as "lineAfter",
      coalesce(r.settlement_tx_id, o.settlement_tx_id) as "settlementTxId",
      coalesce(r.unique_id, o.unique_id) as "uniqueId",
      ${amountText(tx, tx`coalesce(r.amount_minor, o.amount_minor)`)} as amount,
      coalesce(r.currency, o.currency) as currency,
      case when a.side is null or b.side is null then '[]'::jsonb else (
        select coalesce(jsonb_agg(jsonb_build_object('column', name, 'before', former, 'after', later) order by place), '[]')
        from (values ${comparedCells(tx)}) cell (place, name, former, later)
        where coalesce(former, '') <> coalesce(later, '')) end as cells
    from (
      select o.*, p.after_line from other_rows o left join paired_rows p on p.before_line = o.row_line
      where o.side = 'before') b
    full join (select * from other_rows where side = 'after') a on a.row_line = b.after_line
    left join settlement_records o on o.file_id = b.file_id and o.line = b.line
    left join settlement_records r on r.file_id = a.file_id and r.line = a.line
    order by coalesce(b.row_line, a.row_line), b.row_line nulls last, a.row_line`;
  for await (const batch of differences.cursor(batchRows)) yield batch.map((each) => ({ ...each }));
}
