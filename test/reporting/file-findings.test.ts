import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createWorld, id32, match, payment, settlementFile, type StoredFile } from './world.js';

test('a file may have far more lines than rows, and more than are read ahead', async () => {
  const lineBreaks = 140_000;
  const file: StoredFile = {
    id: 1,
    name: 'settlement.csv',
    lines: [
      { kind: 'record', cells: { SettlementTxId: 'tx-1', Descriptor: '\n'.repeat(lineBreaks) } },
      { kind: 'record', cells: { SettlementTxId: 'tx-2', UniqueID: id32('p2') } },
    ],
  };
  const world = await createWorld();
  onTestFinished(() => world.end());
  world.archive(file);
  await world.store([
    ...settlementFile(file).facts,
    payment(1),
    payment(2),
    match([1, 2], 'MATCHED', { matched_by: 'SHORT_ID', payment_key: 1 }),
    match([1, lineBreaks + 3], 'NOT_MATCHED'),
  ]);
  const { directory } = await world.publish();
  const reconciled = readFileSync(path.join(directory, 'reconciled/settlement.csv'), 'utf8');
  const results = reconciled.match(/;(NOT_)?MATCHED;.*/g);
  expect(results).toEqual([`;MATCHED;${id32('p1')};`, ';NOT_MATCHED;;']);
});
