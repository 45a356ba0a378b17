import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { databaseForAllTests } from '../support/database.js';
import { folderForAllTests } from '../support/test-folder.js';
import { recon } from './recon.js';

/** The demo, read with `recon items`. */
const demo = path.resolve(import.meta.dirname, '../../fixtures/demo');

const testDatabase = databaseForAllTests();
const folder = folderForAllTests();
let outcome: { items: Record<string, number>; reports: { openItems: string } };

beforeAll(async () => {
  cpSync(path.join(demo, 'inbound'), path.join(folder.path, 'inbox'), { recursive: true });
  writeFileSync(
    path.join(folder.path, 'recon.config.yaml'),
    `dataDirectory: data
databaseUrl: ${testDatabase.url}
logLevel: silent
sources:
  - { name: inbox, protocol: local, folder: inbox, minimumAgeSeconds: 0 }
`,
  );
  await printed(['payments', 'import', path.join(demo, 'payments.csv')]);
  const run = await recon(['run', '--as-of', '2026-11-20', '--json'], { cwd: folder.path });
  outcome = JSON.parse(run.stdout) as typeof outcome;
});

async function printed(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await recon(args, { cwd: folder.path });
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return stdout;
}

type Row = Record<string, unknown>;
const listed = async (...args: string[]) =>
  JSON.parse(await printed(['items', '--as-of', '2026-11-20', '--json', ...args])) as Row[];

describe('items', () => {
  test('are all that is open, the most money at risk first', async () => {
    const items = await listed();
    expect(items).toHaveLength(outcome.items['open'] ?? 0);
    const money = items.map(({ atRisk }) => Math.abs(Number(atRisk)));
    expect(money).toEqual([...money].sort((a, b) => b - a));
    expect(items.every((item) => item['amount'] !== null && item['currency'] !== null)).toBe(true);
    expect(items.every((item) => item['date'] !== null && item['whatToDo'] !== '')).toBe(true);
  });

  test('say in the words of the page whether money is missing or surplus', async () => {
    const table = await printed(['items', '--as-of', '2026-11-20']);
    expect(table).toMatch(/ MISSING_SETTLEMENT +250\.00 +EUR missing +0\n/);
    expect(table).toMatch(/ NOT_MATCHED +77\.77 +EUR surplus +0\n/);
    expect(table).toMatch(/ BRAND_MISMATCH +0\.00 +EUR +0\n/);
  });

  test('are counted in the document of the run, those of the whole database', () => {
    expect(outcome.items).toEqual({
      open: expect.any(Number) as number,
      new: outcome.items['open'],
      resolved: 0,
      waiting: 0,
      accepted: 0,
      lapsed: 0,
      newBySeverity: { error: 9, warning: 2, info: 0 },
    });
  });

  test('as a sheet are the bytes of open-items.csv', async () => {
    const sheet = await printed(['items', '--as-of', '2026-11-20', '--csv']);
    expect(sheet).toBe(readFileSync(outcome.reports.openItems, 'utf8'));
    expect(sheet.startsWith('\uFEFFDiscrepancyId;Code;Severity;Status;Lapsed;Amount;AtRisk;Currency;')).toBe(
      true,
    );
  });

  test('grow older with the day that counts as today', async () => {
    const days = (items: Row[]) => [...new Set(items.map(({ since, ageDays }) => [since, ageDays].join()))];
    expect(days(await listed())).toEqual(['2026-11-20,0']);
    expect(days(await listed('--as-of', '2026-11-23'))).toEqual(['2026-11-20,3']);
    expect(days(await listed('--as-of', '2026-11-01'))).toEqual(['2026-11-20,0']);
  });

  test('are narrowed by code, severity and account', async () => {
    const all = await listed();
    for (const [option, key] of [
      ['--code', 'code'],
      ['--severity', 'severity'],
      ['--account', 'merchantAccountId'],
    ] as const) {
      const value = String(all.find((item) => item[key] !== null)?.[key]);
      expect(await listed(option, value)).toEqual(all.filter((item) => item[key] === value));
    }
    expect(await listed('--assignee', 'nobody')).toEqual([]);
    expect(await listed('--status', 'ACCEPTED')).toEqual([]);
    expect(await listed('--status', 'RESOLVED')).toEqual([]);
  });

  test('are cut by a limit only, and the table says so', async () => {
    const all = await listed();
    expect(await listed('--limit', '2')).toEqual(all.slice(0, 2));
    const table = await printed(['items', '--limit', '2']);
    expect(table).toContain(`\n2 of ${all.length}; --limit shows more`);
    expect(await printed(['items'])).not.toContain('--limit');
  });

  test('in the table fit 100 columns beside the sentence, which stays whole', async () => {
    const [item] = await listed();
    const table = await printed(['items']);
    expect(table).toContain(`\n  ${String(item?.['message'])}\n`);
    const lines = table.split('\n').filter((line) => !line.startsWith('  '));
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100);
  });

  test('that do not exist make an empty list', async () => {
    expect(await printed(['items', '--account', 'nobody', '--json'])).toBe('[]\n');
    expect(await printed(['items', '--account', 'nobody'])).toBe('No item fits the filter.\n');
    expect(await printed(['items', '--status', 'RESOLVED'])).toBe('No item fits the filter.\n');
    expect(await printed(['items', '--patterns'])).toContain('the same code, merchant account and values.');
  });

  test.each([
    [['--csv', '--json'], '--csv and --json exclude each other.'],
    [['--status', 'open'], '--status must be one of OPEN, WAITING, ACCEPTED, RESOLVED, LAPSED'],
    [['--as-of', '20.11.2026'], '--as-of must be written yyyy-MM-dd'],
  ])('refuse %j', async (args, sentence) => {
    const { code, stdout, stderr } = await recon(['items', ...args], { cwd: folder.path });
    expect(code).toBe(2);
    expect(stdout + stderr).toContain(sentence);
  });
});
