import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Sql } from '../src/db/client.js';
import { openMigrationSession } from '../src/db/connect.js';
import type { Dataset } from './generate.js';

export interface StageTimes {
  readonly [stage: string]: number;
}

const textColumns = [
  'reconciliation_type',
  'payment_type',
  'cashflow',
  'ci_merchant_id',
  'merchant_account_id',
  'merchant_account_name',
  'psp_id',
  'division_id',
  'merchant_id',
  'settlement_tx_id',
  'unique_id',
  'short_id',
  'connector_tx_id1',
  'connector_tx_id2',
  'connector_tx_id3',
  'amount',
  'currency',
  'brand',
  'tx_request_time',
  'settlement_amount',
  'settlement_currency',
  'settlement_fee',
  'settlement_fx_rate',
  'settlement_date',
  'settlement_status',
  'descriptor',
  'last4',
  'bank_code',
  'account_holder',
  'reason_code',
  'reason_desc',
  'file_format',
  'ci_name',
  'claimed_status',
  'claimed_matches',
  'claimed_chargeback',
] as const;
const typed: Partial<Record<(typeof textColumns)[number], string>> = {
  amount: 'numeric(12,2)',
  settlement_amount: 'numeric(12,2)',
  settlement_fee: 'numeric(12,2)',
  settlement_fx_rate: 'numeric(12,2)',
  settlement_date: 'date',
  tx_request_time: 'timestamptz',
};

/**
 * The reference: the time that PostgreSQL's own tools need for clean, numbered rows and only the join. COPY into
 * a logged, typed table, its primary key, set-based matching into a narrow table, COPY out of the reconciled
 * file and of the differences. No validation, no archive, no identity, no chargebacks, no re-run.
 *
 * @param outputDirectory a folder that the server's account can write to
 */
export async function runNativePipeline(
  url: string,
  dataset: Dataset,
  outputDirectory: string,
): Promise<StageTimes> {
  const sql = openMigrationSession(url);
  const times: Record<string, number> = {};
  const stage = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const started = performance.now();
    await work();
    times[name] = performance.now() - started;
  };
  try {
    await sql.unsafe(
      `create table native_records (line int, ${textColumns
        .map((name) => `${name} ${typed[name] ?? 'text collate "C"'}`)
        .join(', ')})`,
    );
    await stage('load', async () => {
      const copy = await sql`copy native_records from stdin (format csv, delimiter ';')`.writable();
      await pipeline(createReadStream(dataset.cleanFile, { highWaterMark: 256 * 1024 }), copy);
      await sql`alter table native_records add primary key (line)`;
      await sql`analyze native_records`;
    });
    await stage('match', () => match(sql));
    await stage('report', async () => {
      await copyTo(sql, reconciledQuery, `${outputDirectory}/native-reconciled.csv`);
      await copyTo(sql, differencesQuery, `${outputDirectory}/native-differences.csv`);
    });
    return times;
  } finally {
    await sql.end();
  }
}

async function match(sql: Sql): Promise<void> {
  await sql`create table native_matches (line int, status text, payment_ids text)`;
  await sql`insert into native_matches select r.line, 'MATCHED', p.id
    from native_records r join payments p on p.id = r.unique_id`;
  await sql`create temp table rest as select r.* from native_records r
    where not exists (select from native_matches m where m.line = r.line)`;
  await sql`analyze rest`;
  await sql`insert into native_matches
    select line, case when count(*) = 1 then 'MATCHED' else 'MULTIPLE_MATCHES' end,
      string_agg(id, ',' order by id)
    from (
      select r.line, p.id from rest r join payments p on p.short_id = r.short_id
      union
      select r.line, p.id from rest r join payments p on p.connector_tx_id1 = r.connector_tx_id1
      where r.short_id is null
    ) found group by line`;
  await sql`insert into native_matches select line, 'NOT_MATCHED', null from rest r
    where not exists (select from native_matches m where m.line = r.line)`;
  await sql`create index on native_matches (line)`;
  await sql`analyze native_matches`;
}

const reconciledQuery = `select ${textColumns
  .slice(0, 33)
  .map((name) =>
    name === 'tx_request_time' ? `to_char(${name} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')` : name,
  )
  .join(', ')}, m.status, m.payment_ids, null
  from native_records r join native_matches m using (line) order by line`;

const differencesQuery = `select r.line, m.status, m.payment_ids, r.amount, p.amount_minor
  from native_records r join native_matches m using (line) left join payments p on p.id = m.payment_ids
  where m.status <> 'MATCHED' or (r.amount * 100)::bigint <> p.amount_minor or r.currency <> p.currency order by line`;

/** The server writes the file: a client would be slower, which would make `recon` look better. */
async function copyTo(sql: Sql, query: string, file: string): Promise<void> {
  await sql.unsafe(`copy (${query}) to '${file}' (format csv, delimiter ';')`);
}
