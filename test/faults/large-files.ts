import { once } from 'node:events';
import {
  createWriteStream,
  openSync,
  readFileSync,
  closeSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { expect } from 'vitest';
import { generateLines } from '../../bench/generate-lines.js';
import { measureProcess } from '../../bench/measure-process.js';
import type { Database } from '../../src/db/connect.js';
import type { RunOutcome } from '../../src/outcome.js';
import { headerLine } from '../../src/settlement-file/columns.js';
import { createTestDatabase } from '../support/database.js';
import { paymentRow, paymentsFileOf } from '../support/payment-rows.js';
import { fileOfRows, settlementRow } from '../support/settlement-rows.js';

export const megabyte = 1024 * 1024;

/**
 * Writes rows, 0.2 % of them invalid, until the file has this size. Rows of the account have no payment: they pass
 * through every step and no discrepancy is reported for each.
 */
export async function writeRows(
  file: string,
  sizeBytes: number,
  about: 'payments' | 'account',
): Promise<void> {
  const output = createWriteStream(file);
  for (const lines of generateLines(Infinity, 'plain')) {
    const text = about === 'account' ? lines.replaceAll('SETTLED;DEBIT', 'FEE;MONTHLY') : lines;
    if (!output.write(text)) await once(output, 'drain');
    if (output.bytesWritten >= sizeBytes) break;
  }
  output.end();
  await once(output, 'finish');
}

/** Writes payments that all have one ShortId, and as many records that have it: each of these lists every payment. */
export function writeCandidates(folder: string, count: number): { payments: string; file: string } {
  const [payments, file] = [path.join(folder, 'payments.csv'), path.join(folder, 'candidates.csv')];
  const numbers = Array.from({ length: count }, (_, index) => index);
  const ShortId = 'SHARED';
  writeFileSync(payments, paymentsFileOf(numbers.map((number) => paymentRow(number, { ShortId }))));
  writeFileSync(file, fileOfRows(numbers.map((n) => settlementRow({ ShortId, SettlementTxId: `STL-${n}` }))));
  return { payments, file };
}

/** A header and one line of this many NUL bytes, which take no room on the disk. */
export function writeEndlessLine(file: string, sizeBytes: number): void {
  const handle = openSync(file, 'wx');
  writeSync(handle, `${headerLine}\n`);
  closeSync(handle);
  truncateSync(file, sizeBytes);
}

export interface MeasuredRun {
  readonly outcome: RunOutcome;
  readonly elapsedMs: number;
  /** The most memory that the process ever had. */
  readonly peakBytes: number;
}

/**
 * A whole `recon run` over one file, in a separate process and database.
 *
 * @param payments a file of payments that is imported before it
 */
export async function measureRun(file: string, payments?: string): Promise<MeasuredRun> {
  return withRecon(path.dirname(file), async (recon) => {
    if (payments !== undefined) await recon('payments', 'import', payments);
    return ranOver(file, recon);
  });
}

/** The same, and then `recon decide` with the `corrections.csv` of the run as it was given out. */
export async function measureGivenBack(file: string): Promise<{ stdout: string; peakBytes: number }> {
  return withRecon(path.dirname(file), async (recon) => {
    const { outcome } = await ranOver(file, recon);
    const sheet = path.join(outcome.reports?.directory ?? '', 'corrections.csv');
    const { stdout, peakBytes } = await recon('decide', '--file', sheet, '--json');
    return { stdout, peakBytes: measured(peakBytes) };
  });
}

/**
 * A run over the file, and then `recon decide` with its `open-items.csv`, in which one item has a decision and many
 * rows follow in which nobody decided.
 *
 * @param bytes at least so long is the sheet
 */
export async function measureLongSheet(
  file: string,
  bytes: number,
): Promise<{ stdout: string; peakBytes: number }> {
  return withRecon(path.dirname(file), async (recon) => {
    const { outcome } = await ranOver(file, recon);
    const text = readFileSync(outcome.reports?.openItems ?? '', 'utf8');
    const [header = '', , second = ''] = text.split('\n');
    const [columns = [], cells = []]: string[][] = parse(text, { delimiter: ';', bom: true, to: 2 });
    cells[columns.indexOf('Decision')] = 'accept';
    cells[columns.indexOf('Reason')] = 'known';
    const sheet = path.join(path.dirname(file), 'decided.csv');
    const handle = openSync(sheet, 'w');
    writeSync(handle, `${header}\n${stringify([cells], { delimiter: ';' })}`);
    const rows = `${second}\n`.repeat(Math.ceil(megabyte / second.length));
    for (let written = 0; written < bytes; written += rows.length) writeSync(handle, rows);
    closeSync(handle);
    const { stdout, peakBytes } = await recon('decide', '--file', sheet, '--by', 'anna', '--json');
    return { stdout, peakBytes: measured(peakBytes) };
  });
}

/**
 * Commands that list, compare and decide, with their peaks: after a run over each of two files, the second of which
 * found this many discrepancies.
 */
export async function measureLists(
  [before, after]: readonly [string, string],
  findings: number,
): Promise<ReadonlyMap<string, number>> {
  return withRecon(path.dirname(before), async (recon, { sql }) => {
    for (const file of [before, after]) await ranOver(file, recon);
    await sql.begin(async (tx) => {
      await tx`select set_config('recon.fence', token::text, true) from run_fence`;
      await tx`insert into discrepancies (id, code, severity, expected, actual, message, first_seen_run)
        select lpad(n::text, 32, '0'), 'NOT_MATCHED', 'error', 'one payment', 'none',
          'No payment was found for the record STL-' || n || '. It has an id that no stored payment has.', 2
        from generate_series(1, ${findings}) n`;
    });
    const names = [before, after].map((file) => path.basename(file));
    const peaks = new Map<string, number>();
    const decide = ['decide', '--code', 'NOT_MATCHED', '--wait', '2099-12-31', '--by', 'anna'];
    for (const command of [['discrepancies'], ['diff', 'run:1', 'run:2'], ['diff', ...names], decide]) {
      const { stdout, exitCode, peakBytes } = await recon(...command, '--json');
      const document = JSON.parse(stdout) as
        | readonly unknown[]
        | { readonly differences: readonly unknown[] }
        | { readonly decisions: readonly unknown[] };
      const entries =
        'differences' in document
          ? document.differences
          : 'decisions' in document
            ? document.decisions
            : document;
      expect({ exitCode, isLong: entries.length >= findings }).toEqual({ exitCode: 0, isLong: true });
      peaks.set(command.join(' '), measured(peakBytes));
    }
    return peaks;
  });
}

type Recon = (...words: readonly string[]) => ReturnType<typeof measureProcess>;

async function withRecon<Result>(
  folder: string,
  work: (recon: Recon, database: Database) => Promise<Result>,
): Promise<Result> {
  const database = await createTestDatabase();
  const recon: Recon = (...words) =>
    measureProcess(
      process.execPath,
      [path.resolve(import.meta.dirname, '../../dist/cli/main.js'), ...words],
      { RECON_DATABASE_URL: database.url, RECON_DATA_DIR: path.join(folder, 'data') },
    );
  try {
    return await work(recon, database.database);
  } finally {
    await database.drop();
  }
}

async function ranOver(file: string, recon: Recon): Promise<MeasuredRun> {
  const { stdout, elapsedMs, peakBytes } = await recon(
    ...['run', '--as-of', '2026-11-20', '--json', '--file', file],
  );
  // The document that --json promises.
  const outcome = JSON.parse(stdout) as RunOutcome;
  return { outcome, elapsedMs, peakBytes: measured(peakBytes) };
}

function measured(peakBytes: number | null): number {
  if (peakBytes === null) throw new Error('memory is measured by /proc only');
  return peakBytes;
}
