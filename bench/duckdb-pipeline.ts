/**
 * `npx tsx bench/duckdb-pipeline.ts CLEAN_FILE PAYMENTS_FILE FOLDER`: the reference that an analyst would reach for.
 * DuckDB in memory reads the payments and the clean, numbered rows from their files, matches them with the statements
 * of the native reference, and writes both result files. It validates nothing and keeps nothing. It runs in a separate
 * process, so that its memory can be measured. Prints the time of each stage as JSON.
 */
import path from 'node:path';
import { differencesQuery, matchStatements, reconciledQuery, referenceTypes } from './reference-match.js';

/**
 * What is used of `@duckdb/node-api`. It is installed on request and no dependency: a registry that lacks its packages
 * for other systems would make `npm ci` fail.
 */
interface DuckDb {
  readonly DuckDBInstance: {
    create(file: string, options: Readonly<Record<string, string>>): Promise<DuckDbInstance>;
  };
}

interface DuckDbInstance {
  connect(): Promise<{ run(statement: string): Promise<unknown> }>;
}

const packageName = '@duckdb/node-api';
// The compiler does not look a computed name up, so the type is stated here.
const { DuckDBInstance } = (await import(packageName)) as DuckDb;

const [cleanFile = '', paymentsFile = '', folder = ''] = process.argv.slice(2);
const instance = await DuckDBInstance.create(':memory:', { memory_limit: '6GB', temp_directory: folder });
const connection = await instance.connect();
const times: Record<string, number> = {};

async function stage(name: string, ...statements: readonly string[]): Promise<void> {
  const started = performance.now();
  for (const statement of statements) await connection.run(statement);
  times[name] = performance.now() - started;
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
const paymentNames = [
  ...['id', 'short_id', 'payment_type', 'payment_brand', 'amount', 'currency', 'result_code'],
  ...['merchant_transaction_id', 'merchant_invoice_id', 'entity_id', 'connector_tx_id1', 'connector_tx_id2'],
  ...['connector_tx_id3', 'account_number_last4', 'requested_at', 'referenced_payment_id'],
].map((name) => `${quoted(name)}: ${name === 'amount' ? "'numeric(12,2)'" : "'varchar'"}`);
const recordTypes = referenceTypes('varchar').map(([name, type]) => `${quoted(name)}: ${quoted(type)}`);
const csv = "delim = ';', quote = '\"', escape = '\"', nullstr = '', auto_detect = false";

await connection.run("set timezone = 'UTC'");
await stage(
  'load',
  `create table payments as select *, (amount * 100)::bigint as amount_minor,
    case when result_code like '000.200.%' then 'PENDING' when result_code like '000.%' then 'SUCCESS' else 'FAILED' end as outcome
    from read_csv(${quoted(paymentsFile)}, header = true, ${csv}, columns = {${paymentNames.join(', ')}})`,
  `create table native_records as
    select * from read_csv(${quoted(cleanFile)}, header = false, ${csv}, columns = {${recordTypes.join(', ')}})`,
);
await stage('match', ...matchStatements);
const out = (query: string, name: string) =>
  `copy (${query}) to ${quoted(path.join(folder, name))} (format csv, delimiter ';', header false)`;
await stage(
  'report',
  out(
    reconciledQuery((time) => `strftime(${time}, '%Y-%m-%d %H:%M:%S')`),
    'duckdb-reconciled.csv',
  ),
  out(differencesQuery, 'duckdb-differences.csv'),
);
process.stdout.write(JSON.stringify(times));
