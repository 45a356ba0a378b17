import pino from 'pino';
import { openDatabase } from '../../src/db/connect.js';
import { fencedTransactions } from '../../src/db/fence.js';
import { armFailPoint } from '../../src/fail-point.js';
import { closedItems } from '../../src/items/closed-items.js';
import { readItemTexts } from '../../src/items/list-items.js';
import { silentProgress } from '../../src/progress.js';
import { publishReports } from '../../src/reporting/publish-reports.js';
import { due, outcome, runScope } from './reporting-defaults.js';
import { plainArchive } from '../support/archive.js';
import { runId } from '../../src/values/ids.js';

/**
 * A separate process that publishes reports, for tests that kill it or change its locale. Arguments:
 * `url directory items`; the last is how many open items the run counted.
 */
const [url = '', directory = '', items = '0'] = process.argv.slice(2);
armFailPoint(process.env['RECON_FAIL_AT']);
const database = await openDatabase({ url }, { logger: pino({ enabled: false }) });
await publishReports(fencedTransactions(database, { runId: runId(1), token: 7n }).transact, {
  scope: runScope,
  due,
  folderName: 'run-000001',
  reportsDirectory: `${directory}/reports`,
  fileMode: 0o600,
  format: { delimiter: ';', decimalSeparator: '.' },
  archive: plainArchive(directory),
  outcome: { ...outcome, items: { ...outcome.items, open: Number(items) } },
  threadStarted: () => undefined,
  openItems: (tx) => readItemTexts(tx, { ...due, asOf: runScope.asOf }),
  closedItems: (tx) => closedItems(tx, { ...due, asOf: runScope.asOf }, outcome.runId),
  signal: new AbortController().signal,
  progress: silentProgress,
  sql: database.sql,
});
// The sessions that a run keeps open would keep the process alive.
process.exit(0);
