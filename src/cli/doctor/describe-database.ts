import { requireWholeSchema } from '../../db/migration/check-schema.js';
import type { Sql } from '../../db/client.js';
import { toReconError } from '../../db/database-errors.js';
import type { ErrorCode } from '../../errors.js';
import type { CommandContext } from '../command-context.js';

/** What `recon doctor` says about the database: its kind, its version, and what is stored in it. */
export async function describeDatabase(context: CommandContext): Promise<string> {
  const { sql } = await context.database();
  const [row] = await sql<{ version: string; encoding: string; longest: string | null }[]>`
    select current_setting('server_version') as version, current_setting('server_encoding') as encoding,
      nullif(current_setting('transaction_timeout', true), '0') as longest`;
  const kind = context.config().databaseUrl === null ? 'embedded PostgreSQL' : 'PostgreSQL';
  const content = await describeContent(sql);
  const warnings = warnOfEncoding(row?.encoding) + warnOfTimeout(row?.longest);
  return `${kind} ${row?.version ?? ''} with the schema of this version${content}${warnings}`;
}

/** The only timeout that connections do not switch off: servers before PostgreSQL 17 refuse it as unknown. */
function warnOfTimeout(longest: string | null | undefined): string {
  if (longest === undefined || longest === null) return '';
  return `\nWarning: transaction_timeout is ${longest}. The server ends the connection of a run that has a longer transaction. Switch it off for the account of recon: alter role NAME set transaction_timeout = 0`;
}

/** Empty for UTF8. `recon migrate` refuses all others except SQL_ASCII, but former versions did not. */
function warnOfEncoding(encoding: string | undefined): string {
  if (encoding === 'UTF8') return '';
  return `\nWarning: its encoding is ${encoding ?? 'unknown'}, which does not know every character of a settlement file. recon move copies everything into a database with the encoding UTF8.`;
}

const reportedLater = new Set<ErrorCode | undefined>(['DATABASE_SCHEMA', 'SHARD_UNREACHABLE']);

/** A million payments took half a second to count. */
const mostCounted = 10_000n;

/**
 * How many rows a table has: those beyond {@link mostCounted} as the statistics of the server say. Chargebacks are
 * stored as payments, but nobody imported or made them, and an export has none.
 */
function numberOfRows(sql: Sql, table: 'payments' | 'settlement_records') {
  const most = mostCounted.toString();
  const wanted = table === 'payments' ? sql`where payment_type not in ('CB', 'CR')` : sql``;
  return sql`(select case when counted.number <= ${most}::bigint then counted.number else (
      select greatest(sum(greatest(c.reltuples, 0))::bigint, counted.number) from pg_class c
      where c.relkind in ('r', 'f') and (c.oid = ${table}::regclass
        or c.oid in (select relid from pg_partition_tree(${table}::regclass)))) end
    from (select count(*) as number
      from (select from ${sql(table)} ${wanted} limit ${most}::bigint + 1) rows) counted)`;
}

/** Empty if a table or column is missing, or a shard does not answer; other checks report that. */
async function describeContent(sql: Sql): Promise<string> {
  try {
    const [row] = await sql<{ payments: bigint; records: bigint; files: bigint }[]>`
      select ${numberOfRows(sql, 'payments')} as payments, ${numberOfRows(sql, 'settlement_records')} as records,
        (select count(*) from settlement_files) as files`;
    const count = (number: bigint | undefined, what: string) =>
      `${(number ?? 0n) > mostCounted ? 'about ' : ''}${number ?? 0n} ${what}${number === 1n ? '' : 's'}`;
    const content = `; ${count(row?.payments, 'payment')}, ${count(row?.records, 'record')} of ${count(row?.files, 'file')}`;
    if (row?.payments !== 0n) return content;
    return `${content}\nWarning: no payments are stored, so nothing can match: recon payments import FILE`;
  } catch (thrown) {
    if (!reportedLater.has(toReconError(thrown)?.code)) throw thrown;
    return '';
  }
}

/** @throws ReconError DATABASE_SCHEMA */
export async function describeSchema(context: CommandContext): Promise<string> {
  const { sql } = await context.database();
  const compared = await requireWholeSchema(sql);
  return `complete: ${compared} tables, columns, indexes, constraints, triggers and functions are as the migrations create them`;
}
