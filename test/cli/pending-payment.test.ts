import { expect, test } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { paymentRow, paymentsFileOf } from '../support/payment-rows.js';
import { createInstallation, paymentId, settlementFile } from './installation.js';

/** Settlements before the results of their payments: a later run closes what no longer holds (design 4.6). */
test('the run after the result of a pending payment no longer says that it is pending', async () => {
  const installation = await createInstallation();
  const importPayments = (...codes: readonly string[]) => {
    const rows = codes.map((ResultCode, index) => paymentRow(index + 1, { ResultCode }));
    installation.write('payments.csv', paymentsFileOf(rows));
    return installation.recon('payments', 'import', 'payments.csv');
  };
  const run = async (asOf: string, ...rows: readonly number[]) => {
    const file = installation.write(`${asOf}.csv`, settlementFile(...rows));
    return (await installation.json<RunOutcome>('run', '--file', file, '--as-of', asOf)).document;
  };

  await importPayments('000.200.000', '000.200.000', '000.000.000');
  const first = await run('2026-11-20', 1, 2);
  expect(first.discrepancies.byCode).toEqual({ PAYMENT_NOT_SUCCESSFUL: 2 });

  await importPayments('000.000.000', '800.100.152', '000.000.000');
  const second = await run('2026-11-21', 3);
  expect(second.items).toMatchObject({ open: 1, new: 0, resolved: 1 });
  expect((await installation.json<object[]>('items')).document).toMatchObject([
    { code: 'PAYMENT_NOT_SUCCESSFUL', actual: 'FAILED', paymentId: paymentId(2) },
  ]);
});
