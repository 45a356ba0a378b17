import { expect, test } from 'vitest';
import { createInstallation, paymentId, paymentsFile, settlementFile, type Cells } from './installation.js';

test('recon diff names what two files and two runs have different', async () => {
  const world = await createInstallation();
  await world.recon('payments', 'import', world.write('payments.csv', paymentsFile(1, 2, 3)));
  const row = (number: number, amount: string) => ({
    UniqueID: paymentId(number),
    SettlementTxId: `STL-${number}`,
    Amount: amount,
    SettlementAmount: amount,
  });
  const take = (name: string, ...rows: readonly (number | Cells)[]) =>
    world.recon('run', '--file', world.write(name, settlementFile(...rows)), '--as-of', '2026-11-20');
  await take('a.csv', 1, row(2, '90.00'), 3);
  await take('b.csv', 1, row(2, '100.00'), row(9, '5.00'));
  const files = await world.json('diff', 'a.csv', 'b.csv');
  expect(files).toMatchObject({
    code: 0,
    document: {
      kind: 'files',
      unchanged: 1,
      differences: [
        {
          kind: 'changed',
          lineBefore: 3,
          lineAfter: 3,
          cells: [
            { column: 'Amount', before: '90.00', after: '100.00' },
            { column: 'SettlementAmount', before: '90.00', after: '100.00' },
          ],
        },
        { kind: 'removed', lineBefore: 4, lineAfter: null },
        { kind: 'added', lineBefore: null, lineAfter: 4, amount: '5.00' },
      ],
    },
  });
  const shown = await world.recon('diff', 'a.csv', 'b.csv');
  expect(shown.stdout).toContain('The same in both: 1 row; different: 3 rows.');
  const runs = await world.json<{ differences: { kind: string; code: string }[] }>('diff', 'run:1', '2');
  expect(runs.document.differences.map(({ kind, code }) => `${kind} ${code}`)).toEqual([
    'added NOT_MATCHED',
    'added RECORD_REDELIVERED',
  ]);
  expect((await world.recon('diff', 'run:1', 'a.csv')).code).toBe(2);
  expect((await world.recon('diff', 'run:1', 'run:7')).code).toBe(2);
  const digits = await world.recon('diff', '12345678', 'a.csv');
  expect(digits.stderr).toContain('FILE_NOT_KNOWN');
});
