import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parse } from 'csv-parse';
import { stringify } from 'csv-stringify';
import { drizzle } from 'drizzle-orm/postgres-js';
import { inArray } from 'drizzle-orm';
import { bigint, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import { openMigrationSession } from '../src/db/connect.js';
import { payments } from '../src/db/schema/payments.js';

const plainRecords = pgTable('plain_records', {
  line: integer('line').primaryKey(),
  uniqueId: text('unique_id'),
  shortId: text('short_id'),
  connectorTxId1: text('connector_tx_id1'),
  amountMinor: bigint('amount_minor', { mode: 'bigint' }),
  currency: text('currency'),
  settlementDate: text('settlement_date'),
  cells: text('cells'),
  status: text('status'),
  matched: text('matched'),
});

const optional = z.string().max(128);
const account = z.string().regex(/^[A-Za-z0-9]{32}$/);
const amount = z.string().regex(/^\d{1,10}\.\d{2}$/);
const currency = z.string().regex(/^[A-Z]{3}$/);
const rowSchema = z.looseObject({
  ReconciliationType: z.enum(['SETTLED', 'CHARGEBACK', 'CHARGEBACK REVERSAL', 'FEE']),
  PaymentType: z.enum([
    'DEBIT',
    'CREDIT',
    'REFUND',
    'BATCH',
    'MONTHLY',
    'SUBMERCHANT',
    'PAYMENT_FACILITATOR',
    'AUTH_FEE',
    'CAPTURE_FEE',
    'CANCEL_FEE',
    'REFUND_FEE',
  ]),
  Cashflow: z.enum(['POS', 'NEG']),
  ClearingInstituteMerchantId: z.string().min(5).max(64),
  MerchantAccountId: account,
  PspId: account,
  MerchantId: account,
  SettlementTxId: z.string().max(64),
  UniqueID: z.union([z.literal(''), account]),
  ShortId: z.string().max(14),
  ConnectorTxId1: z.string().max(64),
  ConnectorTxId2: z.string().max(64),
  ConnectorTxId3: z.string().max(64),
  Amount: amount,
  Currency: currency,
  SettlementAmount: amount,
  SettlementCurrency: currency,
  SettlementFxRate: amount,
  SettlementDate: z.iso.date(),
  SettlementStatus: z.enum(['SUCCESS', 'FAILED']),
  Descriptor: optional,
  AccountHolder: optional,
  SettlementFileFormat: z.string().min(1).max(32),
  ClearingInsitituteName: z.string().min(1).max(64),
});

type Row = z.infer<typeof rowSchema>;

/**
 * The other reference: what most people write. csv-parse into objects, zod for each row, drizzle inserts in
 * batches of 1,000 with one look-up per key and batch, csv-stringify for the result.
 *
 * @returns milliseconds
 */
export async function runPlainPipeline(
  url: string,
  settlementFile: string,
  outputFile: string,
): Promise<number> {
  const client = openMigrationSession(url);
  const started = performance.now();
  try {
    await client`create table plain_records (line int primary key, unique_id text, short_id text,
      connector_tx_id1 text, amount_minor bigint, currency text, settlement_date date, cells text, status text, matched text)`;
    const db = drizzle(client);
    let batch: { line: number; row: Row }[] = [];
    let line = 1;
    const rows = createReadStream(settlementFile).pipe(parse({ delimiter: ';', columns: true }));
    for await (const cells of rows as AsyncIterable<Record<string, string>>) {
      line += 1;
      const checked = rowSchema.safeParse(cells);
      if (!checked.success) continue;
      batch.push({ line, row: checked.data });
      if (batch.length === 1000) {
        await storeBatch(db, batch);
        batch = [];
      }
    }
    await storeBatch(db, batch);
    const stored = client`select cells, status, matched from plain_records order by line`.cursor(1000);
    await pipeline(
      Readable.from(
        flatten(stored as AsyncIterable<{ cells: string; status: string; matched: string | null }[]>),
      ),
      stringify({ delimiter: ';' }),
      createWriteStream(outputFile),
    );
    return performance.now() - started;
  } finally {
    await client.end();
  }
}

async function* flatten(batches: AsyncIterable<{ cells: string; status: string; matched: string | null }[]>) {
  for await (const batch of batches)
    for (const row of batch) yield [row.cells, row.status, row.matched ?? ''];
}

async function storeBatch(
  db: ReturnType<typeof drizzle>,
  batch: { line: number; row: Row }[],
): Promise<void> {
  if (batch.length === 0) return;
  const found = new Map<string, string[]>();
  for (const [column, cell] of [
    [payments.id, 'UniqueID'],
    [payments.shortId, 'ShortId'],
    [payments.connectorTxId1, 'ConnectorTxId1'],
  ] as const) {
    const keys = batch.map(({ row }) => row[cell]).filter((key) => key !== '');
    if (keys.length === 0) continue;
    for (const payment of await db
      .select({ id: payments.id, key: column })
      .from(payments)
      .where(inArray(column, keys))) {
      const name = `${cell}:${payment.key ?? ''}`;
      found.set(name, [...(found.get(name) ?? []), payment.id]);
    }
  }
  await db.insert(plainRecords).values(
    batch.map(({ line, row }) => {
      const matches =
        found.get(`UniqueID:${row.UniqueID}`) ??
        found.get(`ShortId:${row.ShortId}`) ??
        found.get(`ConnectorTxId1:${row.ConnectorTxId1}`) ??
        [];
      return {
        line,
        uniqueId: row.UniqueID,
        shortId: row.ShortId,
        connectorTxId1: row.ConnectorTxId1,
        amountMinor: BigInt(row.Amount.replace('.', '')),
        currency: row.Currency,
        settlementDate: row.SettlementDate,
        cells: Object.values(row).join(';'),
        status: matches.length === 0 ? 'NOT_MATCHED' : matches.length === 1 ? 'MATCHED' : 'MULTIPLE_MATCHES',
        matched: matches.join(','),
      };
    }),
  );
}
