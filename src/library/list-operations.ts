import type { ReconConfig } from '../config/recon-config.js';
import type { Sql } from '../db/client.js';
import { discrepancyList, type DiscrepancyFilter } from '../listings/list-discrepancies.js';
import { fileList } from '../listings/list-files.js';
import { collect, onSnapshot } from '../listings/listing.js';
import { runList } from '../listings/list-runs.js';
import { runId, type RunId } from '../values/ids.js';
import { checkOptions } from './check-options.js';
import type { Guarded } from './guarded.js';
import * as accepted from './operation-options.js';
import type { DiscrepanciesFilter, Recon } from './recon.js';
import type { StreamRows } from './stream-rows.js';

interface ListSurroundings {
  readonly sql: Sql;
  readonly config: ReconConfig;
  readonly guarded: Guarded;
  readonly streamRows: StreamRows;
}

/** The operations that list what is stored. */
export function listOperations({
  sql,
  config,
  guarded,
  streamRows,
}: ListSurroundings): Pick<Recon, 'runs' | 'files' | 'discrepancies' | 'eachDiscrepancy'> {
  const listOf = (filter: DiscrepanciesFilter) => discrepancyList(foundBy(filter, config.timezone));
  return {
    runs: (filter = {}) =>
      guarded('runs', async () => {
        checkOptions('runs', accepted.runsFilter, filter);
        const { status = null, limit = null } = filter;
        return collect(sql, runList({ status }), limit);
      }),
    files: (filter = {}) =>
      guarded('files', async () => {
        checkOptions('files', accepted.filesFilter, filter);
        const { status = null, source = null, limit = null } = filter;
        return collect(sql, fileList({ status, source, runId: runIdOf(filter) }), limit);
      }),
    discrepancies: (filter = {}) =>
      guarded('discrepancies', async () => {
        checkOptions('discrepancies', accepted.discrepanciesFilter, filter);
        return collect(sql, listOf(filter), filter.limit ?? null);
      }),
    eachDiscrepancy: (filter = {}) =>
      streamRows('eachDiscrepancy', async (pass) => {
        checkOptions('eachDiscrepancy', accepted.discrepanciesFilter, filter);
        await onSnapshot(sql, async (tx) => {
          for await (const rows of listOf(filter).batches(tx, filter.limit ?? null)) await pass(rows);
        });
      }),
  };
}

function foundBy(filter: DiscrepanciesFilter, timezone: string): DiscrepancyFilter {
  const { code = null, severity = null, from = null, to = null, withResolved = false } = filter;
  return { code, severity, from, to, timezone, runId: runIdOf(filter), withResolved };
}

const runIdOf = ({ runId: given }: { readonly runId?: number }): RunId | null =>
  given === undefined ? null : runId(given);
