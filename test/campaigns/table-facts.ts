import type { Sql } from '../../src/db/client.js';

/** How large a table is. */
export interface TableFacts {
  readonly name: string;
  readonly rows: number;
  /** With indexes and long values. */
  readonly kilobytes: number;
}

/** Every table that has rows, those of the job queue too. */
export async function tablesOf(sql: Sql): Promise<readonly TableFacts[]> {
  return sql<TableFacts[]>`
    select relname as name, pg_total_relation_size(c.oid)::int / 1024 as kilobytes,
      (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from %I.%I', nspname, relname),
        false, true, '')))[1]::text::int as rows
    from pg_class c join pg_namespace n on n.oid = relnamespace
    where relkind = 'r' and nspname in ('public', 'graphile_worker') order by relname`;
}

/** Prints the tables that changed. */
export function printTables(before: readonly TableFacts[], after: readonly TableFacts[]): void {
  for (const { name, rows, kilobytes } of after) {
    const then = before.find((one) => one.name === name) ?? { rows: 0, kilobytes: 0 };
    if (then.rows === rows && then.kilobytes === kilobytes) continue;
    process.stdout.write(
      `${name}: ${then.rows} rows in ${then.kilobytes} kB, then ${rows} rows in ${kilobytes} kB\n`,
    );
  }
}
