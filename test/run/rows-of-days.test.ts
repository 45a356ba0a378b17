import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { rerunRange } from '../../src/run/rerun-range.js';
import type { RunContext } from '../../src/run/run-context.js';
import { runReconciliation } from '../../src/run/run-reconciliation.js';
import { headerLine } from '../../src/settlement-file/columns.js';
import { archivePath } from '../support/archive.js';
import { databaseForAllTests } from '../support/database.js';
import { runContext } from '../support/run-context.js';
import { lineOf, paymentId, settlementRow } from '../support/settlement-rows.js';
import { folderForAllTests } from '../support/test-folder.js';

/**
 * A re-run of a day reads the rows of that day from a large file, and no others: what it copies is exactly what a
 * report on the whole file holds of that day, and each row is compared with its record.
 */
const days = ['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'];
const day = '2026-11-18';
const rowCount = 600;

/** Rows of five days in no order, with quotes, line breaks, lone carriage returns, umlauts and invalid amounts. */
function rowOf(n: number): string {
  const descriptors = ['SHOP', 'SHOP; "A"', 'TWO\nLINES', 'A\rB', 'CAFÉ Ö', '4111111111111111'];
  const row = settlementRow({
    UniqueID: paymentId(n),
    SettlementTxId: `STL-${n}`,
    SettlementDate: days[(n * 7 + Math.floor(n / 11)) % days.length] ?? '',
    Descriptor: descriptors[n % descriptors.length] ?? '',
    TxRequestTime: n % 3 === 0 ? '' : '2026-11-15 10:00:00',
    Amount: n % 50 === 49 ? '1,00' : '100.00',
  });
  const text = lineOf(row);
  // Quotes that are not needed.
  return n % 10 === 3 ? text.replace('Example Shop', '"Example Shop"') : text;
}

const text = (ending: string, first = 0) =>
  [`\uFEFF${headerLine}`, ...Array.from({ length: rowCount }, (_, n) => rowOf(first + n)), ''].join(ending);

const testDatabase = databaseForAllTests();
const directory = folderForAllTests();
let context: RunContext;
let content: string;
let sha256: string;

beforeAll(async () => {
  context = runContext(testDatabase.database, directory.path);
  content = text('\r\n');
  sha256 = createHash('sha256').update(content).digest('hex');
  await run('month.csv', content);
  // Rows that the first file had already, and new ones.
  await run('overlapping.csv', text('\n', 300));
});

const reconciled: Record<string, string> = {};

async function run(name: string, bytes: string): Promise<void> {
  const file = path.join(directory.path, name);
  writeFileSync(file, bytes);
  const { reports } = await runReconciliation(context, {
    sources: null,
    files: [file],
    asOf: '2026-11-20',
    dryRun: false,
  });
  reconciled[name] = readFileSync(reports?.reconciled[0] ?? '', 'utf8');
}

const rerunOfDay = () =>
  rerunRange(context, { from: day, to: day, fetch: false, asOf: '2026-11-20', dryRun: false });

async function rerun(): Promise<Record<string, string>> {
  const { reports } = await rerunOfDay();
  return Object.fromEntries(
    (reports?.reconciled ?? []).map((file) => [path.basename(file), readFileSync(file, 'utf8')]),
  );
}

/** The lines of a reconciled file that are rows of the day. A cell with a line break makes two lines of one row. */
const ofTheDay = (file: string): string => {
  const [header = '', ...rows] = file.split(/\n(?=SETTLED;|$)/);
  return [header, ...rows.filter((row) => row.includes(`;${day};`)), ''].join('\n');
};

/** Changes bytes of the archived file while some work is done. */
async function withDamage(from: string, to: string, work: () => Promise<void>): Promise<void> {
  const archived = archivePath(directory.path, sha256);
  expect(Buffer.byteLength(from)).toBe(Buffer.byteLength(to));
  expect(content).toContain(from);
  writeFileSync(archived, content.replace(from, to));
  try {
    await work();
  } finally {
    writeFileSync(archived, content);
  }
}

const numberOf = (ofDay: boolean) => {
  for (let n = rowCount - 1; n > 0; n -= 1) {
    if (rowOf(n).includes(`;${day};`) === ofDay && n % 50 !== 49) return n;
  }
  throw new Error('there is no such row');
};

describe('a re-run of a day', () => {
  test('copies the rows of the day as a report on the whole file does', async () => {
    const copied = await rerun();
    expect(Object.keys(copied).sort()).toEqual(['month.csv', 'overlapping.csv']);
    for (const [name, file] of Object.entries(copied)) {
      expect(file).toBe(ofTheDay(reconciled[name] ?? ''));
      expect(file.split('\n').length).toBeGreaterThan(80);
    }
  });

  test('does not read the rows of other days', async () => {
    const before = await rerun();
    const other = `STL-${numberOf(false)};`;
    await withDamage(other, other.replace('STL', 'XXX'), async () => {
      expect(await rerun()).toEqual(before);
    });
  });

  test.each([
    ['a cell of a row is damaged', 'STL', 'XXX'],
    ['a row is broken in two', 'STL-', 'ST\n-'],
  ])('ends with an error when %s', async (_what, from, to) => {
    const row = `STL-${numberOf(true)};`;
    await withDamage(row, row.replace(from, to), async () => {
      expect(await rerunOfDay()).toMatchObject({ status: 'failed', error: { code: 'DISK_FAILED' } });
    });
  });

  test('reads a file without places whole, with the same result', async () => {
    const before = await rerun();
    await testDatabase.database.sql.begin(async (tx) => {
      await tx`select set_config('recon.fence', (select token::text from run_fence), true)`;
      await tx`delete from row_places`;
    });
    expect(await rerun()).toEqual(before);
  });
});
