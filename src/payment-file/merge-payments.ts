import type { Tx } from '../db/client.js';
import { isDivided } from '../db/shards/is-divided.js';
import { sampleRows } from '../db/sample-rows.js';
import type { LineIssue } from './check-payment-row.js';
import { findChanges, noChanges, type PaymentChanges } from './payment-changes.js';
import { paymentColumns, storedPaymentColumns } from './payment-columns.js';
import { copyKnownPayments } from './payments-on-shards.js';

/** The result of merging, or the lines that repeat an id with different values; then nothing was merged. */
export interface MergedPayments {
  readonly inserted: number;
  readonly changes: PaymentChanges;
  /** The first lines that repeat the payment of an earlier line with different values. */
  readonly contradictions: readonly LineIssue[];
  /** The number of such lines. */
  readonly contradictory: number;
}

/** The rows of the file, within the transaction of the import. */
export const staging = 'imported_payments';

/** After this many new rows, statistics are collected at once, not at the next autovacuum. */
const analyzeFrom = 1_000;
const contradictionsListed = 20;

const row = (alias: string) => `(${paymentColumns.map(({ stored }) => `${alias}.${stored}`).join(', ')})`;

/**
 * Merges rows into the payments: new ids are inserted; values of known ones are compared with the stored
 * values. The caller decides whether these changes are applied. The rows arrive by COPY (line number first) in a
 * table of this transaction and are merged in the order of their ids, so that two imports cannot deadlock.
 */
export async function mergePayments(
  tx: Tx,
  copyInto: (target: string) => Promise<void>,
): Promise<MergedPayments> {
  const columns = paymentColumns.map(({ stored, type }) => `${stored} ${type}`).join(', ');
  await tx.unsafe(`create temp table ${staging} (line integer, ${columns}) on commit drop`);
  await copyInto(staging);
  await tx.unsafe(`analyze ${staging}`);
  const { issues, count } = await findContradictions(tx);
  if (count > 0) return { inserted: 0, changes: noChanges, contradictions: issues, contradictory: count };
  const isOnShards = await isDivided(tx);
  const known = isOnShards ? await copyKnownPayments(tx, staging) : 'payments';
  // No column after `on conflict`: with shards, the unique keys of the partitions are not known here.
  const inserted = await tx.unsafe(`
    insert into payments (${storedPaymentColumns})
    select distinct on (s.id) ${paymentColumns.map(({ stored }) => `s.${stored}`).join(', ')}
    from ${staging} s where not exists (select from ${known} known where known.id = s.id)
    order by s.id
    on conflict do nothing`);
  // Only now: another import may have stored some of these ids while this one waited for it. Usually all rows are new,
  // and comparing 40,000 of them with what was just stored took 0.7 s.
  const areAllNew = inserted.count === (await countRows(tx));
  const changes = areAllNew
    ? noChanges
    : await findChanges(tx, staging, { table: known, areLocked: isOnShards });
  if (inserted.count + changes.payments >= analyzeFrom) await sampleRows(tx, 9000, tx`payments`);
  return { inserted: inserted.count, changes, contradictions: [], contradictory: 0 };
}

async function countRows(tx: Tx): Promise<number> {
  const [row] = await tx.unsafe<{ count: number }[]>(`select count(*)::int as count from ${staging}`);
  return row?.count ?? 0;
}

async function findContradictions(tx: Tx): Promise<{ issues: LineIssue[]; count: number }> {
  const found = await tx.unsafe<{ line: number; first_line: number; total: bigint }[]>(`
    with twice as (
      select id, min(line) as first_line from ${staging} group by id having count(*) > 1
    )
    select s.line, t.first_line, count(*) over () as total
    from twice t
    join ${staging} f on f.id = t.id and f.line = t.first_line
    join ${staging} s on s.id = t.id and s.line <> t.first_line
    where ${row('s')} is distinct from ${row('f')}
    order by s.line limit ${contradictionsListed}`);
  const issues = found.map(({ line, first_line }) => ({
    line,
    column: 'PaymentId',
    message: `is already on line ${first_line}, with other values`,
  }));
  return { issues, count: Number(found[0]?.total ?? 0n) };
}
