import type { Sql, Tx } from '../../src/db/client.js';
import { addPart, nextFileId, partOf } from '../../src/db/parts/record-parts.js';
import type { FileId } from '../../src/values/ids.js';
import { dateAfter } from './shifted-day.js';

/**
 * What differs between a row and its copy of a later day, as SQL over the row `s` and the day `d`. Each day has other
 * payments, records and ids; the rest of a row stays, so that the copies look like what the product stored.
 */
type Changes = Readonly<Record<string, string>>;

const laterId = (column: string) => `case when length(s.${column}) = 32
  then overlay(s.${column} placing lpad(to_hex(d.number), 8, '0') from 17 for 8) else s.${column} end`;
const laterText = (column: string) => `nullif(s.${column}, '') || '-' || d.number`;
const laterTime = (column: string) => `s.${column} + d.number * interval '1 day'`;
const laterKey = 's.payment_key + d.number * d.keys';
const laterFingerprint = 'md5(s.fingerprint::text || d.number)::uuid';
const ofItsFile = { file_id: 'd.file_id' } as const;

/** The first day is matched so late that all its payments are due, and those without a settlement are known. */
export const daysUntilDue = 7;

const changes: Readonly<Record<string, Changes>> = {
  runs: {
    id: 'd.run_id',
    as_of: `s.as_of + d.number - ${daysUntilDue}`,
    started_at: laterTime('started_at'),
  },
  settlement_files: {
    id: 'd.file_id',
    sha256: `encode(sha256(convert_to(s.sha256 || d.number, 'UTF8')), 'hex')`,
    name: `d.number || '-' || s.name`,
    report_name: `d.number || '-' || s.report_name`,
    received_run_id: 'd.run_id',
    finished_run_id: 'd.run_id',
    received_at: laterTime('received_at'),
    first_settlement_date: 's.first_settlement_date + d.number',
    last_settlement_date: 's.last_settlement_date + d.number',
  },
  payments: {
    key: 's.key + d.number * d.keys',
    id: laterId('id'),
    short_id: laterText('short_id'),
    connector_tx_id1: laterText('connector_tx_id1'),
    connector_tx_id2: laterText('connector_tx_id2'),
    connector_tx_id3: laterText('connector_tx_id3'),
    merchant_transaction_id: laterText('merchant_transaction_id'),
    requested_at: laterTime('requested_at'),
    referenced_payment_id: laterId('referenced_payment_id'),
    // A pending payment gets its result within days: a success if a record names it.
    result_code: `case when s.outcome = 'PENDING' and ${isClosed('s.key')}
      then case when s.is_named then '000.000.000' else '800.100.151' end else s.result_code end`,
    // A payment that was missing its settlement, and is not any more, turned out to be authorised only.
    payment_type: `case when ${isClosed('s.closed_with')} then 'PA' else s.payment_type end`,
  },
  settlement_records: {
    ...ofItsFile,
    fingerprint: laterFingerprint,
    unique_id: laterId('unique_id'),
    short_id: laterText('short_id'),
    connector_tx_id1: laterText('connector_tx_id1'),
    connector_tx_id2: laterText('connector_tx_id2'),
    connector_tx_id3: laterText('connector_tx_id3'),
    tx_request_time: laterTime('tx_request_time'),
    settlement_date: 's.settlement_date + d.number',
  },
  rejected_rows: ofItsFile,
  // Of the findings one of a hundred stays open; the rest got a payment later.
  record_matches: {
    ...ofItsFile,
    run_id: 'd.run_id',
    status: `case when s.later_key is not null and ${isClosed('s.line')} then 'MATCHED' else s.status end`,
    matched_by: `case when s.later_key is not null and ${isClosed('s.line')} then 'UNIQUE_ID' else s.matched_by end`,
    payment_key: `case when s.later_key is not null and ${isClosed('s.line')} then s.later_key else s.payment_key end
      + d.number * d.keys`,
  },
  match_candidates: { ...ofItsFile, payment_key: laterKey },
  room_candidates: { ...ofItsFile, payment_key: laterKey },
  chargeback_links: {
    ...ofItsFile,
    run_id: 'd.run_id',
    payment_key: laterKey,
    chargeback_id: laterId('chargeback_id'),
    booking_id: laterId('booking_id'),
  },
  discrepancies: {
    // As the product derives it, so that the next run finds the same one again.
    id: `left(encode(sha256(convert_to(s.code || ':' || case when s.code in ('AMOUNT_MISMATCH',
      'CHARGEBACK_EXCEEDS_PAYMENT', 'MISSING_SETTLEMENT') then ${laterId('payment_id')}
      else ${laterFingerprint} || ':' || s.occurrence end, 'UTF8')), 'hex'), 32)`,
    file_id: 'case when s.file_id is not null then d.file_id end',
    payment_key: laterKey,
    first_seen_run: 'd.run_id',
    resolved_run: `case when ${isClosed('coalesce(s.line, s.payment_key)')} then d.run_id + 1 end`,
  },
  delivery_keys: {
    ...ofItsFile,
    key: 'md5(s.key::text || d.number)::uuid',
    awaited_id: `case when not ${isClosed('s.line')} then ${laterId('awaited_id')} end`,
  },
};

/** Whether a finding was closed: 99 in a hundred. Those that no finding is about have no line, and are not closed. */
function isClosed(line: string): string {
  return `coalesce((${line} + d.number) % 100 <> 0, false)`;
}

/** Rows that are not copied, as SQL over the row. */
const left: Readonly<Record<string, string>> = {
  match_candidates: `not ${isClosed('s.line')}`,
};

/** The copies to make of a day. */
export interface DaysToCopy {
  /** How many, one for each day that follows. */
  readonly days: number;
  readonly firstDate: string;
  /** As in the configuration: it decides which of them get their own tables. */
  readonly largeFileBytes: number;
}

/**
 * Fills a database in which one run has taken in one day with copies of that day. A year takes minutes in this way, and
 * hours if each day were imported and matched. Their records are in the tables that the product would have given them.
 */
export async function copyDays(sql: Sql, copies: DaysToCopy): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`select set_config('recon.fence', (select token::text from run_fence), true),
      set_config('work_mem', '256MB', true), set_config('maintenance_work_mem', '512MB', true)`;
    const inOwnTables = await listDays(tx, copies);
    await keepSeed(tx);
    const rebuild = await dropIndexes(tx, 'payments');
    for (const table of Object.keys(changes)) {
      await copyRows(tx, table, table === 'settlement_records' ? inOwnTables : []);
    }
    for (const definition of rebuild) await tx.unsafe(definition);
    await tx`select setval(pg_get_serial_sequence('payments', 'key'), (select max(key) from payments))`;
  });
  // The server does this automatically within minutes.
  await sql`vacuum (analyze) `;
}

/**
 * Gives each day a file, in the part that the product would choose, and a run.
 *
 * @returns the files whose part has no table yet
 */
async function listDays(tx: Tx, { days, firstDate, largeFileBytes }: DaysToCopy): Promise<readonly FileId[]> {
  await tx`create temp table days (number integer, file_id integer, run_id integer, keys bigint)
    on commit drop`;
  const [file] = await tx<{ bytes: number }[]>`select max(size_bytes)::float8 as bytes from settlement_files`;
  const timesLarge = (file?.bytes ?? 0) / largeFileBytes;
  const inOwnTables: FileId[] = [];
  for (let day = 1; day <= days; day += 1) {
    const month = `${dateAfter(firstDate, day + 1).slice(0, 7)}-01`;
    const fileId = await nextFileId(tx, { timesLarge, month });
    if ((await partOf(tx, fileId)).ownFile) inOwnTables.push(fileId);
    await tx`insert into days
      values (${day}, ${fileId}, ${day + 1}, (select max(key) from payments))`;
    // Takes the id; the row itself is copied later.
    await tx`insert into settlement_files (id, sha256, source, name, size_bytes, status, received_at, received_run_id)
      values (${fileId}, ${`taken ${fileId}`}, '', '', 0, 'taken', now(), 1)`;
  }
  await tx`delete from settlement_files where status = 'taken'`;
  await tx`analyze days`;
  return inOwnTables;
}

/** What the changes need besides the row `t`. */
const needed: Readonly<Record<string, { readonly columns: string; readonly joins: string }>> = {
  // A record with several payments gets the first of them, and one without any payment some other payment.
  record_matches: {
    columns: `, case t.status when 'MULTIPLE_MATCHES' then c.first when 'NOT_MATCHED' then
      (select min(key) from payments) + row_number() over (order by t.line) end as later_key`,
    joins: `left join (select line, min(payment_key) as first from match_candidates group by line) c using (line)`,
  },
  // What closes the finding that the payment has no settlement, or the one that a record has several payments.
  payments: {
    columns: `, coalesce(missing.payment_key, other.line) as closed_with,
      exists (select from record_matches m where m.payment_key = t.key) as is_named`,
    joins: `left join discrepancies missing on missing.payment_key = t.key and missing.code = 'MISSING_SETTLEMENT'
      left join (
        select payment_key, min(line) as line
        from (select *, min(payment_key) over (partition by line) as first from match_candidates) c
        where payment_key > first group by payment_key) other on other.payment_key = t.key`,
  },
  discrepancies: {
    columns: ', r.fingerprint, r.occurrence, p.id as payment_id',
    joins: `left join settlement_records r on r.file_id = t.file_id and r.line = t.line
      left join payments p on p.key = t.payment_key`,
  },
};

/** Copies the rows of the first day to separate tables, with what is needed to change them. */
async function keepSeed(tx: Tx): Promise<void> {
  await tx`analyze payments, settlement_records, record_matches, match_candidates, discrepancies`;
  for (const table of Object.keys(changes)) {
    const { columns = '', joins = '' } = needed[table] ?? {};
    await tx.unsafe(
      `create temp table seed_${table} on commit drop as select t.*${columns} from ${table} t ${joins}`,
    );
    await tx.unsafe(`analyze seed_${table}`);
  }
}

/** @param inOwnTables the files whose rows are copied to a new part each */
async function copyRows(tx: Tx, table: string, inOwnTables: readonly FileId[]): Promise<void> {
  const columns = await tx<{ name: string; type: string }[]>`
    select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''
    order by attnum`;
  const values = columns.map(({ name, type }) => `(${changes[table]?.[name] ?? `s.${name}`})::${type}`);
  const copy = (target: string, ofDays: string) =>
    tx.unsafe(
      `insert into ${target} (${columns.map(({ name }) => `"${name}"`).join(', ')})
       select ${values.join(', ')} from days d cross join seed_${table} s
       where ${left[table] ?? 'true'} and ${ofDays} order by d.number`,
    );
  await copy(table, `d.file_id <> all ('{${inOwnTables.join(',')}}')`);
  for (const fileId of inOwnTables) {
    await addPart(tx, await partOf(tx, fileId), async (target) => {
      await copy(target, `d.file_id = ${fileId}`);
      return [];
    });
  }
}

/** Drops the indexes of a table that are not constraints. @returns the statements that create them */
async function dropIndexes(tx: Tx, table: string): Promise<string[]> {
  const indexes = await tx<{ name: string; definition: string }[]>`
    select i.indexname as name, i.indexdef as definition from pg_indexes i
    where i.schemaname = 'public' and i.tablename = ${table}
      and not exists (select from pg_constraint c where c.conindid = i.indexname::regclass)`;
  for (const { name } of indexes) await tx`drop index ${tx(name)}`;
  return indexes.map(({ definition }) => definition);
}
