import type { Sql, Tx } from '../db/client.js';
import { toReconError } from '../db/database-errors.js';
import { namingHome } from '../db/shards/enter-shards.js';
import { hasShards, isDivided } from '../db/shards/is-divided.js';
import {
  listShards,
  readShardState,
  requireKnownRows,
  requireKnownRun,
  requireReady,
  type ShardPlace,
  type ShardState,
} from '../db/shards/shard-state.js';
import { ReconError, type ErrorCode } from '../errors.js';
import type { Logger } from '../logger.js';
import { shardedTables } from './ledger-of-shard.js';
import { migrateShard } from './migrate-shard.js';
import { serverOf } from './tables-of-home.js';

/** Whether data is stored on a shard, or is to be moved there by `recon shards divide`. */
export type ShardUse = 'used' | 'noted';

/** Where a shard is; never its password. */
export interface ShardAddress {
  readonly name: string;
  readonly state: ShardUse;
  readonly host: string;
  readonly port: string;
  readonly database: string;
  readonly user: string;
}

/** What a check found. */
export interface CheckedShard {
  readonly name: string;
  readonly state: ShardUse;
  /** Why it cannot be used; null if it can. */
  readonly error: { readonly code: ErrorCode; readonly message: string } | null;
  readonly version: string | null;
  readonly token: string | null;
  /** How many transactions it has committed without knowing yet whether the home server has committed them too. */
  readonly unconfirmed: number | null;
  /** None for a shard that is not used yet. */
  readonly rows: Readonly<Record<string, number>>;
}

const useOf = async (sql: Sql): Promise<ShardUse> => ((await isDivided(sql)) ? 'used' : 'noted');

/** The address of each shard, without connecting to it; empty if there are none. */
export async function shardAddresses(sql: Sql): Promise<ShardAddress[]> {
  if (!(await hasShards(sql))) return [];
  const state = await useOf(sql);
  const addresses: ShardAddress[] = [];
  for (const shard of await listShards(sql)) {
    const options = await optionsOf(sql, shard);
    addresses.push({
      name: shard.name,
      state,
      host: options['host'] ?? '',
      port: options['port'] ?? '',
      database: options['dbname'] ?? '',
      user: options['user'] ?? '',
    });
  }
  return addresses;
}

/** Asks each shard through the home server, as a run does. A shard that fails hides no other. */
export async function checkShards(sql: Sql): Promise<CheckedShard[]> {
  if (!(await hasShards(sql))) return [];
  const use = await useOf(sql);
  const checked: CheckedShard[] = [];
  for (const shard of await listShards(sql)) checked.push(await checkShard(sql, shard, use));
  return checked;
}

async function checkShard(sql: Sql, shard: ShardPlace, use: ShardUse): Promise<CheckedShard> {
  const unknown = { name: shard.name, state: use, version: null, token: null, unconfirmed: null, rows: {} };
  try {
    return await sql.begin((tx) => checkUsableShard(tx, shard, use));
  } catch (thrown) {
    const known = toReconError(thrown);
    if (known === undefined) throw thrown;
    const message = known.message.includes(shard.name)
      ? known.message
      : `Shard ${shard.name}: ${known.message}`;
    return { ...unknown, error: { code: known.code, message } };
  }
}

async function checkUsableShard(tx: Tx, shard: ShardPlace, use: ShardUse): Promise<CheckedShard> {
  const state = await readShardState(tx, shard);
  requireReady(state);
  await requireHome(tx, shard);
  if (use === 'used') await requireSameHistory(tx, shard, state);
  const rows: Record<string, number> = {};
  for (const { name } of use === 'used' ? shardedTables : []) {
    const [row] = await tx<{ count: bigint }[]>`
      select count(*) as count from ${tx(`${name}_on_${shard.position}`)}`;
    rows[name] = Number(row?.count ?? 0n);
  }
  const { version, token, unconfirmed } = state;
  return { name: shard.name, state: use, error: null, version, token: token.toString(), unconfirmed, rows };
}

/** What the next run will ask. */
async function requireSameHistory(tx: Tx, shard: ShardPlace, state: ShardState): Promise<void> {
  const [next] = await tx<{ token: bigint }[]>`select token + 1 as token from run_fence`;
  if (next === undefined) throw new Error('run_fence has no row');
  requireKnownRun(state, next.token);
  // What the home server did not commit is undone first.
  const lost = await tx`select from ${tx(`shard_writes_${shard.position}`)} w
    where not exists (select from shard_transactions t where t.number = w.home_transaction)`;
  if (lost.length === 0) await requireKnownRows(tx, state, next.token, shard);
}

/** Enters the shard as a transaction does, and leaves it again. */
async function requireHome(tx: Tx, { position }: ShardPlace): Promise<void> {
  await namingHome(tx`insert into ${tx(`shard_entry_${position}`)} (home_transaction, installation, home_system, committed)
    values (0, (select installation from shard_installation), (select system_identifier from pg_control_system()),
      (select array_agg(number) from shard_transactions))`);
}

/** @throws ReconError of the first shard that cannot be used */
export async function requireShards(sql: Sql): Promise<readonly CheckedShard[]> {
  const checked = await checkShards(sql);
  for (const { error } of checked) if (error !== null) throw new ReconError(error.code, error.message);
  return checked;
}

/**
 * Migrates every shard, as `recon migrate` does the home database.
 *
 * @returns the applied migrations of each shard that was not current; null if there are no shards
 */
export async function migrateShards(
  sql: Sql,
  logger: Logger,
): Promise<Readonly<Record<string, readonly string[]>> | null> {
  if (!(await hasShards(sql))) return null;
  const applied: Record<string, readonly string[]> = {};
  for (const shard of await listShards(sql)) {
    const names = await migrateShard({ name: shard.name, url: await urlOf(sql, shard) }, logger);
    if (names.length > 0) applied[shard.name] = names;
  }
  return applied;
}

/** The address of a shard with its password. */
export async function urlOf(sql: Sql, shard: ShardPlace): Promise<string> {
  const {
    host = '',
    port = '',
    dbname = '',
    user = '',
    password,
    sslmode,
    sslrootcert,
  } = await optionsOf(sql, shard);
  const account = `${encodeURIComponent(user)}${password === undefined ? '' : `:${encodeURIComponent(password)}`}`;
  const protection = new URLSearchParams({
    ...(sslmode === undefined ? {} : { sslmode }),
    ...(sslrootcert === undefined ? {} : { sslrootcert }),
  });
  return `postgresql://${account}@/${encodeURIComponent(dbname)}?${new URLSearchParams({ host, port }).toString()}&${protection.toString()}`;
}

/** Options of the foreign server and of the user; the password is shown to its own user only. */
async function optionsOf(sql: Sql, shard: ShardPlace): Promise<Readonly<Record<string, string>>> {
  const rows = await sql<{ name: string; value: string }[]>`
    select o.option_name as name, o.option_value as value
    from pg_foreign_server s, pg_options_to_table(s.srvoptions) o where s.srvname = ${serverOf(shard)}
    union all
    select o.option_name, o.option_value
    from pg_user_mappings m, pg_options_to_table(m.umoptions) o
    where m.srvname = ${serverOf(shard)} and m.usename = current_user`;
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}
