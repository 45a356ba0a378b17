import { enterShardsIfAny } from '../../src/db/shards/enter-shards.js';
import { createHash } from 'node:crypto';
import type { Sql, Tx } from '../../src/db/client.js';
import type { TestRepeat } from './model-deliveries.js';
import { id32, settlementRow, storedCells } from '../support/settlement-rows.js';

/** The payment of a test: fields that are not given have a value that causes no discrepancy. */
export interface TestPayment {
  readonly id: string;
  readonly shortId: string | null;
  readonly type: string;
  readonly brand: string | null;
  readonly amount: bigint;
  readonly currency: string;
  readonly resultCode: string;
  readonly entityId: string | null;
  readonly connectorTxIds: readonly [string | null, string | null, string | null];
  readonly last4: string | null;
  readonly requestedAt: string;
  readonly references: string | null;
}

/** The settlement record of a test. */
export interface TestRecord {
  readonly source: string;
  readonly file: number;
  readonly line: number;
  /** Twins have the same name and differ in their occurrence. */
  readonly name: string;
  readonly occurrence: number;
  readonly reconciliationType: string;
  readonly paymentType: string;
  readonly cashflow: string;
  readonly merchantAccountId: string;
  readonly settlementTxId: string | null;
  readonly uniqueId: string | null;
  readonly shortId: string | null;
  readonly connectorTxIds: readonly [string | null, string | null, string | null];
  readonly amount: bigint;
  readonly currency: string;
  readonly brand: string | null;
  readonly txRequestTime: string | null;
  readonly settlementAmount: bigint;
  readonly settlementCurrency: string;
  readonly fee: bigint | null;
  readonly fxRate: bigint;
  readonly settlementDate: string;
  readonly settlementStatus: string;
  readonly last4: string | null;
  readonly reasonCode: string | null;
  readonly claimedStatus: string | null;
  readonly claimedTransactions: string | null;
}

export { id32 };

export const account = id32('account');

export function payment(id: string, fields: Partial<TestPayment> = {}): TestPayment {
  return {
    shortId: null,
    type: 'DB',
    brand: null,
    amount: 10000n,
    currency: 'EUR',
    resultCode: '000.000.000',
    entityId: null,
    connectorTxIds: [null, null, null],
    last4: null,
    requestedAt: '2026-11-19T10:00:00Z',
    references: null,
    ...fields,
    id: id32(id),
  };
}

const directions: Readonly<Record<string, string>> = {
  'SETTLED DEBIT': 'POS',
  'SETTLED CREDIT': 'NEG',
  'SETTLED REFUND': 'NEG',
};

export function record(name: string, fields: Partial<TestRecord> = {}): TestRecord {
  const reconciliationType = fields.reconciliationType ?? 'SETTLED';
  const paymentType = fields.paymentType ?? 'DEBIT';
  const amount = fields.amount ?? 10000n;
  const currency = fields.currency ?? 'EUR';
  return {
    source: 'test',
    file: 1,
    line: 2,
    name,
    occurrence: 1,
    reconciliationType,
    paymentType,
    cashflow:
      directions[`${reconciliationType} ${paymentType}`] ??
      (reconciliationType === 'CHARGEBACK' ? 'NEG' : 'POS'),
    merchantAccountId: account,
    settlementTxId: null,
    uniqueId: null,
    shortId: null,
    connectorTxIds: [null, null, null],
    amount,
    currency,
    brand: null,
    txRequestTime: null,
    settlementAmount: amount,
    settlementCurrency: currency,
    fee: null,
    fxRate: 100n,
    settlementDate: '2026-11-19',
    settlementStatus: 'SUCCESS',
    last4: null,
    reasonCode: reconciliationType === 'CHARGEBACK' ? '000.100.220' : null,
    claimedStatus: null,
    claimedTransactions: null,
    ...fields,
  };
}

/** The fingerprint of a record with this name: any 128 bits, but different for every name. */
export function fingerprintOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}

/**
 * Runs the work in a transaction that carries the fence and is rolled back at its end: tests do not see each
 * other's rows and leave none behind.
 */
export async function rolledBack<T>(sql: Sql, work: (tx: Tx) => Promise<T>): Promise<T> {
  const end: { result?: T } = {};
  const rollback = new Error('roll back');
  try {
    await sql.begin(async (tx) => {
      await tx`select set_config('recon.fence', (select token::text from run_fence), true)`;
      await enterShardsIfAny(tx);
      end.result = await work(tx);
      throw rollback;
    });
  } catch (thrown) {
    if (thrown !== rollback) throw thrown;
  }
  // The work has given its result, or its error was thrown above.
  return end.result as T;
}

export async function storePayments(tx: Tx, payments: readonly TestPayment[]): Promise<void> {
  if (payments.length === 0) return;
  const rows = payments.map((p) => ({
    id: p.id,
    short_id: p.shortId,
    payment_type: p.type,
    payment_brand: p.brand,
    amount_minor: p.amount,
    currency: p.currency,
    result_code: p.resultCode,
    entity_id: p.entityId,
    connector_tx_id1: p.connectorTxIds[0],
    connector_tx_id2: p.connectorTxIds[1],
    connector_tx_id3: p.connectorTxIds[2],
    account_number_last4: p.last4,
    requested_at: p.requestedAt,
    referenced_payment_id: p.references,
  }));
  await tx`insert into payments ${tx(rows)}`;
}

/**
 * Stores records as loaded files that belong to the reports of `runId`.
 *
 * @param repeats the other rows of the files: each has the cells of a record that is stored already
 */
export async function storeRecords(
  tx: Tx,
  runId: number,
  records: readonly TestRecord[],
  repeats: readonly TestRepeat[] = [],
): Promise<void> {
  const contents = [
    ...records.map((record) => ({ file: record.file, source: record.source, record })),
    ...repeats.map(({ file, source, record }) => ({ file, source, record })),
  ];
  if (contents.length === 0) return;
  const files = [...new Map(contents.map(({ file, source }) => [file, source]))].map(([file, source]) => {
    const dates = contents
      .filter((row) => row.file === file)
      .map(({ record }) => record.settlementDate)
      .sort();
    const rows = dates.length;
    return {
      id: file,
      sha256: createHash('sha256').update(`file ${file}`).digest('hex'),
      source,
      name: `settlement-${file}.csv`,
      size_bytes: 1,
      status: 'loaded',
      received_at: '2026-11-20T00:00:00Z',
      received_run_id: runId,
      finished_run_id: runId,
      rows_total: rows,
      rows_accepted: rows,
      rows_already_known: repeats.filter((row) => row.file === file).length,
      first_settlement_date: dates[0] ?? null,
      last_settlement_date: dates.at(-1) ?? null,
    };
  });
  await tx`insert into settlement_files ${tx(files)}`;
  if (records.length > 0) await tx`insert into settlement_records ${tx(records.map(recordRow))}`;
  for (const { file, line, record } of repeats) {
    await tx`insert into already_known_rows (file_id, line, record_file_id, record_line)
      values (${file}, ${line}, ${record.file}, ${record.line})`;
  }
}

function recordRow(r: TestRecord) {
  return {
    ...ordinaryColumns,
    file_id: r.file,
    line: r.line,
    fingerprint: fingerprintOf(r.name),
    occurrence: r.occurrence,
    reconciliation_type: r.reconciliationType,
    payment_type: r.paymentType,
    cashflow: r.cashflow,
    merchant_account_id: r.merchantAccountId,
    settlement_tx_id: r.settlementTxId,
    unique_id: r.uniqueId,
    short_id: r.shortId,
    connector_tx_id1: r.connectorTxIds[0],
    connector_tx_id2: r.connectorTxIds[1],
    connector_tx_id3: r.connectorTxIds[2],
    amount_minor: r.amount,
    currency: r.currency,
    brand: r.brand,
    tx_request_time: r.txRequestTime,
    settlement_amount_minor: r.settlementAmount,
    settlement_currency: r.settlementCurrency,
    settlement_fee_minor: r.fee,
    settlement_fx_rate_hundredths: r.fxRate,
    settlement_date: r.settlementDate,
    settlement_status: r.settlementStatus,
    account_number_last4: r.last4,
    reason_code: r.reasonCode,
    claimed_matching_status: r.claimedStatus,
    claimed_matched_transactions: r.claimedTransactions,
  };
}

/** The columns that matching does not look at have the ordinary values. */
const ordinaryColumns = storedCells(settlementRow());
