import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { paymentRow, paymentsFileOf } from '../support/payment-rows.js';
import {
  createInstallation,
  paymentId,
  paymentsFile,
  settlementFile,
  type Installation,
} from './installation.js';

/** What a run found and could not report is news in the next run (design 4.6, 4.7). */

const asOf = (day: string) => ['--as-of', day] as const;

/** Night 1 leaves three records without a payment. Then two of the payments come, one with another amount. */
async function untilNightTwo(installation: Installation): Promise<string> {
  installation.write('payments.csv', paymentsFile(1, 2));
  await installation.recon('payments', 'import', 'payments.csv');
  const first = installation.write(
    'night-1.csv',
    settlementFile(
      1,
      { UniqueID: paymentId(7), SettlementTxId: 'T7' },
      { UniqueID: paymentId(8), SettlementTxId: 'T8' },
      { UniqueID: paymentId(9), SettlementTxId: 'T9' },
    ),
  );
  const { document } = await installation.json<RunOutcome>('run', '--file', first, ...asOf('2026-11-20'));
  expect(document.items).toMatchObject({ new: 3, open: 3 });
  installation.write('late.csv', paymentsFileOf([paymentRow(7), paymentRow(8, { Amount: '120.00' })]));
  await installation.recon('payments', 'import', 'late.csv');
  return installation.write(
    'night-2.csv',
    settlementFile(2, { UniqueID: paymentId(6), SettlementTxId: 'T6' }),
  );
}

const newsOf = ({ matching, discrepancies, items }: RunOutcome) => ({ matching, discrepancies, items });

test.each([1, 2])(
  'after %s runs that failed while their reports were written, the next one has their news',
  async (failures) => {
    const undisturbed = await createInstallation();
    const night = await untilNightTwo(undisturbed);
    const expected = await undisturbed.json<RunOutcome>('run', '--file', night, ...asOf('2026-11-21'));
    expect(expected.document.items).toMatchObject({ new: 2, resolved: 2, open: 3 });

    const disturbed = await createInstallation();
    const again = await untilNightTwo(disturbed);
    const reports = path.join(disturbed.dataDirectory, 'reports');
    renameSync(reports, `${reports}.away`);
    writeFileSync(reports, 'in the way');
    for (let failed = 0; failed < failures; failed += 1) {
      const { code } = await disturbed.json<RunOutcome>('run', '--file', again, ...asOf('2026-11-21'));
      expect(code).toBe(6);
    }
    renameSync(reports, `${reports}.broken`);
    renameSync(`${reports}.away`, reports);
    const next = await disturbed.json<RunOutcome>(
      ...['run', '--file', again, ...asOf('2026-11-21'), '--fail-on', 'new:error'],
    );
    expect(newsOf(next.document)).toEqual(newsOf(expected.document));
    expect(next.code).toBe(7);

    // It has reported them, so the next run does not.
    const last = await disturbed.json<RunOutcome>('run', '--file', again, ...asOf('2026-11-21'));
    expect(last.document.items).toMatchObject({ new: 0, resolved: 0, open: 3 });
  },
);
