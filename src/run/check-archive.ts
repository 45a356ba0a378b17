import type { Sql } from '../db/client.js';
import { onDisk } from '../disk/disk-errors.js';
import { statIfThere } from '../disk/look.js';
import { ReconError } from '../errors.js';
import { archivePath, isIntact } from '../intake/archive.js';

export interface ArchiveVerdict {
  readonly files: number;
  /** Settlement files whose bytes retention removed. */
  readonly removed: number;
  /** A sentence each. */
  readonly problems: readonly string[];
}

interface Row {
  name: string;
  sha256: string;
  /** Null for announced totals and packed files. */
  size_bytes: string | null;
}

/**
 * Checks that the archive still contains the bytes of every file that the database lists, of their announced totals, and
 * of the packed files that they were in, because re-runs and reports read them. What retention removed may be missing.
 *
 * @param thorough reads every byte and compares the SHA-256, instead of only the size
 */
export async function checkArchive(
  sql: Sql,
  dataDirectory: string,
  thorough: boolean,
): Promise<ArchiveVerdict> {
  const rows = await sql<Row[]>`
    select name, sha256, size_bytes from (
      select id, name, sha256, size_bytes::text as size_bytes from settlement_files
        where archive_removed_at is null
      union all
      select id, totals_name, totals_sha256, null from settlement_files
        where totals_sha256 is not null and archive_removed_at is null
      union all
      select min(f.id), min(p.packed_name), p.packed_sha256, null from settlement_files f join packed_files p using (sha256)
        where f.archive_removed_at is null
      group by p.packed_sha256
    ) archived order by id, size_bytes nulls last`;
  const problems: string[] = [];
  for (const row of rows) {
    const problem = await problemOf(row, dataDirectory, thorough);
    if (problem !== undefined) problems.push(problem);
  }
  const [removed] = await sql<{ count: number }[]>`
    select count(*)::integer as count from settlement_files where archive_removed_at is not null`;
  return { files: rows.length, removed: removed?.count ?? 0, problems };
}

/** A file that cannot be read is neither missing nor changed: it is reported with the reason. */
async function problemOf(row: Row, dataDirectory: string, thorough: boolean): Promise<string | undefined> {
  try {
    return await look(row, dataDirectory, thorough);
  } catch (thrown) {
    if (thrown instanceof ReconError) return `${row.name}: ${thrown.message}`;
    throw thrown;
  }
}

async function look(row: Row, dataDirectory: string, thorough: boolean): Promise<string | undefined> {
  const file = archivePath(dataDirectory, row.sha256);
  const found = await onDisk(`look at ${file}`, () => statIfThere(file));
  if (found?.isFile() !== true) return `${row.name} is missing (${file}).`;
  if (row.size_bytes !== null && String(found.size) !== row.size_bytes) {
    return `${row.name} has ${found.size} bytes instead of ${row.size_bytes} (${file}).`;
  }
  if (!thorough) return undefined;
  return (await isIntact(dataDirectory, row.sha256)) ? undefined : `${row.name} was changed (${file}).`;
}
