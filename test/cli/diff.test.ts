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
  expect(runs.document).toMatchObject({
    files: [{ runId: 2, name: 'b.csv', records: 2 }],
    results: [],
  });
  expect(runs.document.differences.map(({ kind, code }) => `${kind} ${code}`)).toEqual([
    'added NOT_MATCHED',
    'added RECORD_REDELIVERED',
  ]);
  expect((await world.recon('diff', 'run:1', 'a.csv')).code).toBe(2);
  expect((await world.recon('diff', 'run:1', 'run:7')).code).toBe(2);
  const digits = await world.recon('diff', '12345678', 'a.csv');
  expect(digits.stderr).toContain('FILE_NOT_KNOWN');
});

test('recon diff refuses to compare a file with itself, whichever way it is named', async () => {
  const world = await createInstallation();
  const file = world.write('a.csv', settlementFile(1, 2));
  const { document } = await world.json<{ files: { sha256: string }[] }>('run', '--file', file);
  const digits = document.files[0]?.sha256.slice(0, 8) ?? '';
  for (const other of ['a.csv', digits]) {
    const { code, stderr } = await world.recon('diff', 'a.csv', other);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(
        `Name two different files; a.csv (${digits}) is named twice.`,
      ) as string,
    });
  }
});

test('recon diff of two runs lists changed findings and results with their values after each run', async () => {
  const world = await createInstallation();
  await world.recon('payments', 'import', world.write('payments.csv', paymentsFile(1)));
  const part = (id: string, amount: string) => ({
    UniqueID: paymentId(1),
    SettlementTxId: id,
    Amount: amount,
    SettlementAmount: amount,
  });
  const late = { UniqueID: paymentId(2), SettlementTxId: 'STL-2' };
  const take = (name: string, ...rows: readonly Cells[]) =>
    world.recon('run', '--file', world.write(name, settlementFile(...rows)), '--as-of', '2026-11-20');
  await take('a.csv', part('STL-1A', '20.00'), late);
  await take('b.csv', part('STL-1B', '30.00'));
  await world.recon('payments', 'import', world.write('more.csv', paymentsFile(2)));
  await take('c.csv', part('STL-1C', '50.00'));
  await take('d.csv', part('STL-1D', '5.00'));

  const difference = async (before: string, after: string) => {
    const { document } = await world.json<{
      differences: { kind: string; code: string; cells: object[] }[];
      results: object[];
    }>('diff', before, after);
    return document;
  };
  const partial = await difference('run:1', 'run:2');
  expect(partial.differences).toMatchObject([
    {
      kind: 'changed',
      runId: 2,
      code: 'AMOUNT_MISMATCH',
      file: 'b.csv',
      cells: [
        { column: 'Record', before: 'a.csv:2', after: 'b.csv:2' },
        { column: 'Amount', before: '20.00 EUR', after: '30.00 EUR' },
        { column: 'Actual', before: '20.00', after: '50.00' },
        { column: 'Difference', before: '-80.00 EUR', after: '-50.00 EUR' },
      ],
    },
  ]);
  const settled = await difference('run:2', 'run:3');
  expect(settled.differences.map(({ kind, code }) => `${kind} ${code}`)).toEqual([
    'resolved AMOUNT_MISMATCH',
    'resolved NOT_MATCHED',
  ]);
  expect(settled.results).toEqual([
    {
      runId: 3,
      source: 'local',
      file: 'a.csv',
      line: 3,
      settlementTxId: 'STL-2',
      uniqueId: paymentId(2),
      cells: [
        { column: 'MatchingStatus', before: 'NOT_MATCHED', after: 'MATCHED' },
        { column: 'MatchedTransactions', before: null, after: paymentId(2) },
        { column: 'MatchedBy', before: null, after: 'UNIQUE_ID' },
      ],
    },
  ]);
  // The same pair of runs gives the same answer after further runs.
  expect(await difference('run:1', 'run:2')).toEqual(partial);
  const all = await difference('run:1', 'run:4');
  expect(all.differences.map(({ kind, code }) => `${kind} ${code}`)).toEqual([
    'added DUPLICATE_SETTLEMENT',
    'resolved AMOUNT_MISMATCH',
    'resolved NOT_MATCHED',
  ]);
  const csv = await world.recon('diff', 'run:2', 'run:3', '--csv');
  expect(csv.stdout.split('\r\n').filter((line) => line.startsWith('"result"'))).toHaveLength(3);
  expect(csv.stdout).toContain(';Column;Before;After\r\n');
  const shown = await world.recon('diff', 'run:2', 'run:3');
  expect(shown.stdout).toContain('Run 3 loaded c.csv: 1 new record.');
  expect(shown.stdout).toContain('MatchingStatus NOT_MATCHED -> MATCHED');
});

test('recon diff pairs rows without a SettlementTxId or a reference by what else they have in common', async () => {
  const world = await createInstallation();
  const fee = (amount: string, type = 'MONTHLY'): Cells => ({
    ReconciliationType: 'FEE',
    PaymentType: type,
    Cashflow: 'NEG',
    Amount: amount,
  });
  const withoutId = { UniqueID: paymentId(1), Amount: '10.00' };
  await world.recon(
    'run',
    '--file',
    world.write('a.csv', settlementFile(fee('5.00'), fee('7.00'), withoutId, fee('1.00', 'BATCH'))),
  );
  await world.recon(
    'run',
    '--file',
    world.write(
      'b.csv',
      settlementFile({ ...withoutId, Amount: '11.00' }, fee('8.00'), { ...fee('5.00'), Descriptor: 'FEE' }),
    ),
  );
  const { document } = await world.json<{
    differences: { kind: string; lineBefore: number; lineAfter: number; cells: { column: string }[] }[];
  }>('diff', 'a.csv', 'b.csv');
  expect(
    document.differences.map(({ kind, lineBefore, lineAfter, cells }) => [
      kind,
      lineBefore,
      lineAfter,
      cells.map(({ column }) => column).join(' '),
    ]),
  ).toEqual([
    ['changed', 2, 4, 'Descriptor'],
    ['changed', 3, 3, 'Amount SettlementAmount'],
    ['changed', 4, 2, 'Amount SettlementAmount'],
    ['removed', 5, null, ''],
  ]);
  const csv = await world.recon('diff', 'a.csv', 'b.csv', '--csv');
  expect(csv.stdout).toContain('"changed";3;3;;;8.00;"EUR";"Amount";7.00;8.00\r\n');
  expect((await world.recon('diff', 'a.csv', 'b.csv', '--csv', '--json')).code).toBe(2);
});
