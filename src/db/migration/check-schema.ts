import { readFileSync } from 'node:fs';
import { ReconError } from '../../errors.js';
import { packageFile } from '../../package-files.js';
import { compareSchema, tablesWithTrigger, withoutDividedTables } from './compare-schema.js';
import type { Sql, Tx } from '../client.js';
import { isDivided } from '../shards/is-divided.js';
import { partColumns, type RecordPart } from '../parts/record-parts.js';
import { readSchemaFacts, type SchemaFacts } from './schema-facts.js';

/** In the folder of the migrations, which create it. */
const expectedFile = packageFile('drizzle/expected-schema.json');
/** After a restore that stopped early, hundreds of things are missing; the first few show what happened. */
const mostNamed = 40;

const damagedSource = /^(table|column) (record_parts|settlement_files|run_fence)\b/;

const remedy =
  'A restore that did not finish leaves a database like this. Restore it again, whole, from its dump or backup, and do not repair it by hand.';

/**
 * Compares tables, columns, indexes, constraints, triggers, functions and parts with those of a freshly migrated
 * database.
 *
 * @returns how many things were compared
 * @throws ReconError DATABASE_SCHEMA naming everything that is missing, disabled, invalid or not attached
 */
export async function requireWholeSchema(sql: Sql): Promise<number> {
  const all = readExpected();
  const isOnShards = await isDivided(sql);
  const expected = isOnShards ? withoutDividedTables(all) : all;
  const problems = await sql.begin('isolation level repeatable read read only', async (tx) => {
    const actual = await readSchemaFacts(tx);
    const found = compareSchema(expected, actual, []);
    // The table that lists the parts may itself be damaged.
    if (found.some((problem) => damagedSource.test(problem))) return found;
    return [
      ...compareSchema(expected, actual, isOnShards ? [] : await partsWithTable(tx)),
      ...(await emptyTables(tx)),
      ...(await missingFromQueue(tx)),
    ];
  });
  if (problems.length > 0) throw damaged(problems);
  return Object.keys(expected).length;
}

/**
 * Refuses a database in which a table lacks its fence, because a run that was replaced could write to it. This is one
 * query over the catalogue, so every run can afford it.
 *
 * @throws ReconError DATABASE_SCHEMA
 */
export async function requireFenceTriggers(sql: Sql): Promise<void> {
  const fenced = tablesWithTrigger('require_fence', readExpected());
  const open = await sql<{ name: string }[]>`
    select c.relname as name from pg_class c
    where c.relkind in ('r', 'p') and pg_table_is_visible(c.oid)
      and (c.relname = any(${fenced})
        or c.oid in (select inhrelid from pg_inherits where inhparent = to_regclass('settlement_records')))
      and not exists (select from pg_trigger t
        where t.tgrelid = c.oid and t.tgname = 'require_fence' and t.tgenabled in ('O', 'A'))
    order by c.relname`;
  if (open.length === 0) return;
  throw new ReconError(
    'DATABASE_SCHEMA',
    `The trigger require_fence is missing or disabled on ${open.map(({ name }) => name).join(', ')}. Without it, a run that was replaced could still write, so nothing was started. ${remedy} recon doctor names everything that is missing.`,
  );
}

/** The tables and types of the database that have the names of ours, whoever made them. */
export async function findOurNames(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relkind in ('r', 'p') and pg_table_is_visible(oid) and relname = any(${namesOfOur('table')})
    union all
    select typname from pg_type
    where typtype = 'e' and pg_type_is_visible(oid) and typname = any(${namesOfOur('type')})
    order by name`;
  return rows.map(({ name }) => name);
}

/** The names of what a freshly migrated database has. */
export function namesOfOur(kind: 'table' | 'type'): string[] {
  return Object.keys(readExpected())
    .filter((name) => name.startsWith(`${kind} `))
    .map((name) => name.slice(kind.length + 1));
}

function readExpected(): SchemaFacts {
  return JSON.parse(readFileSync(expectedFile, 'utf8')) as SchemaFacts;
}

/** The table of a large file is created when the file is loaded. */
async function partsWithTable(tx: Tx): Promise<readonly RecordPart[]> {
  return tx<RecordPart[]>`
    select ${partColumns(tx)} from record_parts p
    where not own_file
      or exists (select from settlement_files f where f.id = p.first_file_id and f.status = 'loaded')
    order by first_file_id`;
}

/** Tables that are never empty: a migration inserts a row, and recon never removes the last one. */
async function emptyTables(tx: Tx): Promise<string[]> {
  const [row] = await tx<{ parts: boolean; fence: boolean }[]>`
    select exists (select from record_parts) as parts, exists (select from run_fence) as fence`;
  return [
    ...(row?.parts === true ? [] : ['table record_parts is empty']),
    ...(row?.fence === true ? [] : ['table run_fence is empty']),
  ];
}

/** The job queue of webhooks: a schema of its library, which is not on the search path and changes with its version. */
async function missingFromQueue(tx: Tx): Promise<string[]> {
  const rows = await tx<{ name: string }[]>`
    select name from unnest(${queueTables}::text[]) as name where to_regclass('recon_queue.' || name) is null
    union all
    select name || '()' from unnest(${queueFunctions}::text[]) as name
    where not exists (select from pg_proc where proname = name and pronamespace = to_regnamespace('recon_queue'))`;
  return rows.map(({ name }) => `recon_queue.${name} is missing`);
}

const queueTables = [
  '_private_jobs',
  '_private_job_queues',
  '_private_tasks',
  '_private_known_crontabs',
  'migrations',
  'jobs',
];
const queueFunctions = ['add_job', 'add_jobs', 'complete_jobs', 'force_unlock_workers'];

function damaged(problems: readonly string[]): ReconError {
  const more = problems.length - mostNamed;
  return new ReconError(
    'DATABASE_SCHEMA',
    [
      `The database is incomplete; ${problems.length === 1 ? '1 thing is' : `${problems.length} things are`} missing or wrong:`,
      ...problems.slice(0, mostNamed),
      ...(more > 0 ? [`and ${more} more`] : []),
      remedy,
    ].join('\n'),
  );
}
