import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeFixtures } from '../scripts/fixtures/write-fixtures.js';
import type { RunOutcome } from '../src/outcome.js';
import { recon as runInProcess } from './cli/recon.js';
import { runCli } from './support/cli.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';

/**
 * Every folder of `fixtures/` from outside: payments in, settlement files in, reports out, through the
 * command line. Then the same days again as a re-run, which must find the same.
 */
const fixtures = path.resolve(import.meta.dirname, '../fixtures');
const stories = readdirSync(fixtures).filter((name) =>
  existsSync(path.join(fixtures, name, 'expected.json')),
);

/** Rows that are the same as others, in one file or in several, and rows that belong to others. */
const whereTablesMatter = [
  'bad-rows',
  'chargeback-exceeds-payment',
  'chargebacks',
  'clean-day',
  'demo',
  'duplicate-settlement',
  'multiple-matches',
];

interface Expectation {
  exitCode: number;
  matching: Record<string, number>;
  chargebacks: { assigned: number; reversed: number };
  discrepancies: {
    code: string;
    line?: number;
    payment?: string;
    expected?: string;
    actual?: string;
    difference?: string;
    differenceCurrency?: string;
  }[];
  rejectedRows: { line: number; column: string }[];
}

let database: TestDatabase;
let directory: string;
let environment: Record<string, string>;

beforeEach(async () => {
  database = await createTestDatabase();
  directory = mkdtempSync(path.join(tmpdir(), 'recon-story-'));
  environment = { RECON_DATABASE_URL: database.url, RECON_DATA_DIR: path.join(directory, 'data') };
});

afterEach(async () => {
  await database.drop();
  rmSync(directory, { recursive: true, force: true });
});

function readReport(file: string): Record<string, string>[] {
  return parse<Record<string, string>>(readFileSync(file), { delimiter: ';', columns: true, bom: true });
}

/** The discrepancies of a report in the form of the expectation, with just the keys that it names. */
function asExpected(rows: Record<string, string>[], expectations: Expectation['discrepancies']) {
  return rows
    .map((row) => {
      const match = expectations.find(
        (one) =>
          one.code === row['Code'] &&
          (one.line === undefined ? row['PaymentId'] === one.payment : row['Line'] === String(one.line)),
      );
      return {
        code: row['Code'],
        ...(row['Line'] === '' ? { payment: row['PaymentId'] } : { line: Number(row['Line']) }),
        ...(match?.expected === undefined ? {} : { expected: row['Expected'] }),
        ...(match?.actual === undefined ? {} : { actual: row['Actual'] }),
        ...(match?.difference === undefined ? {} : { difference: row['Difference'] }),
        ...(match?.differenceCurrency === undefined ? {} : { differenceCurrency: row['DifferenceCurrency'] }),
      };
    })
    .sort(byText);
}

const byText = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

interface Step {
  readonly code: number;
  readonly outcome: RunOutcome;
  readonly stderr: string;
}

async function recon(...args: string[]): Promise<Step> {
  const { code, stdout, stderr } = await runInProcess([...args, '--json'], { environment, cwd: directory });
  return { code, outcome: JSON.parse(stdout) as RunOutcome, stderr };
}

async function reconProcess(...args: string[]): Promise<Step> {
  const { code, stdout, stderr } = await runCli([...args, '--json'], { env: environment, cwd: directory });
  return { code, outcome: JSON.parse(stdout) as RunOutcome, stderr };
}

/** Files of a report folder that must not differ between a run and its repetitions. */
function reportBytes(outcome: RunOutcome): Record<string, string> {
  const folder = outcome.reports?.directory ?? '';
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.csv'))
    .sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]));
}

describe.each(stories)('%s', (story) => {
  const folder = path.join(fixtures, story);
  const expected = JSON.parse(readFileSync(path.join(folder, 'expected.json'), 'utf8')) as Expectation;
  const inbound = readdirSync(path.join(folder, 'inbound')).map((name) => path.join(folder, 'inbound', name));

  test.each([
    ['files that share a table', ''],
    ...(whereTablesMatter.includes(story) ? [['files with separate tables', 'largeFileBytes: 0\n']] : []),
  ])('the run finds what is expected, and so does a re-run: %s', async (_, config) => {
    writeFileSync(path.join(directory, 'recon.config.yaml'), config);
    await recon('payments', 'import', path.join(folder, 'payments.csv'));
    const run = await (story === 'demo' ? reconProcess : recon)(
      'run',
      '--as-of',
      '2026-11-20',
      ...inbound.flatMap((file) => ['--file', file]),
    );
    expect(run.stderr).not.toMatch(/\n\s+at /);
    expect(run.code).toBe(expected.exitCode);
    expect(run.outcome.matching).toEqual(expected.matching);
    expect(run.outcome.chargebacks).toEqual(expected.chargebacks);

    const reports = run.outcome.reports;
    const discrepancies = readReport(reports?.discrepancies ?? '');
    expect(asExpected(discrepancies, expected.discrepancies)).toEqual(
      [...expected.discrepancies].sort(byText),
    );
    expect(run.outcome.discrepancies.total).toBe(expected.discrepancies.length);
    const rejected = readReport(reports?.rejectedRows ?? '');
    expect(rejected.map((row) => ({ line: Number(row['Line']), column: row['Column'] }))).toEqual(
      expected.rejectedRows,
    );

    const again = ['rerun', '--from', '2026-11-01', '--to', '2026-11-30', '--as-of', '2026-11-20'];
    const first = await recon(...again);
    const second = await recon(...again);
    expect(first.outcome.matching).toEqual(expected.matching);
    expect(reportBytes(second.outcome)).toEqual(reportBytes(first.outcome));
    const missing = (rows: Record<string, string>[]) =>
      rows.filter((row) => row['Code'] !== 'MISSING_SETTLEMENT');
    expect(missing(readReport(first.outcome.reports?.discrepancies ?? ''))).toEqual(missing(discrepancies));
    for (const file of run.outcome.reports?.reconciled ?? []) {
      const name = path.basename(file);
      expect(reportBytes(first.outcome)[`reconciled/${name}`]).toBe(readFileSync(file, 'utf8'));
    }
  });
});

test('the reconciled file names the payment of the result, not the relative that the record names', async () => {
  const story = path.join(fixtures, 'references');
  await recon('payments', 'import', path.join(story, 'payments.csv'));
  const delivered = path.join(story, 'inbound', 'settlement-2026-11-19.csv');
  // The same records again, so that they belong to another file, and one more, so that a day is a part of it.
  const lines = readFileSync(delivered, 'utf8').trimEnd().split('\n');
  const later = (lines[1] ?? '').replace('STL-1', 'STL-9').replace('2026-11-19', '2026-11-20');
  const extended = path.join(directory, 'extended.csv');
  writeFileSync(extended, [...lines, later, ''].join('\n'));

  const payment = (number: number) => `8ac7a4a10000000000000000000000${String(number).padStart(2, '0')}`;
  const results = [[1], [2], [3], [5], [8], [7], [10, 11], [12]].map((ids) => ids.map(payment).join(','));
  const resultsIn = ({ outcome }: Step, name: string) => {
    const file = outcome.reports?.reconciled.find((one) => path.basename(one) === name) ?? '';
    return readReport(file).map((row) => row['MatchedTransactions']);
  };
  const run = await recon('run', '--as-of', '2026-11-20', '--file', delivered);
  expect(resultsIn(run, 'settlement-2026-11-19.csv')).toEqual(results);
  const again = await recon('run', '--as-of', '2026-11-20', '--file', extended);
  expect(resultsIn(again, 'extended.csv')).toEqual([...results, payment(1)]);
  const day = await recon('rerun', '--from', '2026-11-19', '--to', '2026-11-19', '--as-of', '2026-11-20');
  expect(resultsIn(day, 'settlement-2026-11-19.csv')).toEqual(results);
  expect(resultsIn(day, 'extended.csv')).toEqual(results);
});

test('the folders are what the stories say', () => {
  const copy = path.join(directory, 'fixtures');
  mkdirSync(copy);
  cpSync(fixtures, path.join(directory, 'committed'), { recursive: true });
  writeFixtures(copy);
  const content = (root: string) =>
    readdirSync(root, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .sort()
      .map((file) => [path.relative(root, file), readFileSync(file, 'utf8')]);
  expect(content(copy)).toEqual(content(path.join(directory, 'committed')));
});
