import { expect, test } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { paymentRow, paymentsFileOf } from '../support/payment-rows.js';
import { createInstallation, paymentId, paymentsFile, settlementFile } from './installation.js';

/** What happens to a payment after its settlement was matched is in the report of the next run (design 4.6). */
test('a reversal that is imported after the settlement was matched is found by the next run, without a re-run', async () => {
  const installation = await createInstallation();
  installation.write('payments.csv', paymentsFile(1, 2));
  await installation.recon('payments', 'import', 'payments.csv');
  const settled = installation.write('settled.csv', settlementFile(1, 2));
  const asOf = ['--as-of', '2026-11-20'] as const;
  const first = await installation.json<RunOutcome>('run', '--file', settled, ...asOf);
  expect(first.document.discrepancies.total).toBe(0);

  const reversal = {
    PaymentType: 'RV',
    ReferencedPaymentId: paymentId(1),
    Timestamp: '2026-11-19 08:00:00+0000',
  };
  installation.write('reversal.csv', paymentsFileOf([paymentRow(9, reversal)]));
  await installation.recon('payments', 'import', 'reversal.csv');
  const none = [
    '--file',
    installation.write('later.csv', settlementFile({ UniqueID: paymentId(2), SettlementTxId: 'X' })),
  ];
  const next = await installation.json<RunOutcome>('run', ...none, ...asOf);
  expect(next.document.discrepancies.byCode).toMatchObject({ PAYMENT_REVERSED: 1 });

  // The reversal failed after all: the next run closes it again.
  installation.write(
    'failed.csv',
    paymentsFileOf([paymentRow(9, { ...reversal, ResultCode: '800.100.152' })]),
  );
  await installation.recon('payments', 'import', 'failed.csv', '--allow-changes');
  const last = await installation.json<RunOutcome>('run', '--file', settled, ...asOf);
  expect(last.document.items).toMatchObject({ resolved: 1 });
});
