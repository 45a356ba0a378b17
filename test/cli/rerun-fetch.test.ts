import { expect, test } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { inboxConfig, statusesOf } from './inbox.js';
import { createInstallation, paymentId, paymentsFile, settlementFile } from './installation.js';

/** A re-run may fetch files with records of days outside of its range (design 4.7). */

/** Half of payment 1 on each of two days, payment 2 on the second day, and a record without a payment on the first. */
const records = settlementFile(
  { UniqueID: paymentId(1), Amount: '60.00', SettlementDate: '2026-11-19', SettlementTxId: 'T1' },
  { UniqueID: paymentId(9), SettlementDate: '2026-11-19', SettlementTxId: 'T2' },
  { UniqueID: paymentId(1), Amount: '40.00', SettlementDate: '2026-11-24', SettlementTxId: 'T3' },
  { UniqueID: paymentId(2), SettlementDate: '2026-11-24', SettlementTxId: 'T4' },
);

/** The payments are of 2026-11-18, so their settlement is due on 2026-11-23. */
const range = ['--from', '2026-11-23', '--to', '2026-11-24', '--as-of', '2026-11-24'] as const;

test('a re-run matches each record that it fetched, so that no payment is reported because a record is of another day', async () => {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', inboxConfig('afterSuccess: { action: none }'));
  installation.write('payments.csv', paymentsFile(1, 2));
  await installation.recon('payments', 'import', 'payments.csv');
  installation.write('inbox/a.csv', records);

  const fetched = await installation.json<RunOutcome>('rerun', ...range, '--fetch');
  expect(statusesOf(fetched.document)).toEqual(['a.csv loaded']);
  expect(fetched.document.matching).toMatchObject({ MATCHED: 2, NOT_MATCHED: 0 });
  expect(fetched.document.discrepancies.total).toBe(0);
  expect(fetched.document.notices).toEqual([
    '1 file that a re-run fetched has records from 2026-11-19 to 2026-11-24, which are not all in the range. All of them ' +
      'are matched; the next recon run reports the others too.',
  ]);

  const again = await installation.json<RunOutcome>('rerun', ...range);
  expect(again.document.items).toMatchObject({ new: 0, resolved: 0 });
  const next = await installation.json<RunOutcome>('run', '--as-of', '2026-11-24');
  expect(next.document.matching).toMatchObject({ MATCHED: 3, NOT_MATCHED: 1 });
  expect(next.document.discrepancies.byCode).toEqual({ NOT_MATCHED: 1 });
  expect(next.document.items).toMatchObject({ new: 0, resolved: 0, open: 1 });
});

test('a re-run whose range begins later reports no payment as missing that a record before the range settles', async () => {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', inboxConfig('afterSuccess: { action: none }'));
  installation.write('payments.csv', paymentsFile(1, 2, 3));
  await installation.recon('payments', 'import', 'payments.csv');
  installation.write(
    'inbox/a.csv',
    settlementFile(
      { UniqueID: paymentId(1), SettlementDate: '2026-11-19', SettlementTxId: 'T1' },
      { UniqueID: paymentId(2), SettlementDate: '2026-11-23', SettlementTxId: 'T2' },
    ),
  );
  const { document } = await installation.json<RunOutcome>('rerun', ...range, '--fetch');
  expect(document.discrepancies.byCode).toEqual({ MISSING_SETTLEMENT: 1 });
  expect(document.items).toMatchObject({ open: 1 });
});
