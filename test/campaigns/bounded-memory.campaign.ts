import { statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  measureRun,
  megabyte,
  writeCandidates,
  writeEndlessLine,
  writeRows,
  type MeasuredRun,
} from '../faults/large-files.js';
import { repetitions, reportCounts } from '../support/campaign.js';
import { folderForThisTest } from '../support/test-folder.js';

function tell(name: string, { outcome, peakBytes, elapsedMs }: MeasuredRun): void {
  reportCounts(name, {
    rows: outcome.files[0]?.rows.total ?? 0,
    'MB at most': Math.round(peakBytes / megabyte),
    seconds: Math.round(elapsedMs / 1000),
  });
}

describe('memory', () => {
  test('F40 does not grow with a file of 2 GB, all the way to the reports', async () => {
    const file = path.join(folderForThisTest(), 'rows.csv');
    await writeRows(file, repetitions(2048) * megabyte, 'account');
    const run = await measureRun(file);
    tell('F40 rows of the account', run);
    expect(run.outcome.files[0]).toMatchObject({ status: 'loaded' });
    expect(run.peakBytes).toBeLessThan(350 * megabyte);
  });

  test('F40 does not grow with a discrepancy for each of a million rows', async () => {
    const file = path.join(folderForThisTest(), 'rows.csv');
    await writeRows(file, repetitions(350) * megabyte, 'payments');
    const run = await measureRun(file);
    tell('F40 rows without payment', run);
    expect(run.outcome.files[0]).toMatchObject({ status: 'loaded' });
    const { reports, items } = run.outcome;
    expect(items.open).toBeGreaterThan((run.outcome.files[0]?.rows.accepted ?? 0) / 2);
    for (const sheet of [reports?.openItems, reports?.openItemsXlsx]) {
      expect(statSync(sheet ?? '').size).toBeGreaterThan(items.open * 50);
    }
    expect(run.peakBytes).toBeLessThan(350 * megabyte);
  });

  test('F40 does not grow with a thousand candidates of each of a thousand records', async () => {
    const { payments, file } = writeCandidates(folderForThisTest(), 1000);
    const run = await measureRun(file, payments);
    tell('F40 rows with candidates', run);
    expect(run.outcome.matching).toMatchObject({ MULTIPLE_MATCHES: 1000 });
    expect(statSync(run.outcome.reports?.reconciled[0] ?? '').size).toBeGreaterThan(32 * megabyte);
    expect(run.peakBytes).toBeLessThan(200 * megabyte);
  });

  test('F61 does not grow with a line of 1 GB, which is refused as soon as it has arrived', async () => {
    const file = path.join(folderForThisTest(), 'line.csv');
    writeEndlessLine(file, 1024 * megabyte);
    const run = await measureRun(file);
    tell('F61 a line of 1 GB', run);
    expect(run.outcome.files[0]).toMatchObject({
      status: 'rejected',
      error: { code: 'FILE_RECORD_TOO_LONG' },
    });
    expect(run.peakBytes).toBeLessThan(200 * megabyte);
    expect(run.elapsedMs).toBeLessThan(60_000);
  });
});
