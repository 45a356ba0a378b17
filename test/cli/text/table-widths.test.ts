import { expect, test } from 'vitest';
import type { ListedDiscrepancy } from '../../../src/listings/list-discrepancies.js';
import type { ListedItem } from '../../../src/items/listed-item.js';
import { widthOf } from '../../../src/cli/text/text-table.js';
import { createInstallation, paymentId, paymentsFile, settlementFile } from '../installation.js';

/** Lines that are wider than a table may be, except sentences, which stay whole. */
const tooWide = (printed: string, sentences: readonly string[]) =>
  printed
    .split('\n')
    .filter((line) => widthOf(line) > 100)
    .filter((line) => !sentences.some((sentence) => line.includes(sentence)));

test('tables fit 100 columns, whatever is in them, and sentences stay whole', async () => {
  const world = await createInstallation();
  const payments = world.write('payments.csv', paymentsFile(1, 2, 3));
  const name = `settlement-${'a-long-name-'.repeat(8)}2026-11-19.csv`;
  const largest = { Amount: '9999999999.99', SettlementAmount: '9999999999.99' };
  const file = world.write(
    name,
    settlementFile(
      { UniqueID: paymentId(1), SettlementTxId: 'T1', ...largest },
      {
        UniqueID: paymentId(2),
        SettlementTxId: 'T2',
        ...largest,
        Currency: 'USD',
        SettlementCurrency: 'USD',
      },
      { UniqueID: paymentId(999), SettlementTxId: 'T3', ...largest },
      {
        UniqueID: paymentId(3),
        SettlementTxId: 'T4',
        ReconciliationType: 'CHARGEBACK REVERSAL',
        ...largest,
      },
    ),
  );
  expect((await world.recon('payments', 'import', payments)).code).toBe(0);
  const run = await world.recon('run', '--file', file, '--as-of', '2026-11-20');
  expect(run.code).toBe(0);
  expect(tooWide(run.stdout, [])).toEqual([]);
  expect(run.stdout).toContain('2026-11-19.csv');

  const { document: items } = await world.json<ListedItem[]>('items');
  expect(items.length).toBeGreaterThan(3);
  const ids = items.map(({ discrepancyId }) => discrepancyId);
  expect((await world.recon('decide', ...ids, '--wait', '2099-12-31', '--by', 'anna')).code).toBe(0);
  expect(
    (await world.recon('decide', ...ids, '--assign', 'the accounting department', '--by', 'anna')).code,
  ).toBe(0);
  const messages = items.map(({ message }) => message);
  const { stdout: listed } = await world.recon('items');
  expect(tooWide(listed, messages)).toEqual([]);
  for (const message of messages) expect(listed).toContain(message);
  expect(listed).toContain('wait until 2099-12-31, assigned to the accounting department');

  const { stdout: log } = await world.recon('audit', 'list');
  expect(tooWide(log, [])).toEqual([]);
  expect(log).toContain('run.completed');

  const { document: discrepancies } = await world.json<ListedDiscrepancy[]>('discrepancies');
  const { stdout: found } = await world.recon('discrepancies');
  const sentences = discrepancies.map(({ message }) => message);
  expect(tooWide(found, sentences)).toEqual([]);
  for (const sentence of sentences) expect(found).toContain(sentence);
});
