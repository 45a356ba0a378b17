import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RowResult } from '../../../src/reporting/reconciled/row-result.js';
import { RowZipper } from '../../../src/reporting/reconciled/zip-rows.js';
import { headerLine } from '../../../src/settlement-file/columns.js';
import { readRows, type RawRow } from '../../../src/settlement-file/read-rows.js';
import { replaceOutcomeCells } from '../../../src/settlement-file/write-row.js';
import { keptRow } from '../../settlement-file/rows.js';
import { id32, rowText, type Cells } from '../world.js';

async function rowsOf(lines: readonly string[]): Promise<RawRow[]> {
  const rows: RawRow[] = [];
  const bytes = Buffer.from([headerLine, ...lines, ''].join('\n'));
  for await (const block of readRows(Readable.from([bytes]))) rows.push(...block.rows.map(keptRow));
  return rows;
}

function result(matchingStatus: string, matched: string, chargebackId: string): RowResult {
  const isOwnUniqueId = matched === '=';
  const matchedTransactions = isOwnUniqueId ? '' : matched;
  return {
    matchingStatus,
    isOwnUniqueId,
    matchedTransactions,
    chargebackId,
    head: Buffer.from(`;${matchingStatus};${matchedTransactions}`),
    tail: Buffer.from(`;${chargebackId}\n`),
  };
}

const receivedAt = '2026-11-20 01:02:03+0000';
const amount = fc
  .integer({ min: 0, max: 99_999_999 })
  .map((minor) => `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, '0')}`);
const cells: fc.Arbitrary<Cells> = fc.record({
  UniqueID: fc.constantFrom(id32('p1'), ''),
  Amount: amount,
  SettlementAmount: amount,
  Currency: fc.constantFrom('EUR', 'USD', 'JPY'),
  SettlementCurrency: fc.constantFrom('EUR', 'CHF'),
  TxRequestTime: fc.constantFrom('', '2026-11-18 10:00:00'),
  Descriptor: fc.constantFrom('', 'plain', 'Gebühr', '"quoted"', 'a;b', 'two\nlines'),
});
const outcome = fc.constantFrom<RowResult>(
  result('MATCHED', '=', ''),
  result('MATCHED', id32('p2'), id32('cb')),
  result('MULTIPLE_MATCHES', `${id32('p1')},${id32('p2')}`, ''),
  result('NOT_MATCHED', '', ''),
  result('', '', ''),
);

describe('rows zipped with results', () => {
  test('say what the row writer says, however they are copied, and add up to what was written', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cells, outcome), { minLength: 1, maxLength: 8 }), async (all) => {
        const zipper = new RowZipper(receivedAt);
        const rows = await rowsOf(all.map(([one]) => rowText(one)));
        let expected = '';
        rows.forEach((row, index) => {
          const pair = all[index];
          if (pair === undefined) throw new Error('one row per pair was written');
          const [one, found] = pair;
          zipper.add(row, found);
          expected += replaceOutcomeCells(row, {
            txRequestTimeIfEmpty: receivedAt,
            matchingStatus: found.matchingStatus,
            matchedTransactions: found.isOwnUniqueId ? (one['UniqueID'] ?? '') : found.matchedTransactions,
            chargebackId: found.chargebackId,
          });
        });
        expect(zipper.take().toString()).toBe(expected);
        const sum = (currency: string, code: string, name: string) =>
          all.reduce(
            (total, [one]) =>
              total + (one[code] === currency ? BigInt((one[name] ?? '').replace('.', '')) : 0n),
            0n,
          );
        const { rows: count, amounts, settlementAmounts } = zipper.totals();
        expect(count).toBe(all.length);
        for (const [currency, total] of amounts) expect(total).toBe(sum(currency, 'Currency', 'Amount'));
        for (const [currency, total] of settlementAmounts) {
          expect(total).toBe(sum(currency, 'SettlementCurrency', 'SettlementAmount'));
        }
      }),
    );
  });

  test('output grows beyond its first buffer and is handed out in turn', async () => {
    const zipper = new RowZipper(receivedAt);
    const [row] = await rowsOf([rowText({ Descriptor: 'x'.repeat(600_000) })]);
    if (row === undefined) throw new Error('one row was written');
    const found = result('NOT_MATCHED', '', '');
    const sizes = [1, 4, 1].map((times) => {
      for (let index = 0; index < times; index += 1) zipper.add(row, found);
      return zipper.take().length;
    });
    expect(sizes).toEqual([sizes[0], 4 * (sizes[0] ?? 0), sizes[0]]);
    expect(zipper.take().length).toBe(0);
  });

  test('say when they are to be written, so that rows with a thousand candidates each are not collected', async () => {
    const zipper = new RowZipper(receivedAt);
    const [row] = await rowsOf([rowText({})]);
    if (row === undefined) throw new Error('one row was written');
    const found = result('MULTIPLE_MATCHES', Array.from({ length: 1000 }, () => id32('p1')).join(','), '');
    let most = 0;
    for (let rows = 0; rows < 1000; rows += 1) {
      zipper.add(row, found);
      if (zipper.isFull) most = Math.max(most, zipper.take().length);
    }
    expect(most).toBeGreaterThan(1024 * 1024);
    expect(most).toBeLessThan(1100 * 1024);
  });

  test.each([
    ['too few cells', 'a;b;c'],
    ['too few quoted cells', '"a";b'],
    ['an amount beyond all amounts', rowText({ Amount: '9'.repeat(20) })],
  ])('a row that is no record (%s) is never written', async (_what, line) => {
    const [row] = await rowsOf([line]);
    if (row === undefined) throw new Error('one row was written');
    expect(() => new RowZipper(receivedAt).add(row, result('', '', ''))).toThrow(
      expect.objectContaining({ code: 'CONTROL_TOTALS_DISAGREE' }),
    );
  });
});
