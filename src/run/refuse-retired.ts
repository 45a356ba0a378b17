import type { Database } from '../db/connect.js';
import type { RunScope } from '../db/run-scope.js';
import { ReconError } from '../errors.js';

/**
 * Refuses reports over retired records: a new report would be empty and would overwrite the old one.
 * @throws ReconError RECORDS_RETIRED
 */
export async function refuseRetired({ sql }: Database, scope: RunScope): Promise<void> {
  const inScope =
    scope.kind === 'run'
      ? sql`finished_run_id = ${scope.runId}`
      : sql`first_settlement_date <= ${scope.to} and last_settlement_date >= ${scope.from}`;
  const [file] = await sql<{ name: string }[]>`
    select name from settlement_files where status = 'retired' and ${inScope} order by id limit 1`;
  if (file === undefined) return;
  throw new ReconError(
    'RECORDS_RETIRED',
    `The records of ${file.name} were detached by \`recon retire\`. Nothing was matched or reported, and existing reports stay as they are.`,
  );
}
