import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { createInstallation, paymentId, paymentsFile, settlementFile } from './installation.js';

/** What leaves the look-back window stays open and stays in every list (design 4.6). */
test('a record that is older than lookbackDays stays open in the items, the list of discrepancies and the report', async () => {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', 'lookbackDays: 10\nlogLevel: silent\n');
  const old = installation.write(
    'old.csv',
    settlementFile({ UniqueID: paymentId(9), SettlementTxId: 'OLD' }),
  );
  await installation.recon('run', '--file', old, '--as-of', '2026-11-20');

  installation.write('payments.csv', paymentsFile(3));
  await installation.recon('payments', 'import', 'payments.csv');
  const later = installation.write('later.csv', settlementFile(3));
  const run = await installation.json<RunOutcome>('run', '--file', later, '--as-of', '2027-02-20');
  expect(run.document.items).toMatchObject({ open: 1, new: 0, resolved: 0 });

  const itsCode = expect.objectContaining({ code: 'NOT_MATCHED', file: 'old.csv' }) as unknown;
  const items = await installation.json<unknown[]>('items', '--as-of', '2027-02-20');
  expect(items.document).toEqual([itsCode]);
  const listed = await installation.json<unknown[]>('discrepancies');
  expect(listed.document).toEqual([itsCode]);
  const report = readFileSync(run.document.reports?.openItems ?? '', 'utf8');
  expect(report.split('\r\n').filter((line) => line.includes('NOT_MATCHED'))).toHaveLength(1);
  expect(report).toMatch(/^[^\r]*NOT_MATCHED[^\r]*old\.csv/m);

  // The payment that is stored after that window is found by a re-run of the day of the record.
  installation.write('late.csv', paymentsFile(9));
  await installation.recon('payments', 'import', 'late.csv');
  await installation.recon('rerun', '--from', '2026-11-19', '--to', '2026-11-19', '--as-of', '2027-02-20');
  expect((await installation.json<unknown[]>('items')).document).toEqual([]);
});
