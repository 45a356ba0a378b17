import { readdirSync } from 'node:fs';
import path from 'node:path';

/**
 * The vitest project of each test file. An entry is a file or a folder (with `/` at its end), and the longest entry
 * that matches a file decides. `npm test` runs `unit`, `database` and `cli`. `faults` holds the tests that kill
 * processes, wait, fill disks, compile, or repeat one check in many forms; `npm run test:all` runs them too.
 */
export const projects = {
  /** No database: starts within a second, so it can run on every change. */
  unit: [
    // Every file that no other entry matches.
    'test/',
    'test/cli/completion.test.ts',
    'test/cli/init.test.ts',
    'test/cli/man-page.test.ts',
    'test/cli/run-summary.test.ts',
    'test/cli/report-failure.test.ts',
    'test/cli/terminal-progress.test.ts',
    'test/cli/text-table.test.ts',
    'test/cli/usage.test.ts',
    'test/db/database-errors.test.ts',
    'test/db/embedded/cluster-lock.test.ts',
    'test/db/embedded/locate-binaries.test.ts',
    'test/db/embedded/server-log.test.ts',
    'test/faults/fault-matrix.test.ts',
    'test/http/trusted-peers.test.ts',
    'test/intake/detect-change.test.ts',
    'test/intake/judge-correction.test.ts',
    'test/items/item-state.test.ts',
    'test/items/plain-amount.test.ts',
    'test/items/refuse-decision.test.ts',
    'test/items/sheet-as-exported.test.ts',
    'test/matching/narrowing.test.ts',
    'test/payment-core/fields/',
    'test/payment-core/judge-reference.property.test.ts',
    'test/payment-core/judge-reference.test.ts',
    'test/payment-core/mask-answer.test.ts',
    'test/payment-core/result-codes.test.ts',
    'test/payment-core/surface.test.ts',
    'test/payment-core/validation/',
    'test/remote/file-names.test.ts',
    'test/remote/known-hosts.test.ts',
    'test/remote/with-deadline.test.ts',
    'test/reporting/tables/csv-cells.test.ts',
    'test/reporting/reconciled/currency-sums.test.ts',
    'test/reporting/folder/manifest.test.ts',
    'test/reporting/workbook/open-items-workbook.test.ts',
    'test/reporting/workbook/workbook-thread.test.ts',
    'test/reporting/page/',
    'test/reporting/folder/verify-reports.test.ts',
    'test/reporting/tables/write-table.test.ts',
    'test/run/load-queue.test.ts',
    'test/run/plan-runs.test.ts',
    'test/webhooks/request.test.ts',
  ],
  /** The parts of the program on a real PostgreSQL, and the transfer against real servers. */
  database: [
    'test/alerts/alerts-over-time.test.ts',
    'test/db/',
    'test/deploy/gateway.test.ts',
    'test/intake/',
    'test/items/',
    'test/library/',
    'test/matching/',
    'test/metrics/figures.test.ts',
    'test/payment-core/',
    'test/payment-file/',
    'test/remote/',
    'test/reporting/',
    'test/review/',
    'test/run/',
    'test/webhooks/',
  ],
  /** The command line: called within the test's process, or spawned where the process itself is tested. */
  cli: ['test/cli/', 'test/stories.test.ts'],
  faults: [
    'test/faults/',
    'test/shards/',
    'test/audit/audit-log.test.ts',
    'test/audit/tampering.test.ts',
    'test/long-stories.test.ts',
    'test/cli/after-success.test.ts',
    'test/items/settled-findings.property.test.ts',
    'test/run/files-that-stay.test.ts',
    'test/sql/',
    'test/stories-in-separate-tables.test.ts',
    'test/expected/judge-expected.property.test.ts',
    'test/protocols.test.ts',
    'test/alerts/channels.test.ts',
    'test/cli/alerts.test.ts',
    'test/cli/announced-totals.test.ts',
    'test/cli/audit.test.ts',
    'test/cli/chargebacks-by-hand.test.ts',
    'test/cli/chargebacks.test.ts',
    'test/cli/unreported-findings.test.ts',
    'test/cli/log-lines.test.ts',
    'test/payment-core/jobs.test.ts',
    'test/payment-core/transactions.test.ts',
    'test/payment-core/write-once.test.ts',
    'test/payment-file/large-payment-file.test.ts',
    'test/payment-file/payment-changes.test.ts',
    'test/reporting/scope.test.ts',
    'test/reporting/totals/totals.property.test.ts',
    'test/cli/beyond-look-back.test.ts',
    'test/cli/decide.test.ts',
    'test/cli/correction-taken-back.test.ts',
    'test/cli/corrections.test.ts',
    'test/cli/decide-sheet.test.ts',
    'test/cli/decide-workbook.test.ts',
    'test/cli/diff.test.ts',
    'test/cli/doctor.test.ts',
    'test/cli/doctor-schema.test.ts',
    'test/cli/doctor-workers.test.ts',
    'test/cli/encrypted-archive.test.ts',
    'test/cli/expected-deliveries.test.ts',
    'test/cli/exit-codes.test.ts',
    'test/cli/openpgp.test.ts',
    'test/cli/packed-files.test.ts',
    'test/cli/purge.test.ts',
    'test/cli/purge-gateway.test.ts',
    'test/cli/report-format.test.ts',
    'test/cli/file-modes.test.ts',
    'test/cli/hang-up.test.ts',
    'test/cli/limit-heap-growth.test.ts',
    'test/cli/links.test.ts',
    'test/cli/metrics.test.ts',
    'test/cli/retire.test.ts',
    'test/cli/review-browser.test.ts',
    'test/cli/review.test.ts',
    'test/cli/schedule.test.ts',
    'test/cli/schedule-command.test.ts',
    'test/cli/sources.test.ts',
    'test/cli/tolerance.test.ts',
    'test/cli/withdraw.test.ts',
    'test/cli/demo.test.ts',
    'test/deploy/cron.test.ts',
    'test/docs/first-run.test.ts',
    'test/deploy/mounted-volume.test.ts',
    'test/db/connect.test.ts',
    'test/db/embedded/embedded-server.test.ts',
    'test/db/embedded/strangers.test.ts',
    'test/db/embedded/take-over.test.ts',
    'test/db/fence.test.ts',
    'test/db/migrate.test.ts',
    'test/db/upgrade.test.ts',
    'test/http/',
    'test/intake/downloads-at-once.test.ts',
    'test/intake/real-servers.test.ts',
    'test/library/packed.test.ts',
    'test/matching/changed-payments.test.ts',
    'test/matching/payments-to-check.test.ts',
    'test/matching/mixed-histories.property.test.ts',
    'test/matching/removed-months.property.test.ts',
    'test/matching/delivery-order.test.ts',
    'test/matching/withdrawn-chargebacks.test.ts',
    'test/matching/redeliveries.test.ts',
    'test/plans/',
    'test/remote/broken-connections.test.ts',
    'test/remote/ftp-faults.test.ts',
    'test/remote/real-servers.test.ts',
    'test/remote/sftp-faults.test.ts',
    'test/remote/slow-refusals.test.ts',
    'test/reporting/crash.test.ts',
    'test/reporting/finance-copy.test.ts',
    'test/reporting/page/browser.test.ts',
    'test/run/downloads-at-once.test.ts',
    'test/run/files-at-once.test.ts',
    'test/worker/',
    'test/run/many-runs.test.ts',
    'test/run/rows-of-days.test.ts',
    'test/run/run-lock.test.ts',
    'test/run/schedule.test.ts',
  ],
} as const satisfies Record<string, readonly string[]>;

export type ProjectName = keyof typeof projects;
// Object.keys returns `string[]`, but these are exactly the keys of the literal.
export const projectNames = Object.keys(projects) as ProjectName[];

/** The project of a test file, whose path is relative to the root of the repository. */
export function projectOf(file: string): ProjectName {
  const matching = projectNames
    .flatMap((name) => projects[name].map((entry) => ({ name, entry })))
    .filter(({ entry }) => (entry.endsWith('/') ? file.startsWith(entry) : file === entry))
    .sort((a, b) => b.entry.length - a.entry.length);
  // `test/` matches every file.
  return matching[0]?.name ?? 'unit';
}

/** Every test file, with its path from the root of the repository. */
export function testFiles(): string[] {
  return readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/${name.split(path.sep).join('/')}`)
    .sort();
}
