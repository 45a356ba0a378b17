import { openMigrationSession } from '../src/db/connect.js';

/** What a database holds, and what its server has written to the write-ahead log so far. */
export interface StoredBytes {
  /** Tables with their indexes. */
  readonly tables: number;
  readonly wal: number;
}

export async function storedBytes(url: string): Promise<StoredBytes> {
  const sql = openMigrationSession(url);
  try {
    const [row] = await sql<StoredBytes[]>`
      select sum(pg_total_relation_size(c.oid))::float8 as tables,
        pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal
      from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`;
    return row ?? { tables: 0, wal: 0 };
  } finally {
    await sql.end();
  }
}
