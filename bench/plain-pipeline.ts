import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parse } from 'csv-parse';
import { stringify } from 'csv-stringify';
import { drizzle } from 'drizzle-orm/postgres-js';
import { getTableColumns, inArray } from 'drizzle-orm';
import { bigint, date, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import * as z from 'zod';
import { openMigrationSession } from '../src/db/connect.js';
import { payments } from '../src/db/schema/payments.js';
import { columns, type Column } from '../src/settlement-file/columns.js';

/** All 36 columns, typed, so that the same data is stored as by `recon run`. */
function typedColumn({ name, type }: Column) {
  switch (type.kind) {
    case 'amount':
      return bigint(name, { mode: 'bigint' });
    case 'date':
      return date(name, { mode: 'string' });
    case 'timestamp':
      return timestamp(name, { withTimezone: true, mode: 'string' });
    default:
      return text(name);
  }
}

const plainRecords = pgTable('plain_records', {
  line: integer('line').primaryKey(),
  ...Object.fromEntries(columns.map((column) => [column.name, typedColumn(column)])),
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
 * The other reference: what most people would write. csv-parse into objects, zod for each row, drizzle inserts in
 * batches of 1,000 with one look-up per key and batch, csv-stringify for the result.
 *
 * @param rows how many rows of the file it reads
 * @returns milliseconds, and how many rows it accepted
 */
export async function runPlainPipeline(
  url: string,
  settlementFile: string,
  rows: number,
  outputFile: string,
): Promise<{ readonly elapsedMs: number; readonly accepted: number }> {
  const client = openMigrationSession(url);
  const started = performance.now();
  try {
    const declared = Object.values(getTableColumns(plainRecords))
      .map((column) => `"${column.name}" ${column.getSQLType()}${column.primary ? ' primary key' : ''}`)
      .join(', ');
    await client.unsafe(`create table plain_records (${declared})`);
    const db = drizzle(client);
    let batch: { line: number; row: Row }[] = [];
    let line = 1;
    let accepted = 0;
    const parsed = createReadStream(settlementFile).pipe(parse({ delimiter: ';', columns: true, to: rows }));
    for await (const cells of parsed as AsyncIterable<Record<string, string>>) {
      line += 1;
      const checked = rowSchema.safeParse(cells);
      if (!checked.success) continue;
      accepted += 1;
      batch.push({ line, row: checked.data });
      if (batch.length === 1000) {
        await storeBatch(db, batch);
        batch = [];
      }
    }
    await storeBatch(db, batch);
    const names = columns.map(({ name }) => `"${name}"`).join(', ');
    const stored = client
      .unsafe<StoredRow[]>(`select ${names} from plain_records order by line`)
      .cursor(1000);
    await pipeline(
      Readable.from(flatten(stored)),
      stringify({ delimiter: ';' }),
      createWriteStream(outputFile),
    );
    return { elapsedMs: performance.now() - started, accepted };
  } finally {
    await client.end();
  }
}

type StoredRow = Record<string, string | bigint | Date | null>;

async function* flatten(batches: AsyncIterable<StoredRow[]>) {
  for await (const batch of batches) for (const row of batch) yield columns.map(({ name }) => row[name]);
}

async function storeBatch(
  db: ReturnType<typeof drizzle>,
  batch: { line: number; row: Row }[],
): Promise<void> {
  if (batch.length === 0) return;
  const found = new Map<string, Found[]>();
  for (const [column, cell] of keys) {
    const wanted = batch.map(({ row }) => row[cell]).filter((key) => key !== '');
    if (wanted.length === 0) continue;
    for (const { key, ...payment } of await db
      .select({
        id: payments.id,
        outcome: payments.outcome,
        amountMinor: payments.amountMinor,
        currency: payments.currency,
        key: column,
      })
      .from(payments)
      .where(inArray(column, wanted))) {
      const name = `${cell}:${key ?? ''}`;
      found.set(name, [...(found.get(name) ?? []), payment]);
    }
  }
  await db.insert(plainRecords).values(
    batch.map(({ line, row }) => {
      const candidates = keys.map(([, cell]) => found.get(`${cell}:${row[cell]}`)).find(Boolean) ?? [];
      const matches = narrow(row, candidates);
      const isAccountFee = row.ReconciliationType === 'FEE' && row.PaymentType === 'MONTHLY';
      const status = ['NOT_MATCHED', 'MATCHED'][matches.length] ?? 'MULTIPLE_MATCHES';
      const ours = {
        MatchingStatus: isAccountFee ? '' : status,
        MatchedTransactions: matches
          .map(({ id }) => id)
          .sort()
          .join(','),
      };
      return { line, ...typedCells({ ...row, ...ours }) };
    }),
  );
}

const keys = [
  [payments.id, 'UniqueID'],
  [payments.shortId, 'ShortId'],
  [payments.connectorTxId1, 'ConnectorTxId1'],
  [payments.connectorTxId2, 'ConnectorTxId2'],
] as const;

interface Found {
  readonly id: string;
  readonly outcome: string | null;
  readonly amountMinor: bigint;
  readonly currency: string;
}

/** Of several payments, those that were a success, and of these those of the same amount. */
function narrow(row: Row, candidates: readonly Found[]): readonly Found[] {
  const minor = BigInt(row.Amount.replace('.', ''));
  const steps = [
    (payment: Found) => payment.outcome === 'SUCCESS',
    (payment: Found) => payment.amountMinor === minor && payment.currency === row.Currency,
  ];
  return steps.reduce((left, keeps) => {
    const kept = left.filter(keeps);
    return kept.length > 0 ? kept : left;
  }, candidates);
}

function typedCells(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    columns.map(({ name, type }) => {
      const cell = row[name];
      if (typeof cell !== 'string' || cell === '') return [name, null];
      return [name, type.kind === 'amount' ? BigInt(cell.replace('.', '')) : cell];
    }),
  );
}
