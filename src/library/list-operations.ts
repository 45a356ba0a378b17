import type { ReconConfig } from '../config/recon-config.js';
import type { Sql } from '../db/client.js';
import { discrepancyList } from '../listings/list-discrepancies.js';
import { fileList } from '../listings/list-files.js';
import { collect } from '../listings/listing.js';
import { runList } from '../listings/list-runs.js';
import { runId, type RunId } from '../values/ids.js';
import { checkOptions } from './check-options.js';
import type { Guarded } from './guarded.js';
import * as accepted from './operation-options.js';
import type { Recon } from './recon.js';

/** The operations that list what is stored. */
export function listOperations(
  sql: Sql,
  { timezone }: ReconConfig,
  guarded: Guarded,
): Pick<Recon, 'runs' | 'files' | 'discrepancies'> {
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
        const { code = null, severity = null, from = null, to = null } = filter;
        const { withResolved = false, limit = null } = filter;
        const found = { code, severity, from, to, timezone, runId: runIdOf(filter), withResolved };
        return collect(sql, discrepancyList(found), limit);
      }),
  };
}

const runIdOf = ({ runId: given }: { readonly runId?: number }): RunId | null =>
  given === undefined ? null : runId(given);
