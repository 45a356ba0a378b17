import { expect, test } from 'vitest';
import {
  createInstallation,
  paymentId,
  paymentsFile,
  settlementFile,
  type Installation,
} from './installation.js';

/** A sender corrects a record, and takes the correction back: the third file has the record as it was (design 4.8). */
const asOf = ['--as-of', '2026-11-25'] as const;
const settled = { UniqueID: paymentId(1), SettlementTxId: 'STL-1' };
const short = { ...settled, Amount: '90.00', SettlementAmount: '90.00' };

async function worldOf(corrections: 'ask' | 'replace'): Promise<Installation> {
  const world = await createInstallation();
  world.write(
    'recon.config.yaml',
    `sources:\n  - { name: acquirer, protocol: local, folder: inbox, corrections: ${corrections} }\n`,
  );
  await world.recon('payments', 'import', world.write('payments.csv', paymentsFile(1, 2)));
  world.write('inbox/1.csv', settlementFile(settled));
  await run(world);
  world.write('inbox/2.csv', settlementFile(short, 2));
  await run(world);
  return world;
}

const run = (world: Installation) => world.recon('run', ...asOf);

const open = async (world: Installation) => {
  const { document } = await world.json<{ code: string; file: string }[]>('discrepancies');
  return document.map(({ code, file }) => `${code} ${file}`);
};

const status = async (world: Installation, place: string) => (await world.recon('explain', place)).stdout;

test('the record counts again at once where the source replaces', async () => {
  const world = await worldOf('replace');
  expect(await open(world)).toEqual(['AMOUNT_MISMATCH 2.csv']);
  world.write('inbox/3.csv', settlementFile(2, settled));
  await run(world);
  expect(await open(world)).toEqual([]);
  expect(await status(world, '2.csv:2')).toContain('1.csv line 2 replaces it');
  await world.recon('rerun', '--from', '2026-11-01', '--to', '2026-11-30', ...asOf);
  expect(await open(world)).toEqual([]);
});

test('somebody decides where the source asks', async () => {
  const world = await worldOf('ask');
  const decide = (...args: string[]) => world.recon('decide', ...args, '--by', 'anna', ...asOf);
  await decide('--code', 'RECORD_REDELIVERED', '--supersede', '--reason', 'corrected');
  await run(world);
  expect(await open(world)).toEqual(['AMOUNT_MISMATCH 2.csv']);
  world.write('inbox/3.csv', settlementFile(2, settled));
  await run(world);
  expect(await open(world)).toEqual(['AMOUNT_MISMATCH 2.csv', 'RECORD_REDELIVERED 1.csv']);
  expect((await world.recon('items', '--code', 'RECORD_REDELIVERED')).stdout).toContain(
    '2.csv line 2 corrected this record',
  );
  const decided = await decide('--code', 'RECORD_REDELIVERED', '--supersede', '--reason', 'taken back');
  expect(decided.code).toBe(0);
  await run(world);
  expect(await open(world)).toEqual([]);
  expect(await status(world, '2.csv:2')).toContain('1.csv line 2 replaces it, decided by anna');
});

test('the finding names the last file that brings the record without its correction, as a re-run does', async () => {
  const world = await worldOf('ask');
  await world.recon(
    'decide',
    ...['--code', 'RECORD_REDELIVERED', '--supersede', '--reason', 'corrected', '--by', 'anna', ...asOf],
  );
  await run(world);
  const named = async () => {
    const { stdout } = await world.recon('items', '--code', 'RECORD_REDELIVERED');
    return /and (\d\.csv) delivers it as it was before/.exec(stdout)?.[1];
  };
  const other = (file: number) => ({ UniqueID: paymentId(2), SettlementTxId: `STL-${file}` });
  for (const [act, expected] of [
    [() => world.write('inbox/3.csv', settlementFile(settled, other(3))), '3.csv'],
    [() => world.write('inbox/4.csv', settlementFile(settled, other(4))), '4.csv'],
    [() => world.write('inbox/5.csv', settlementFile(settled, short, other(5))), '4.csv'],
    [() => world.recon('files', 'withdraw', '4.csv', '--reason', 'wrong'), '3.csv'],
    [() => world.recon('files', 'restore', '4.csv', '--reason', 'right'), '4.csv'],
  ] as const) {
    await act();
    await run(world);
    expect(await named()).toBe(expected);
    await world.recon('rerun', '--from', '2026-11-01', '--to', '2026-11-30', ...asOf);
    expect(await named()).toBe(expected);
  }
});

test('a decision about the correction is not about its return, when the sender brings it once more', async () => {
  const world = await worldOf('ask');
  const decide = (reason: string) =>
    world.recon(
      'decide',
      '--code',
      'RECORD_REDELIVERED',
      '--supersede',
      '--reason',
      reason,
      '--by',
      'anna',
      ...asOf,
    );
  await decide('corrected');
  await run(world);
  world.write('inbox/3.csv', settlementFile(2, settled));
  await run(world);
  await decide('taken back');
  await run(world);
  world.write('inbox/4.csv', settlementFile(short, { UniqueID: paymentId(2), SettlementTxId: 'STL-4' }));
  await run(world);
  expect(await open(world)).toContain('RECORD_REDELIVERED 2.csv');

  const waiting = await status(world, '2.csv:2');
  expect(waiting).toContain(
    '1.csv line 2 delivered this record before, and nobody has decided which of the two counts.',
  );
  expect(waiting).toMatch(
    /Before this record was replaced, it was decided by anna on 2026-11-25 \(corrected\): supersede\. That says nothing about its return\./,
  );
  expect(waiting).not.toContain('The next run, or a re-run of its settlement date, does it.');
  const delivery = async () =>
    (await world.json<{ record: { delivery: object } }>('explain', '2.csv:2')).document.record.delivery;
  expect(await delivery()).toMatchObject({
    decision: { reason: 'corrected' },
    isPending: false,
    isFormer: true,
  });

  await decide('corrected again');
  expect(await status(world, '2.csv:2')).toContain(
    'Decided by anna on 2026-11-25 (corrected again): supersede. The next run, or a re-run of its settlement date, does it.',
  );
  await run(world);
  expect(await open(world)).not.toContain('RECORD_REDELIVERED 2.csv');
  expect(await status(world, '2.csv:2')).toContain(
    'It replaces the former delivery, as decided by anna on 2026-11-25 (corrected again).',
  );
});
