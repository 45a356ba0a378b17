import path from 'node:path';
import type { RunOutcome } from '../outcome.js';
import { textTable } from './text-table.js';

/** What a person wants to know after a run, in the order in which they ask. */
export function runSummary(outcome: RunOutcome, cwd: string): string {
  const { reports } = outcome;
  const near = (file: string) => {
    const relative = path.relative(cwd, file);
    return relative.startsWith('..') ? file : relative;
  };
  return [
    '',
    `${outcome.kind === 'run' ? 'Run' : 'Re-run'} ${outcome.runId} ${outcome.status}${reports === null ? ' (dry run: nothing was kept)' : ''}.`,
    '',
    filesTable(outcome),
    '',
    `Records: ${outcome.matching.MATCHED} matched, ${outcome.matching.MULTIPLE_MATCHES} ambiguous, ${outcome.matching.NOT_MATCHED} not matched, ${outcome.matching.NOT_APPLICABLE} with nothing to match.`,
    `Chargebacks: ${outcome.chargebacks.assigned} with an id, ${outcome.chargebacks.reversed} reversed.`,
    '',
    discrepanciesTable(outcome),
    ...(reports === null
      ? []
      : ['', `Reports: ${near(reports.directory)}`, `  for finance: ${near(reports.discrepancies)}`]),
  ].join('\n');
}

function filesTable(outcome: RunOutcome): string {
  const failed = outcome.sources
    .filter((source) => source.error !== null)
    .map((source) => `Source ${source.name} could not be read: ${source.error?.message ?? ''}`);
  if (outcome.files.length === 0) return [...failed, 'No files.'].join('\n');
  const rows = outcome.files.map((file) => [
    file.source,
    file.name,
    file.status,
    String(file.rows.total),
    String(file.rows.accepted),
    String(file.rows.rejected),
    String(file.rows.alreadyKnown),
  ]);
  const reasons = outcome.files
    .filter((file) => file.error !== null)
    .map((file) => `${file.name}: ${file.error?.message ?? ''} (${file.error?.code ?? ''})`);
  return [
    textTable(['source', 'file', 'status', 'rows', 'accepted', 'rejected', 'known'], rows),
    ...reasons,
    ...failed,
  ].join('\n');
}

function discrepanciesTable(outcome: RunOutcome): string {
  const entries = Object.entries(outcome.discrepancies.byCode).filter(([, count]) => count > 0);
  if (entries.length === 0) return 'No discrepancies.';
  const amountOf = (code: string) =>
    outcome.discrepancies.amounts
      .filter((total) => total.code === code)
      .map((total) => `${total.amount} ${total.currency}`)
      .join(', ');
  return textTable(
    ['discrepancy', 'count', 'amount'],
    entries
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([code, count]) => [code, String(count), amountOf(code)]),
  );
}
