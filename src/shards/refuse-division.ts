import type { Sql } from '../db/client.js';
import { ReconError } from '../errors.js';
import { shardedTables } from './ledger-of-shard.js';

/** The name of the sessions of a division. */
export const sessionName = 'recon shards divide';

/** What must be the case before a division: the first thing that is not is reported. */
const obstacles: readonly ((sql: Sql) => Promise<string | undefined>)[] = [
  findOtherSessions,
  findGateway,
  findRetiredFirstPart,
  findDependents,
];

/** @throws ReconError DIVISION_REFUSED */
export async function refuseDivision(sql: Sql): Promise<void> {
  for (const find of obstacles) {
    const obstacle = await find(sql);
    if (obstacle !== undefined) throw divisionRefused(obstacle);
  }
}

/** The error of a division that would not be complete, or could not be undone. */
export const divisionRefused = (why: string) =>
  new ReconError('DIVISION_REFUSED', `${why} Nothing was moved.`);

/** They know the tables as they are, and could wait for hours. What starts meanwhile waits, or is refused by a lock. */
async function findOtherSessions(sql: Sql): Promise<string | undefined> {
  const others = await sql<{ name: string; host: string; sessions: number }[]>`
    select application_name as name, coalesce(host(client_addr), 'the database server') as host, count(*)::integer as sessions
    from pg_stat_activity
    where datname = current_database() and application_name like 'recon%' and application_name <> ${sessionName}
      and application_name not like 'recon lock: %'
      -- Those that keep the embedded server running.
      and application_name not like 'recon user %' and pid <> pg_backend_pid()
    group by 1, 2 order by 1, 2`;
  if (others.length === 0) return undefined;
  const named = others.map(({ name, host, sessions }) => `${sessions} of "${name}" from ${host}`);
  return `Other programs of recon are connected to the database (sessions: ${named.join(', ')}). Stop \`recon serve\`, \`schedule\`, \`worker\`, \`review\` and programs that use the library, and wait until imports end.`;
}

/** It does not work with shards, so one that is in use would stop working. */
async function findGateway(sql: Sql): Promise<string | undefined> {
  const [row] = await sql<{ tokens: number; jobs: number; notifications: number }[]>`
    select (select count(*)::integer from api_tokens
        where revoked_at is null and (expires_at is null or expires_at > now())) as tokens,
      (select count(*)::integer from jobs where status = 'active') as jobs,
      (select count(*)::integer from webhook_deliveries where status = 'waiting')
        + (select count(*)::integer from status_updates where status = 'waiting') as notifications`;
  const used = Object.entries({
    'valid access tokens': row?.tokens ?? 0,
    'active jobs': row?.jobs ?? 0,
    'notifications that wait': row?.notifications ?? 0,
  }).filter(([, number]) => number > 0);
  if (used.length === 0) return undefined;
  return `The gateway is in use (${used.map(([what, number]) => `${what}: ${number}`).join(', ')}), and \`recon serve\` and \`recon jobs\` do not work with shards. If it is not needed any more, revoke the tokens (\`recon tokens revoke\`), end the jobs, and let the notifications be delivered, or remove their webhooks (\`recon webhooks remove\`).`;
}

/** A retired table of this name would be in the place of a view that all records get. */
async function findRetiredFirstPart(sql: Sql): Promise<string | undefined> {
  const [row] = await sql<{ retired: boolean }[]>`
    select to_regclass('public.settlement_records_1') is not null and not exists (
      select from pg_inherits where inhrelid = to_regclass('public.settlement_records_1')) as retired`;
  if (row?.retired !== true) return undefined;
  return 'The table settlement_records_1 has retired records, and its name is needed. Dump and drop it, or give it another name: alter table settlement_records_1 rename to retired_records_1.';
}

/** Views and references that others made: they would keep the tables from being replaced. */
async function findDependents(sql: Sql): Promise<string | undefined> {
  const names = shardedTables.map(({ name }) => name);
  const dependents = await sql<{ name: string }[]>`
    with tables as (select c.oid from pg_class c where c.relnamespace = 'public'::regnamespace and (c.relname = any(${names})
      or c.oid in (select inhrelid from pg_inherits where inhparent = 'public.settlement_records'::regclass)))
    select distinct r.ev_class::regclass::text as name
    from pg_depend d join pg_rewrite r on d.classid = 'pg_rewrite'::regclass and r.oid = d.objid
    where d.refobjid in (select oid from tables) and r.ev_class not in (select oid from tables)
    union
    select conrelid::regclass::text from pg_constraint
    where contype = 'f' and confrelid in (select oid from tables) and conrelid <> 'public.payment_details'::regclass
    order by name`;
  if (dependents.length === 0) return undefined;
  return `Views or tables that do not belong to recon depend on payments, records or results: ${dependents.map(({ name }) => name).join(', ')}. Drop them, and create them again afterwards.`;
}
