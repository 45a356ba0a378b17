import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { needs } from '../support/needs.js';
import { fileOfRows, settlementRow } from '../support/settlement-rows.js';
import { folderForThisTest } from '../support/test-folder.js';
import {
  measureGivenBack,
  measureLists,
  measureLongSheet,
  measureRun,
  megabyte,
  writeEndlessLine,
  writeRows,
} from './large-files.js';

/*
 * Memory must not grow with what a sender sends. The whole command is measured from outside, by the most memory
 * its process ever had; the campaign does the same with gigabytes.
 */
const procfs = needs.procfs();

describe.runIf(procfs.isMet)('memory', procfs.orSkipped, () => {
  test('F40 does not grow with a file of 50 MB', async () => {
    const folder = folderForThisTest();
    const peaks: number[] = [];
    for (const megabytes of [2, 50]) {
      const file = path.join(folder, `${megabytes}.csv`);
      await writeRows(file, megabytes * megabyte, 'account');
      const { outcome, peakBytes } = await measureRun(file);
      expect(outcome.files[0]).toMatchObject({ status: 'loaded' });
      peaks.push(peakBytes / megabyte);
    }
    const [small = 0, large = 0] = peaks;
    expect(large).toBeLessThan(300);
    expect(large - small).toBeLessThan(150);
  });

  test('F61 does not grow with a line of 64 MB, which is refused', async () => {
    const file = path.join(folderForThisTest(), 'line.csv');
    writeEndlessLine(file, 64 * megabyte);
    const { outcome, peakBytes } = await measureRun(file);
    expect(outcome.files[0]).toMatchObject({
      status: 'rejected',
      error: { code: 'FILE_RECORD_TOO_LONG' },
      rows: { total: 0 },
    });
    expect(peakBytes).toBeLessThan(200 * megabyte);
  });

  test('is not a multiple of a sheet of 30,000 rejected rows that is given back', async () => {
    const file = path.join(folderForThisTest(), 'rejected.csv');
    const rows = Array.from({ length: 30_000 }, (_, index) =>
      settlementRow({ Amount: index === 0 ? '10.00' : '10,00', SettlementTxId: `STL-${index}` }),
    );
    writeFileSync(file, fileOfRows(rows));
    const { stdout, peakBytes } = await measureGivenBack(file);
    expect(JSON.parse(stdout)).toMatchObject({ corrected: [], unchanged: rows.length - 1 });
    expect(peakBytes).toBeLessThan(190 * megabyte);
  });

  test('does not grow with a CSV sheet of 150 MB in which one item is decided', async () => {
    const file = path.join(folderForThisTest(), 'rows.csv');
    await writeRows(file, megabyte / 2, 'payments');
    const { stdout, peakBytes } = await measureLongSheet(file, 150 * megabyte);
    expect((JSON.parse(stdout) as { decisions: unknown[] }).decisions).toHaveLength(1);
    expect(peakBytes).toBeLessThan(170 * megabyte);
  });

  test(
    'does not grow with what a command lists, compares or decides about',
    { timeout: 180_000 },
    async () => {
      const folder = folderForThisTest();
      const [before, after] = [path.join(folder, 'before.csv'), path.join(folder, 'after.csv')];
      await writeRows(before, 18 * megabyte, 'account');
      writeFileSync(after, readFileSync(before, 'utf8').replaceAll(';STL-', ';OTHER-'));
      for (const [command, peakBytes] of await measureLists([before, after], 100_000)) {
        expect.soft(peakBytes / megabyte, command).toBeLessThan(130);
      }
    },
  );
});
