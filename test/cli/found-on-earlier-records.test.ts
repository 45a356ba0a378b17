import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { paymentRow, paymentsFileOf } from '../support/payment-rows.js';
import { createInstallation, paymentId, settlementFile, type Installation } from './installation.js';

/** What a run finds is in its report, even if it is about a record that an earlier run loaded (design 4.6). */
test('a run reports what it finds about the other records of a payment when a record no longer belongs to it', async () => {
  const installation = await withFirstNight({ Amount: '60.00' });

  // A second payment that fits the record without a reference just as well: the first one has only 60.00 left.
  installation.write('late.csv', paymentsFileOf([paymentRow(2)]));
  await installation.recon('payments', 'import', 'late.csv');
  const second = await nextNight(installation);

  expect(await openFindings(installation)).toEqual(['AMOUNT_MISMATCH', 'MULTIPLE_MATCHES']);
  expect(reported(second)).toEqual([
    ['AMOUNT_MISMATCH', '60.00', '2'],
    ['MULTIPLE_MATCHES', expect.any(String), '2'],
  ]);
  expect(second.items).toMatchObject({ open: 2, new: 2 });
  expect(second.discrepancies).toMatchObject({
    total: 2,
    byCode: { AMOUNT_MISMATCH: 1, MULTIPLE_MATCHES: 1 },
  });

  // Written again, the report is the same, and the run after it does not repeat what is not new.
  const again = await installation.json<RunOutcome>('report', '--run', '2');
  expect(reported(again.document)).toEqual(reported(second));
  expect(reported(await nextNight(installation)).map(([code]) => code)).toEqual(['MULTIPLE_MATCHES']);
});

test('a run reports a finding of an earlier run that it changes', async () => {
  const installation = await withFirstNight({ Amount: '60.00', SettlementDate: '2026-11-18' });
  expect(await openFindings(installation)).toEqual(['AMOUNT_MISMATCH']);

  installation.write('late.csv', paymentsFileOf([paymentRow(2)]));
  await installation.recon('payments', 'import', 'late.csv');

  expect(reported(await nextNight(installation))).toEqual([
    ['AMOUNT_MISMATCH', '60.00', '1'],
    ['MULTIPLE_MATCHES', expect.any(String), '2'],
  ]);
});

/** A payment of 100.00, a record of 100.00 that only its attributes lead to it, and another record that names it. */
async function withFirstNight(other: Readonly<Record<string, string>>): Promise<Installation> {
  const installation = await createInstallation();
  installation.write('payments.csv', paymentsFileOf([paymentRow(1)]));
  await installation.recon('payments', 'import', 'payments.csv');
  installation.write(
    'first.csv',
    settlementFile(
      { AccountNumberLast4: '1111', SettlementTxId: 'A' },
      { UniqueID: paymentId(1), SettlementTxId: 'B', ...other },
    ),
  );
  await nextNight(installation);
  return installation;
}

/** The only file is known from the second night on. */
async function nextNight(installation: Installation): Promise<RunOutcome> {
  const run = await installation.json<RunOutcome>('run', '--file', 'first.csv', '--as-of', '2026-11-20');
  return run.document;
}

async function openFindings(installation: Installation): Promise<string[]> {
  const items = await installation.json<{ code: string }[]>('items', '--as-of', '2026-11-20');
  return items.document.map(({ code }) => code).sort();
}

/** Code, actual value and first run of each finding in the report. */
function reported(run: RunOutcome): string[][] {
  const rows = parse<Record<'Code' | 'Actual' | 'FirstSeenRun', string>>(
    readFileSync(run.reports?.discrepancies ?? ''),
    { delimiter: ';', columns: true, bom: true },
  );
  return rows.map((row) => [row.Code, row.Actual, row.FirstSeenRun]).sort();
}
