import type { Archive } from '../archive/archive.js';
import type { Sql } from '../db/client.js';
import { onDisk } from '../disk/disk-errors.js';
import { unlessMissing } from '../disk/unless-missing.js';
import { ReconError, type ErrorCode } from '../errors.js';

/** What is wrong with the files of the archive. */
export interface ArchiveVerdict {
  readonly files: number;
  /** Settlement files whose bytes retention removed. */
  readonly removed: number;
  /** How many of the files are encrypted, by the name of their key. */
  readonly encrypted: ReadonlyMap<string, number>;
  readonly problems: readonly ArchiveProblem[];
}

/** Something that is wrong with one file, or with several for one reason. */
export interface ArchiveProblem {
  readonly code: ErrorCode;
  /** One sentence or more. */
  readonly message: string;
}

interface Row {
  name: string;
  sha256: string;
  /** Null for announced totals and packed files. */
  size_bytes: string | null;
}

/**
 * Checks that the archive still contains the bytes of every file that the database lists, of their announced totals,
 * and of the packed files that they were in, because re-runs and reports read them. Files that retention removed may be
 * missing.
 *
 * @param options.thorough whether every byte is read and the SHA-256 compared, and not only the size
 */
export async function checkArchive(
  sql: Sql,
  archive: Archive,
  { thorough }: { readonly thorough: boolean },
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
  const problems: ArchiveProblem[] = [];
  const encrypted = new Map<string, number>();
  for (const row of rows) {
    const found = await look(row, archive, thorough);
    if ('code' in found) problems.push(found);
    else if (found.keyName !== null) encrypted.set(found.keyName, (encrypted.get(found.keyName) ?? 0) + 1);
  }
  const [removed] = await sql<{ count: number }[]>`
    select count(*)::integer as count from settlement_files where archive_removed_at is not null`;
  return { files: rows.length, removed: removed?.count ?? 0, encrypted, problems };
}

/** A file that cannot be read is neither missing nor changed: it is reported with the reason. */
async function look(
  row: Row,
  archive: Archive,
  thorough: boolean,
): Promise<{ readonly keyName: string | null } | ArchiveProblem> {
  const path = archive.pathOf(row.sha256);
  const wrong = (what: string) => ({ code: 'DISK_FAILED', message: `${row.name} ${what}.` }) as const;
  try {
    const facts = await onDisk(`look at ${path}`, () => unlessMissing(archive.bytes(row.sha256).facts()));
    if (facts === undefined) return wrong(`is missing (${path})`);
    const { file, sizeBytes, encryptedWith } = facts;
    if (row.size_bytes !== null && String(sizeBytes) !== row.size_bytes) {
      return wrong(`has ${sizeBytes} bytes instead of ${row.size_bytes} (${file})`);
    }
    if (thorough && !(await archive.isIntact(row.sha256))) return wrong(`was changed (${file})`);
    return { keyName: encryptedWith };
  } catch (thrown) {
    if (!(thrown instanceof ReconError)) throw thrown;
    return { code: thrown.code, message: `${row.name}: ${thrown.message}` };
  }
}
