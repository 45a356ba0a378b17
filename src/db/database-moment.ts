import type { Sql, Tx } from './client.js';

/** The present by the clock of the database server, which all processes share, in whole epoch milliseconds. */
export async function databaseMoment(sql: Sql | Tx): Promise<number> {
  const [row] = await sql<{ ms: number }[]>`
    select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as ms`;
  // A query without FROM has one row.
  return row?.ms ?? Number.NaN;
}
