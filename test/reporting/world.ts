import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import type { Sql, Tx } from '../../src/db/client.js';
import { fencedTransactions, type Transact } from '../../src/db/fence.js';
import { closedItems } from '../../src/items/closed-items.js';
import { readItemTexts } from '../../src/items/list-items.js';
import type { ReportPaths } from '../../src/outcome.js';
import { silentProgress } from '../../src/progress.js';
import { countDiscrepancies } from '../../src/reporting/count-discrepancies.js';
import { publishReports, type PublishedReports } from '../../src/reporting/publish-reports.js';
import type { PublishRequest } from '../../src/reporting/publish-request.js';
import { headerLine } from '../../src/settlement-file/columns.js';
import { plainArchive } from '../support/archive.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { id32, lineOf, settlementRow, storedCells, type Cells } from '../support/settlement-rows.js';
import { due, outcome, runScope } from './reporting-defaults.js';
import { runId } from '../../src/values/ids.js';

export { id32, type Cells };

/** The golden reports were written with these cells. */
const ofTheGoldenReports: Cells = {
  ClearingInstituteMerchantId: 'CIM-00001',
  MerchantAccountId: id32('account'),
  MerchantAccountName: '',
  PspId: id32('psp'),
  MerchantId: id32('merchant'),
  Brand: '',
  TxRequestTime: '2026-11-18 10:00:00',
  Descriptor: '',
  AccountNumberLast4: '',
  SettlementFileFormat: 'CSV',
  ClearingInsitituteName: 'Acquirer',
};

const rowOf = (cells: Cells) =>
  settlementRow({ SettlementAmount: '100.00', ...ofTheGoldenReports, ...cells });

export const rowText = (cells: Cells): string => lineOf(rowOf(cells));

/** A row of a file: accepted and stored, accepted and known before, or rejected. */
export type Line =
  | { readonly kind: 'record'; readonly cells: Cells; readonly occurrence?: number }
  | { readonly kind: 'known'; readonly cells: Cells; readonly record: readonly [file: number, line: number] }
  | { readonly kind: 'rejected'; readonly raw: string; readonly issues: readonly object[] };

export interface StoredFile {
  readonly id: number;
  readonly name: string;
  readonly lines: readonly Line[];
  readonly source?: string;
  readonly receivedAt?: string;
  readonly finishedRunId?: number;
  readonly reportName?: string;
  readonly lineEnding?: string;
  readonly mark?: string;
}

/** A row of a table, to be stored in any order. */
export type Fact = readonly [table: string, row: Readonly<Record<string, unknown>>];

/** The bytes of a file, and the facts that loading it would store. */
export function settlementFile(file: StoredFile): { bytes: Buffer; facts: Fact[]; sha256: string } {
  const ending = file.lineEnding ?? '\n';
  let text = `${file.mark ?? ''}${headerLine}${ending}`;
  const facts: Fact[] = [];
  const days: string[] = [];
  let number = 2;
  for (const line of file.lines) {
    const at = { file_id: file.id, line: number };
    const raw = line.kind === 'rejected' ? line.raw : rowText(line.cells);
    if (line.kind === 'rejected')
      facts.push(['rejected_rows', { ...at, raw_text: raw, issues: line.issues }]);
    else days.push(line.cells['SettlementDate'] ?? '2026-11-19');
    if (line.kind === 'record')
      facts.push(['settlement_records', { ...at, ...recordOf(line.cells, line.occurrence ?? 1) }]);
    if (line.kind === 'known') {
      facts.push([
        'already_known_rows',
        { ...at, record_file_id: line.record[0], record_line: line.record[1] },
      ]);
    }
    text += raw + ending;
    number += raw.split('\n').length;
  }
  const count = (kind: Line['kind']) => file.lines.filter((line) => line.kind === kind).length;
  const bytes = Buffer.from(text);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  facts.push([
    'settlement_files',
    {
      id: file.id,
      sha256,
      source: file.source ?? 'acquirer',
      name: file.name,
      size_bytes: bytes.length,
      status: 'loaded',
      received_at: file.receivedAt ?? '2026-11-20T01:02:03.456Z',
      received_run_id: 1,
      finished_run_id: file.finishedRunId ?? 1,
      report_name: file.reportName ?? file.name,
      rows_total: file.lines.length,
      rows_accepted: count('record') + count('known'),
      rows_rejected: count('rejected'),
      rows_already_known: count('known'),
      first_settlement_date: days.sort()[0] ?? null,
      last_settlement_date: days.at(-1) ?? null,
    },
  ]);
  return { bytes, facts, sha256 };
}

function recordOf(cells: Cells, occurrence: number): Record<string, unknown> {
  const fingerprint = createHash('sha256').update(rowText(cells)).digest('hex').slice(0, 32);
  return { fingerprint, occurrence, ...storedCells(rowOf(cells)) };
}

/** A successful debit of 100.00 EUR by default. */
export function payment(key: number, fields: Readonly<Record<string, unknown>> = {}): Fact {
  return [
    'payments',
    {
      key,
      id: id32(`p${key}`),
      payment_type: 'DB',
      amount_minor: 10000,
      currency: 'EUR',
      result_code: '000.000.000',
      requested_at: '2026-11-18T10:00:00Z',
      ...fields,
    },
  ];
}

export function match(
  [file_id, line]: readonly [number, number],
  status: string,
  fields: Readonly<Record<string, unknown>> = {},
): Fact {
  return ['record_matches', { file_id, line, status, run_id: 1, ...fields }];
}

export function discrepancy(id: string, code: string, fields: Readonly<Record<string, unknown>>): Fact {
  return [
    'discrepancies',
    { id: id32(id), code, severity: 'error', message: `${code} it is.`, first_seen_run: 1, ...fields },
  ];
}

export { due, outcome, runScope };

/** A private database with an archive and a folder for reports. */
export interface World {
  readonly url: string;
  readonly sql: Sql;
  readonly transact: Transact;
  readonly directory: string;
  readonly reports: string;
  /** Stores facts in the order given. */
  store(facts: readonly Fact[]): Promise<void>;
  /** Puts the bytes of a file in the archive. */
  archive(file: StoredFile): string;
  /** Puts a file in the archive and stores what loading it would. */
  load(file: StoredFile): Promise<string>;
  request(changes?: Partial<PublishRequest>): PublishRequest;
  /** Also compares the discrepancies that were counted while they were written with those that the server counts. */
  publishReports(changes?: Partial<PublishRequest>): Promise<PublishedReports>;
  /** The same, for its paths alone. */
  publish(changes?: Partial<PublishRequest>): Promise<ReportPaths>;
  end(): Promise<void>;
}

export async function createWorld(): Promise<World> {
  const testDatabase: TestDatabase = await createTestDatabase();
  const { sql } = testDatabase.database;
  const directory = mkdtempSync(path.join(tmpdir(), 'recon-reports-'));
  await sql`update run_fence set token = 7, run_id = 1`;
  const { transact } = fencedTransactions(testDatabase.database, { runId: runId(1), token: 7n });
  const store = async (facts: readonly Fact[]) =>
    transact(async (tx) => {
      for (const [table, rows] of batches(facts)) await insert(tx, table, rows);
    });
  const archive = (file: StoredFile) => {
    const { bytes, sha256 } = settlementFile(file);
    const stored = plainArchive(directory).pathOf(sha256);
    mkdirSync(path.dirname(stored), { recursive: true });
    writeFileSync(stored, bytes);
    return sha256;
  };
  const reports = path.join(directory, 'reports');
  const request = (changes: Partial<PublishRequest> = {}): PublishRequest => ({
    scope: runScope,
    due,
    folderName: 'run-000001',
    reportsDirectory: reports,
    fileMode: 0o600,
    format: { delimiter: ';', decimalSeparator: '.' },
    archive: plainArchive(directory),
    outcome,
    threadStarted: () => undefined,
    openItems: (tx) => readItemTexts(tx, { ...due, asOf: runScope.asOf }),
    closedItems: (tx) => closedItems(tx, { ...due, asOf: runScope.asOf }, outcome.runId),
    signal: new AbortController().signal,
    progress: silentProgress,
    sql,
    ...changes,
  });
  const publish = async (changes?: Partial<PublishRequest>) => {
    const wanted = request(changes);
    const published = await publishReports(transact, wanted);
    const counted = await transact((tx) => countDiscrepancies(tx, wanted.scope, wanted.due));
    expect(published.discrepancies).toEqual(counted);
    return published;
  };
  return {
    url: testDatabase.url,
    sql,
    transact,
    directory,
    reports,
    store,
    archive,
    load: async (file) => {
      await store(settlementFile(file).facts);
      return archive(file);
    },
    request,
    publishReports: publish,
    publish: async (changes) => (await publish(changes)).reports,
    end: async () => {
      await testDatabase.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Neighbours of one table, a few hundred at a time. */
function* batches(facts: readonly Fact[]): Generator<readonly [table: string, rows: Fact[1][]]> {
  let rows: Fact[1][] = [];
  let key = '';
  let table = '';
  for (const [nextTable, row] of facts) {
    const nextKey = [nextTable, ...Object.keys(row)].join();
    if (rows.length === 500 || nextKey !== key) {
      if (rows.length > 0) yield [table, rows];
      rows = [];
    }
    rows.push(row);
    [table, key] = [nextTable, nextKey];
  }
  if (rows.length > 0) yield [table, rows];
}

async function insert(tx: Tx, table: string, rows: Fact[1][]): Promise<void> {
  if (table !== 'rejected_rows') {
    await tx`insert into ${tx(table)} ${tx(rows)}`;
    return;
  }
  // As text first: whether the driver serializes JSON automatically depends on who shares its client.
  for (const row of rows) {
    const { file_id, line, raw_text, issues } = row as Record<string, string>;
    await tx`insert into rejected_rows (file_id, line, raw_text, issues)
      values (${file_id ?? ''}, ${line ?? ''}, ${raw_text ?? ''}, ${JSON.stringify(issues)}::text::jsonb)`;
  }
}

/** Every file of a folder by its relative name. */
export function folderContent(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .sort()
      .map((file) => [path.relative(folder, file), readFileSync(file, 'utf8')]),
  );
}
