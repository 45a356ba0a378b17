import type { Database } from '../db/connect.js';
import type { RunScope } from '../db/run-scope.js';
import { ReconError } from '../errors.js';
import type { RunContext } from './run-context.js';

/**
 * Refuses to report on what is no longer whole: on retired records, because a new report would be empty and would
 * overwrite the old one, and on files whose bytes `recon purge` removed, because reconciled files are made from them.
 * @throws ReconError RECORDS_RETIRED, ARCHIVE_REMOVED
 */
export async function refuseRemoved(
  { database, archive, timezone }: Pick<RunContext, 'database' | 'archive' | 'timezone'>,
  scope: RunScope,
): Promise<void> {
  await refuseRetired(database, scope);
  const { sql } = database;
  const removed = await sql<{ name: string; sha256: string; day: string }[]>`
    select f.name, f.sha256, (f.archive_removed_at at time zone ${timezone})::date::text as day
    from settlement_files f
    where f.status = 'loaded' and f.archive_removed_at is not null and ${inScope(database, scope)}
      and not exists (select from withdrawn_files w where w.file_id = f.id) order by f.id`;
  for (const { name, sha256, day } of removed) {
    // The file may have been received again since.
    if (await archive.has(sha256)) continue;
    throw new ReconError(
      'ARCHIVE_REMOVED',
      `The bytes of ${name} (SHA-256 ${sha256.slice(0, 8)}) were removed from the archive on ${day}, by the settings of retention. Nothing was matched or reported, and existing reports stay as they are.`,
    );
  }
}

async function refuseRetired(database: Database, scope: RunScope): Promise<void> {
  const [file] = await database.sql<{ name: string; knownIn: string | null }[]>`
    select f.name, null as "knownIn" from settlement_files f
    where f.status = 'retired' and ${inScope(database, scope)}
    union all
    select f.name, later.name from settlement_files later
    cross join lateral (select distinct record_file_id from already_known_rows k where k.file_id = later.id offset 0) k
    join settlement_files f on f.id = k.record_file_id and f.status = 'retired'
    where later.status = 'loaded' and later.rows_already_known > 0 and ${inScope(database, scope, 'later')}
    limit 1`;
  if (file === undefined) return;
  const whose = file.knownIn === null ? '' : `, which ${file.knownIn} brought again,`;
  throw new ReconError(
    'RECORDS_RETIRED',
    `The records of ${file.name}${whose} were removed by \`recon retire\` or \`recon purge\`. Nothing was matched or reported, and existing reports stay as they are.`,
  );
}

function inScope({ sql }: Database, scope: RunScope, file: 'f' | 'later' = 'f') {
  return scope.kind === 'run'
    ? sql`${sql(file)}.finished_run_id = ${scope.runId}`
    : sql`${sql(file)}.first_settlement_date <= ${scope.to} and ${sql(file)}.last_settlement_date >= ${scope.from}`;
}
