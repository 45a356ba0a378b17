import type { Sql, Tx } from '../db/client.js';
import { namesOfOur } from '../db/migration/check-schema.js';
import { digestQuery } from '../db/row-digest.js';

/** A table by its quoted name with schema, `public.payments`. */
export interface MovedTable {
  readonly name: string;
  /** Columns that are stored, not computed; quoted. */
  readonly columns: readonly string[];
  /** Tables that must have their rows before this one. */
  readonly needs: readonly string[];
}

/** Count and digest of all rows of a table, in any order. */
export interface TableFacts {
  readonly rows: bigint;
  readonly digest: string;
}

/**
 * A condition for `pg_class c` and its `pg_namespace n`: a table of recon, which is one of the schema, of the parts of
 * the records, of retired months, or of the job queue. Other tables belong to the operator.
 */
export const isTableOfRecon = (sql: Sql | Tx) => sql`(n.nspname = 'recon_queue' or n.nspname = 'public'
  and (c.relname = any(${namesOfOur('table')}) or c.relname ~ '^settlement_records_\\d+$'))`;

/**
 * All tables with rows of recon; a table that others refer to comes before them. The mark of a move stays where it is,
 * and the parts are made first (`src/db/parts/copy-record-parts.ts`).
 */
export async function tablesToMove(sql: Sql | Tx): Promise<MovedTable[]> {
  const rows = await sql<{ name: string; columns: string; needs: string }[]>`
    select format('%I.%I', n.nspname, c.relname) as name,
      (select coalesce(string_agg(quote_ident(a.attname), ',' order by a.attnum), '') from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
      (select coalesce(string_agg(format('%I.%I', rn.nspname, r.relname), ' '), '') from pg_constraint k
        join pg_class r on r.oid = k.confrelid join pg_namespace rn on rn.oid = r.relnamespace
        where k.conrelid = c.oid and k.contype = 'f' and r.oid <> c.oid) as needs
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where ${isTableOfRecon(sql)} and c.relkind = 'r' and c.relname not in ('database_moves', 'record_parts')
    order by n.nspname, c.relname`;
  const tables = rows.map(({ name, columns, needs }) => ({
    name,
    columns: columns.split(','),
    needs: needs === '' ? [] : needs.split(' '),
  }));
  const ordered: MovedTable[] = [];
  while (ordered.length < tables.length) {
    const done = new Set(ordered.map(({ name }) => name));
    const next = tables.find(
      ({ name, needs }) => !done.has(name) && needs.every((needed) => done.has(needed)),
    );
    if (next === undefined) throw new Error('tables refer to each other in a circle');
    ordered.push(next);
  }
  return ordered;
}

/** Tables that are not of recon and refer to one of recon. */
export async function tablesThatRefer(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select distinct k.conrelid::regclass::text as name
    from pg_constraint k join pg_class c on c.oid = k.confrelid join pg_namespace n on n.oid = c.relnamespace
    where k.contype = 'f' and ${isTableOfRecon(sql)}
      and k.conrelid not in (select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where ${isTableOfRecon(sql)})
    order by name`;
  return rows.map(({ name }) => name);
}

/**
 * The digest is a sum over the MD5 of every row as text: two databases with the same rows have the same one, in
 * whatever order they store them.
 */
export async function factsOf(sql: Sql | Tx, { name }: Pick<MovedTable, 'name'>): Promise<TableFacts> {
  const [row] = await sql.unsafe<{ rows: string; first: string; second: string }[]>(
    digestQuery('t::text', `${name} t`),
  );
  if (row === undefined) throw new Error(`no facts of ${name}`);
  return { rows: BigInt(row.rows), digest: `${row.first} ${row.second}` };
}

/** Whether two tables have the same rows, as far as a digest can say it. */
export const sameFacts = (a: TableFacts, b: TableFacts) => a.rows === b.rows && a.digest === b.digest;
