import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { openMigrationSession } from '../src/db/connect.js';
import type { BenchServer } from './bench-server.js';
import { summarize, type CommandSummary } from './measure-run.js';

export interface ImportMeasurement {
  readonly payments: number;
  readonly import: CommandSummary;
  /** COPY of the same file into a table of texts, and the indexes of the table of payments, by the server alone. */
  readonly nativeMs: number;
  readonly importToNative: number;
}

/** `recon payments import` into an empty table, and the COPY and index builds that it needs at least. */
export async function measureImport(
  server: BenchServer,
  database: string,
  file: string,
  payments: number,
): Promise<ImportMeasurement> {
  const cost = await server.recon(database, ['payments', 'import', file]);
  const nativeMs = await copyAndIndex(server.url(database), file);
  return {
    payments,
    import: summarize(cost, payments),
    nativeMs,
    importToNative: cost.elapsedMs / nativeMs,
  };
}

/** The columns that are indexed where they are filled, as in the table of payments. */
const optionalReferences = [
  'short_id',
  'connector_tx_id1',
  'connector_tx_id2',
  'connector_tx_id3',
  'merchant_transaction_id',
  'referenced_payment_id',
] as const;

async function copyAndIndex(url: string, file: string): Promise<number> {
  const sql = openMigrationSession(url);
  try {
    await sql`checkpoint`;
    const started = performance.now();
    await sql`create table native_payments (id text collate "C", short_id text collate "C", payment_type text collate "C",
      payment_brand text collate "C", amount numeric(12, 2), currency text collate "C", result_code text collate "C",
      merchant_transaction_id text collate "C", merchant_invoice_id text collate "C", entity_id text collate "C",
      connector_tx_id1 text collate "C", connector_tx_id2 text collate "C", connector_tx_id3 text collate "C",
      account_number_last4 text collate "C", requested_at timestamptz, referenced_payment_id text collate "C")`;
    const copy = await sql`copy native_payments from stdin (format csv, delimiter ';', header)`.writable();
    await pipeline(createReadStream(file, { highWaterMark: 256 * 1024 }), copy);
    await sql`alter table native_payments add column key bigint generated always as identity primary key`;
    await sql`create unique index on native_payments (id)`;
    for (const column of optionalReferences) {
      await sql`create index on native_payments (${sql(column)}) where ${sql(column)} is not null`;
    }
    await sql`create index on native_payments (referenced_payment_id)
      where payment_type = 'RV' and referenced_payment_id is not null`;
    await sql`create index on native_payments (entity_id, account_number_last4, amount, currency, requested_at)
      where entity_id is not null and account_number_last4 is not null`;
    await sql`create index on native_payments (entity_id, payment_type, key) where entity_id is not null and key > 0`;
    await sql`create index on native_payments (requested_at)`;
    await sql`create index on native_payments (requested_at, key) where payment_type = 'CB'`;
    await sql`analyze native_payments`;
    return performance.now() - started;
  } finally {
    await sql`drop table if exists native_payments`;
    await sql.end();
  }
}
