import type { Tx } from '../db/connect.js';
import type { LineIssue } from './check-payment-row.js';
import { paymentColumns, storedColumns } from './payment-columns.js';

/** What merging did, or the lines that contradict each other, and then nothing was done. */
export interface MergedPayments {
  readonly inserted: number;
  readonly updated: number;
  /** The first lines whose payment stands on an earlier line with other values. */
  readonly contradictions: readonly LineIssue[];
  /** How many there are. */
  readonly contradictory: number;
}

const staging = 'imported_payments';
/** Statistics of a table that gained this many rows are not left to the server's next tour. */
const analyzeFrom = 1_000;
const contradictionsTold = 20;

const row = (alias: string) => `(${paymentColumns.map(({ stored }) => `${alias}.${stored}`).join(', ')})`;

/**
 * Merges rows into the payments: new ids are inserted, known ones take the given values, rows that say what is
 * stored already are not even touched. The rows come in by COPY (line number first) into a table of this
 * transaction, and go on in one statement, in the order of their ids so that two imports cannot deadlock.
 */
export async function mergePayments(
  tx: Tx,
  copyInto: (target: string) => Promise<void>,
): Promise<MergedPayments> {
  const columns = paymentColumns.map(({ stored, type }) => `${stored} ${type}`).join(', ');
  await tx.unsafe(`create temp table ${staging} (line integer, ${columns}) on commit drop`);
  await copyInto(staging);
  await tx.unsafe(`analyze ${staging}`);
  const contradictory = await findContradictions(tx);
  if (contradictory.count > 0) {
    return {
      inserted: 0,
      updated: 0,
      contradictions: contradictory.issues,
      contradictory: contradictory.count,
    };
  }
  const [changed] = await tx.unsafe<{ inserted: bigint; updated: bigint }[]>(`
    with changed as (
      insert into payments as p (${storedColumns})
      select distinct on (s.id) ${paymentColumns.map(({ stored }) => `s.${stored}`).join(', ')}
      from ${staging} s left join payments known on known.id = s.id
      where known.id is null or ${row('known')} is distinct from ${row('s')}
      order by s.id
      on conflict (id) do update set (${storedColumns}) = ${row('excluded')}
      where ${row('p')} is distinct from ${row('excluded')}
      returning (p.xmax = 0) as is_new
    )
    select count(*) filter (where is_new) as inserted, count(*) filter (where not is_new) as updated from changed`);
  const inserted = Number(changed?.inserted ?? 0n);
  const updated = Number(changed?.updated ?? 0n);
  if (inserted + updated >= analyzeFrom) await tx`analyze payments`;
  return { inserted, updated, contradictions: [], contradictory: 0 };
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
    order by s.line limit ${contradictionsTold}`);
  const issues = found.map(({ line, first_line }) => ({
    line,
    column: 'PaymentId',
    message: `stands on line ${first_line} already, with other values`,
  }));
  return { issues, count: Number(found[0]?.total ?? 0n) };
}
