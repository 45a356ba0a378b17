import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import postgres from 'postgres';
import { refund, row, settlementFile } from '../../scripts/fixtures/story.js';
import type { Sql } from '../../src/db/client.js';
import type { Database } from '../../src/db/connect.js';
import { importPayments } from '../../src/payment-file/import-payments.js';
import { rerunRange } from '../../src/run/rerun-range.js';
import { runReconciliation } from '../../src/run/run-reconciliation.js';
import { createTestDatabase } from '../support/database.js';
import { runContext } from '../support/run-context.js';

const demo = path.resolve(import.meta.dirname, '../../fixtures/demo');
const inbound = ['2026-11-17', '2026-11-18', '2026-11-19'].map((day) =>
  path.join(demo, `inbound/settlement-${day}.csv`),
);

/** A story in which records are matched through references, and one of them is judged again in the next run. */
const references = path.resolve(import.meta.dirname, '../../fixtures/references');

/** A statement, and which kind of run sent it first. */
export interface SentStatement {
  readonly statement: string;
  readonly by: 'run' | 'rerun';
}

/**
 * Runs the demo (payments in, two files, then a third one, then the story of the references and what follows it, then a re-run of
 * everything) on a separate database.
 *
 * @returns every statement that was sent, in the order in which each was sent first
 */
export async function recordStatements(): Promise<SentStatement[]> {
  const test = await createTestDatabase();
  const directory = mkdtempSync(path.join(tmpdir(), 'recon-sql-'));
  const sent = new Map<string, SentStatement>();
  let by: SentStatement['by'] = 'run';
  const open = (options: object): Sql =>
    // Options that were parsed already are taken as they are; the driver's type knows unparsed ones only.
    postgres({
      ...test.database.sql.options,
      ...options,
      debug: (_connection: number, text: string) => {
        const statement = withoutNumbers(text);
        if (!sent.has(statement)) sent.set(statement, { statement, by });
      },
    } as never) as unknown as Sql;
  const sql = open({ max: 4 });
  const sessions: Sql[] = [];
  const database: Database = {
    ...test.database,
    sql,
    openSession: (lost) => {
      const session = open({ max: 1, onclose: lost });
      sessions.push(session);
      return session;
    },
  };
  try {
    await importPayments(database.sql, path.join(demo, 'payments.csv'));
    sent.clear();
    // Files of more than 41,000 bytes get a separate table each, the others share one.
    const context = runContext(database, directory, { largeFileBytes: 41_000 });
    const run = { asOf: '2026-11-20', dryRun: false, sources: null };
    await runReconciliation(context, { ...run, files: inbound.slice(0, 2) });
    await runReconciliation(context, { ...run, files: inbound.slice(2) });
    await importPayments(database.sql, path.join(references, 'payments.csv'));
    const early = path.join(references, 'inbound/settlement-2026-11-19.csv');
    await runReconciliation(context, { ...run, files: [early] });
    const late = path.join(directory, 'settlement-2026-11-20.csv');
    writeFileSync(late, settlementFile([row(10, { ...refund, Amount: '10.00', SettlementTxId: 'STL-9' })]));
    await runReconciliation(context, { ...run, files: [late] });
    by = 'rerun';
    const everything = { from: '2026-11-01', to: '2026-11-30', asOf: '2026-11-20' };
    await rerunRange(context, { ...everything, fetch: false, dryRun: false });
  } finally {
    await Promise.all([sql, ...sessions].map((client) => client.end({ timeout: 1 })));
    await test.drop();
    rmSync(directory, { recursive: true, force: true });
  }
  return [...sent.values()];
}

/** Statements that differ in a generated name only are one. */
function withoutNumbers(statement: string): string {
  return statement
    .trim()
    .replace(/settlement_records_\d+/g, 'settlement_records_N')
    .replace(/snapshot '[0-9A-F-]+'/g, "snapshot 'S'")
    .replace(/from \(\d+\) to \(\d+\)/gi, 'from (F) to (T)');
}
