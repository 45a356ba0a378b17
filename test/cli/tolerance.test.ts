import { expect, test } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { paymentRow, paymentsFileOf } from '../support/payment-rows.js';
import { createInstallation, paymentId, settlementFile } from './installation.js';

/** Three payments of 100.00 EUR: one lacks a cent, its neighbour two cents, and one has the brand's other name. */
async function shop() {
  const installation = await createInstallation();
  installation.write('payments.csv', paymentsFileOf([1, 2, 3].map((number) => paymentRow(number))));
  const cells = [{ Amount: '99.99' }, { Amount: '99.98' }, { Brand: 'VISADEBIT' }];
  installation.write(
    'settlement.csv',
    settlementFile(
      ...cells.map((each, index) => ({
        UniqueID: paymentId(index + 1),
        SettlementTxId: `STL-${index + 1}`,
        ...each,
      })),
    ),
  );
  expect((await installation.recon('payments', 'import', 'payments.csv')).code).toBe(0);
  return installation;
}

const aliases = '  brandAliases: { VISADEBIT: VISA }\n';
const ofDay = ['--from', '2026-11-19', '--to', '2026-11-19', '--as-of', '2026-11-20'];

test('a mismatch within the tolerance is counted apart, and --fail-on uses the stored severity', async () => {
  const installation = await shop();
  const configure = (cents: string) =>
    installation.write(
      'recon.config.yaml',
      `logLevel: silent\nmatching:\n  tolerance: { EUR: ${cents} }\n${aliases}`,
    );

  configure('0.01');
  const run = await installation.json<RunOutcome>('run', '--file', 'settlement.csv', '--as-of', '2026-11-20');
  expect(run.code).toBe(0);
  const { byCode, withinTolerance } = run.document.discrepancies;
  expect(byCode).toMatchObject({ AMOUNT_MISMATCH: 2 });
  expect(byCode).not.toHaveProperty('BRAND_MISMATCH');
  expect(withinTolerance).toEqual([{ currency: 'EUR', count: 1, amount: '0.01' }]);
  expect((await installation.recon('report', '--run', '1', '--fail-on', 'error')).code).toBe(7);

  configure('0.02');
  // The stored severity counts until the records are matched again.
  expect((await installation.recon('report', '--run', '1', '--fail-on', 'error')).code).toBe(7);
  const rerun = await installation.recon('rerun', ...ofDay, '--fail-on', 'error');
  expect(rerun.stdout).toMatch(/info +AMOUNT_MISMATCH \(within the tolerance\) +2 +0\.03 EUR/);
  expect(rerun.stdout).not.toMatch(/error +AMOUNT_MISMATCH/);
  expect(rerun.code).toBe(0);
  expect((await installation.recon('rerun', ...ofDay, '--fail-on', 'info')).code).toBe(7);
  const listed = await installation.recon('discrepancies', '--severity', 'info');
  expect(listed.stdout).toContain('AMOUNT_MISMATCH');
  // Nobody should claim a cent that the settings allow; without the tolerance the part that is missing is claimed.
  const advice = async () => {
    const { document } = await installation.json<{ code: string; whatToDo: string }[]>('items');
    return document.filter(({ code }) => code === 'AMOUNT_MISMATCH').map(({ whatToDo }) => whatToDo);
  };
  const nothing = 'Nothing: the difference is within matching.tolerance. Accept it to take it off the list.';
  expect(await advice()).toEqual([nothing, nothing]);
  const sheet = await installation.recon('items', '--csv');
  expect(sheet.stdout.split(nothing)).toHaveLength(3);
  expect((await installation.recon('explain', 'STL-1')).stdout).toContain(
    'This is within the tolerance of 0.02 EUR.',
  );
  expect((await installation.recon('explain', 'STL-3')).stdout).toContain('VISADEBIT, an alias of VISA');
});
