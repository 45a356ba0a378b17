import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { recon as runInProcess } from '../cli/recon.js';
import { createTestDatabase } from './database.js';

/** The folders of `fixtures/` that say what a run over their files finds. */
export const fixtures = path.resolve(import.meta.dirname, '../../fixtures');
export const stories = readdirSync(fixtures).filter((name) =>
  existsSync(path.join(fixtures, name, 'expected.json')),
);

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

/** How a command of a story ended. */
export interface Step {
  readonly code: number;
  readonly outcome: RunOutcome;
  readonly stderr: string;
}

/** A database and a folder in which one story happens. */
export interface StoryPlace {
  readonly directory: string;
  /** Runs a command within the test's process. */
  readonly recon: (...args: string[]) => Promise<Step>;
  remove(): Promise<void>;
}

export async function createStoryPlace(): Promise<StoryPlace> {
  const database = await createTestDatabase();
  const directory = mkdtempSync(path.join(tmpdir(), 'recon-story-'));
  const environment = { RECON_DATABASE_URL: database.url, RECON_DATA_DIR: path.join(directory, 'data') };
  return {
    directory,
    recon: async (...args) => {
      const { code, stdout, stderr } = await runInProcess([...args, '--json'], {
        environment,
        cwd: directory,
      });
      return { code, outcome: JSON.parse(stdout) as RunOutcome, stderr };
    },
    remove: async () => {
      await database.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export function readReport(file: string): Record<string, string>[] {
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

/** Files of a report folder that must not differ between a run and its repetitions. */
function reportBytes(outcome: RunOutcome): Record<string, string> {
  const folder = outcome.reports?.directory ?? '';
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.csv'))
    .sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]));
}

/**
 * Payments in, settlement files in, reports out, through the command line; then the same days again as a re-run, which
 * must find the same.
 *
 * @param settings the text of the configuration
 */
export async function expectStory(story: string, place: StoryPlace, settings = ''): Promise<void> {
  const { directory, recon } = place;
  const folder = path.join(fixtures, story);
  const expected = JSON.parse(readFileSync(path.join(folder, 'expected.json'), 'utf8')) as Expectation;
  const inbound = readdirSync(path.join(folder, 'inbound')).map((name) => path.join(folder, 'inbound', name));
  writeFileSync(path.join(directory, 'recon.config.yaml'), settings);
  await recon('payments', 'import', path.join(folder, 'payments.csv'));
  const run = await recon('run', '--as-of', '2026-11-20', ...inbound.flatMap((file) => ['--file', file]));
  expect(run.stderr).not.toMatch(/\n\s+at /);
  expect(run.code).toBe(expected.exitCode);
  expect(run.outcome.matching).toEqual(expected.matching);
  expect(run.outcome.chargebacks).toEqual(expected.chargebacks);

  const reports = run.outcome.reports;
  const discrepancies = readReport(reports?.discrepancies ?? '');
  expect(asExpected(discrepancies, expected.discrepancies)).toEqual([...expected.discrepancies].sort(byText));
  expect(run.outcome.discrepancies.total).toBe(expected.discrepancies.length);
  const rejected = readReport(reports?.rejectedRows ?? '');
  expect(rejected.map((row) => ({ line: Number(row['Line']), column: row['Column'] }))).toEqual(
    expected.rejectedRows,
  );

  const again = await rerunAll(place);
  expect(again.outcome.matching).toEqual(expected.matching);
  const missing = (rows: Record<string, string>[]) =>
    rows.filter((row) => row['Code'] !== 'MISSING_SETTLEMENT');
  expect(missing(readReport(again.outcome.reports?.discrepancies ?? ''))).toEqual(missing(discrepancies));
  for (const file of run.outcome.reports?.reconciled ?? []) {
    const name = path.basename(file);
    expect(reportBytes(again.outcome)[`reconciled/${name}`]).toBe(readFileSync(file, 'utf8'));
  }
}

/** Two re-runs of all days write the same bytes. */
export async function expectSameBytes(place: StoryPlace): Promise<void> {
  const first = await rerunAll(place);
  const second = await rerunAll(place);
  expect(reportBytes(second.outcome)).toEqual(reportBytes(first.outcome));
}

function rerunAll({ recon }: StoryPlace): Promise<Step> {
  return recon('rerun', '--from', '2026-11-01', '--to', '2026-11-30', '--as-of', '2026-11-20');
}
