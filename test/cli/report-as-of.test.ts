import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { createInstallation, paymentsFile, paymentId, settlementFile } from './installation.js';

/** Ages and waits in a report are those of a day (design 4.9); with that day, the same report can be written again. */

const november = ['--from', '2026-11-01', '--to', '2026-11-30'] as const;

test('the report of a range is as of the day that is given, and the same as that of the re-run', async () => {
  const shop = await createInstallation();
  shop.write('payments.csv', paymentsFile(1));
  await shop.recon('payments', 'import', 'payments.csv');
  const file = shop.write('night.csv', settlementFile(1, { UniqueID: paymentId(8), SettlementTxId: 'T8' }));
  await shop.json('run', '--file', file, '--as-of', '2026-11-20');
  await shop.recon('decide', 'night.csv:3', '--wait', '2026-11-25', '--as-of', '2026-11-20', '--by', 'anna');

  const sheetOf = ({ document }: { document: RunOutcome }) =>
    readFileSync(document.reports?.openItems ?? '', 'utf8');
  const repeated = sheetOf(await shop.json<RunOutcome>('rerun', ...november, '--as-of', '2026-11-24'));
  const written = await shop.json<RunOutcome>('report', ...november, '--as-of', '2026-11-24');
  expect(written).toMatchObject({
    code: 0,
    document: { asOf: '2026-11-24', items: { open: 0, waiting: 1 } },
  });
  expect(sheetOf(written)).toBe(repeated);
  expect(repeated).toContain('"WAITING"');

  const later = await shop.json<RunOutcome>('report', ...november, '--as-of', '2026-11-25');
  expect(later.document).toMatchObject({ asOf: '2026-11-25', items: { open: 1, waiting: 0 } });
  expect(sheetOf(later)).toContain('"OPEN"');

  for (const ofRun of [[], ['--run', '1']]) {
    const { code, document } = await shop.json('report', ...ofRun, '--as-of', '2026-11-24');
    expect([code, JSON.stringify(document)]).toEqual([
      2,
      expect.stringContaining(
        '--as-of needs --from and --to: the report of a run is as of the day of that run.',
      ),
    ]);
  }
});
