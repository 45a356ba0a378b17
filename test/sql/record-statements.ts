import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import postgres from 'postgres';
import {
  payment,
  paymentId,
  paymentsFile,
  refund,
  row,
  settlementFile,
} from '../../scripts/fixtures/story.js';
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

/** A statement, and which kind of run sent it first. */
export interface SentStatement {
  readonly statement: string;
  readonly by: 'run' | 'rerun';
}

/**
 * Runs the demo (payments in, two files, then a third one, then a refund that names the debit of two refunds, then the
 * settlement of one of these, then a re-run of everything) on a separate database.
 *
 * @returns every statement that was sent, in the order in which each was sent first
 */
export async function recordStatements(): Promise<SentStatement[]> {
  const test = await createTestDatabase();
  const directory = mkdtempSync(path.join(tmpdir(), 'recon-sql-'));
  const sent = new Map<string, SentStatement>();
  let by: SentStatement['by'] = 'run';
  let recorded = /(?:)/;
  const open = (options: object): Sql =>
    // Options that were parsed already are taken as they are; the driver's type knows unparsed ones only.
    postgres({
      ...test.database.sql.options,
      ...options,
      debug: (_connection: number, text: string) => {
        const statement = withoutNumbers(text);
        if (recorded.test(statement) && !sent.has(statement)) sent.set(statement, { statement, by });
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
    const payments = path.join(directory, 'payments.csv');
    const tenOfDebit = { PaymentType: 'RF', Amount: '10.00', ReferencedPaymentId: paymentId(9001) };
    writeFileSync(
      payments,
      paymentsFile([payment(9001), payment(9002, tenOfDebit), payment(9003, tenOfDebit)]),
    );
    await importPayments(database.sql, payments);
    sent.clear();
    // Files of more than 41,000 bytes get a separate table each, the others share one.
    const context = runContext(database, directory, { largeFileBytes: 41_000 });
    const run = { asOf: '2026-11-20', dryRun: false, sources: null };
    await runReconciliation(context, { ...run, files: inbound.slice(0, 2) });
    await runReconciliation(context, { ...run, files: inbound.slice(2) });
    recorded = /families|family_hits|contested|room_rechecks/;
    for (const named of [9001, 9002]) {
      const file = path.join(directory, `settlement-${named}.csv`);
      writeFileSync(file, settlementFile([row(named, { ...refund, Amount: '10.00' })]));
      await runReconciliation(context, { ...run, files: [file] });
    }
    recorded = /(?:)/;
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
