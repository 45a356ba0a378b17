import { randomUUID } from 'node:crypto';
import { appendAuditEvents } from '../db/audit-log/append-audit-events.js';
import type { Sql, Tx } from '../db/client.js';
import { openMigrationSession } from '../db/connect.js';
import { readDatabaseUrl, type ConnectionAddress } from '../db/connection/connection-address.js';
import { sqlStateOf, toReconError } from '../db/database-errors.js';
import { awaitShards, enterShards } from '../db/shards/enter-shards.js';
import { hasShards, isDivided } from '../db/shards/is-divided.js';
import {
  answeredInTime,
  listShards,
  readShardState,
  requireReady,
  shardLayout,
  type ShardPlace,
} from '../db/shards/shard-state.js';
import { ReconError } from '../errors.js';
import { failPoint } from '../fail-point.js';
import type { Logger } from '../logger.js';
import { answersOfShard, positionOfShard } from './answers-of-shard.js';
import { ledgerOfShard, shardedTables } from './ledger-of-shard.js';
import { migrateShard } from './migrate-shard.js';
import { takeTurns } from './take-turns.js';
import { channelsTo, divideTables, ledgerOfHome, serverOf } from './tables-of-home.js';

/** A new shard, and the database that it is added to. */
export interface AddShardRequest {
  /** The home database. */
  readonly home: string;
  readonly name: string;
  /** The database of the shard, as the home server reaches it; may contain the password. */
  readonly url: string;
  readonly author: string;
  readonly logger: Logger;
}

/** What a foreign server can be given of a URL; other parameters would be lost silently. */
const knownParameters = new Set(['sslmode', 'sslrootcert']);

/** What became of a new shard. */
export interface AddedShard {
  /** The number of shards now. */
  readonly shards: number;
  /** Whether data is stored there from now on. If not, the home database has data, and `divideData` moves it. */
  readonly isUsed: boolean;
}

/**
 * Makes an empty database a shard (decision 14). If the home database is empty too, its tables are divided over the
 * shard and those before it. If it has data, the shard is noted, and nothing is stored there before the data is
 * divided. The shard is changed last: if anything fails before, both are as they were.
 *
 * The statements are not logged, because one of them contains the password.
 *
 * @throws ReconError SHARD_INVALID, CONFIG_INVALID, those of `migrateShard`
 */
export async function addShard(request: AddShardRequest): Promise<AddedShard> {
  if (!/^[a-z][a-z0-9]{0,20}$/.test(request.name))
    throw refused(request, 'a name has up to 21 lower-case letters and digits, and begins with a letter');
  const server = serverOptions(request);
  await migrateShard(request, request.logger);
  const home = openMigrationSession(request.home);
  const shard = openMigrationSession(request.url);
  try {
    const { added, isUsed } = await home.begin(async (tx) => {
      await takeTurns(tx);
      // A division that has begun divides the data over the shards that it found.
      if (await hasShards(tx)) await awaitShards(tx);
      const isUsed = await isEmpty(tx);
      if (!isUsed && (await isDivided(tx))) {
        throw refused(
          request,
          'data is stored on the shards of the home database already, and is not divided again',
        );
      }
      const { installation, shards } = await installationOf(tx, request);
      const added = { name: request.name, position: shards.length + 1 };
      await connect(tx, { request, server, installation, added });
      if (isUsed) for (const statement of divideTables([...shards, added])) await tx.unsafe(statement);
      await becomeShard(shard, tx, { request, installation, position: added.position });
      failPoint('shard.prepared');
      await appendAuditEvents(tx, request.author, [
        {
          action: 'shard.added',
          subject: added.name,
          details: { host: server['host'], dbname: server['dbname'] },
        },
      ]);
      return { added, isUsed };
    });
    // A transaction of its home server sees the shard as it was when that transaction first read there. So it first
    // waits for one that writes on the shards already.
    await home.begin(async (tx) => {
      await awaitShards(tx);
      requireReady(await readShardState(tx, added));
      await enterShards(tx);
    });
    return { shards: added.position, isUsed };
  } catch (thrown) {
    throw explained(thrown, request);
  } finally {
    await Promise.all([home.end({ timeout: 5 }), shard.end({ timeout: 5 })]);
  }
}

function refused({ name }: Pick<AddShardRequest, 'name'>, why: string): ReconError {
  return new ReconError('SHARD_INVALID', `Shard ${name} was not added: ${why}.`);
}

/** Whoever may not create the extension needs the administrator of the server once. */
function explained(thrown: unknown, request: AddShardRequest): unknown {
  if (sqlStateOf(thrown) === '42501') {
    return refused(
      request,
      'the user of the home database may not create the extension postgres_fdw or a foreign server. Let a superuser run there, once: create extension postgres_fdw; grant usage on foreign data wrapper postgres_fdw to the user of recon',
    );
  }
  return toReconError(thrown) ?? thrown;
}

/** The address in the terms of postgres_fdw. */
function serverOptions(request: AddShardRequest): Record<string, string> {
  const address: ConnectionAddress = readDatabaseUrl(request.url, 'The URL of --url');
  const { searchParams } = new URL(request.url);
  const unknown = [...searchParams.keys()].filter((name) => !knownParameters.has(name));
  if (unknown.length > 0)
    throw refused(
      request,
      `its URL has the parameter ${unknown.join(', ')}, and may only have sslmode and sslrootcert`,
    );
  return {
    host: address.host ?? 'localhost',
    port: `${address.port ?? 5432}`,
    dbname: address.database ?? address.username ?? 'postgres',
    ...Object.fromEntries(searchParams),
    async_capable: 'true',
    // Otherwise, a join with a few rows of the home server fetches the whole table.
    use_remote_estimate: 'true',
    // A look-up there costs as much as fetching 60 rows, and not 500.
    fdw_startup_cost: '30',
    fdw_tuple_cost: '0.5',
    // Of the session there: if this machine or the network disappears, its locks end within a minute.
    options:
      '-c lock_timeout=30s -c jit=off -c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3',
    keepalives_idle: '30',
  };
}

/**
 * Whether the home database has no payments and no files. If so, nobody else stores any until this transaction ends; a
 * database that shards were noted for is never taken for an empty one.
 */
async function isEmpty(tx: Tx): Promise<boolean> {
  if ((await hasShards(tx)) && !(await isDivided(tx))) return false;
  if (await hasData(tx)) return false;
  await tx`lock table payments, settlement_files in access exclusive mode`;
  return !(await hasData(tx));
}

async function hasData(tx: Tx): Promise<boolean> {
  const [row] = await tx<{ filled: boolean }[]>`
    select exists (select from settlement_files) or exists (select from payments)
      or exists (select from settlement_records) or exists (select from record_matches) as filled`;
  return row?.filled === true;
}

async function installationOf(
  tx: Tx,
  request: AddShardRequest,
): Promise<{ installation: string; shards: ShardPlace[] }> {
  if (!(await hasShards(tx))) return { installation: randomUUID(), shards: [] };
  const shards = await listShards(tx);
  if (shards.some(({ name }) => name === request.name))
    throw refused(request, 'there is a shard of this name');
  const [row] = await tx<{ installation: string }[]>`select installation from shard_installation`;
  return { installation: row?.installation ?? '', shards };
}

async function becomeShard(
  shard: Sql,
  home: Tx,
  {
    request,
    installation,
    position,
  }: { readonly request: AddShardRequest; readonly installation: string; readonly position: number },
): Promise<void> {
  const [here, there] = [await identityOf(home), await identityOf(shard)];
  if (here.system === there.system && here.database === there.database)
    throw refused(request, 'its URL leads to the home database');
  const [fence] = await home<{ token: bigint; addition: string }[]>`
    select token, (select addition from shards where position = ${position}) as addition from run_fence`;
  await shard.begin(async (tx) => {
    const [row] = await tx<{ member: boolean; divided: boolean }[]>`
      select to_regclass('public.shard_membership') is not null as member,
        to_regclass('public.shards') is not null as divided`;
    const isMember = row?.member === true;
    if (isMember && !(await isLeftOver(tx, home, here)))
      throw refused(
        request,
        'its database is already a shard, perhaps under another name. Create an empty database for it',
      );
    if (row?.divided === true) throw refused(request, 'its database has shards itself');
    for (const { onShard } of shardedTables) {
      const [filled] = await tx`select from ${tx(onShard)} limit 1`;
      if (filled !== undefined) throw refused(request, `its database is not empty (${onShard})`);
    }
    const statements = isMember
      ? [positionOfShard(position), `delete from shard_membership`]
      : [...ledgerOfShard, ...answersOfShard(position)];
    for (const statement of statements) await tx.unsafe(statement);
    await tx`update run_fence set token = ${fence?.token ?? 0n}`;
    await tx`insert into shard_membership (installation, name, home_system, layout, home_database, addition)
      values (${installation}, ${request.name}, ${here.system}::bigint, ${shardLayout}, ${here.database}::oid,
        ${fence?.addition ?? ''}::uuid)`;
  });
}

interface DatabaseIdentity {
  readonly system: string;
  /** Its number there, which a copy of the database does not have. */
  readonly database: string;
}

async function identityOf(sql: Sql | Tx): Promise<DatabaseIdentity> {
  const [row] = await sql<DatabaseIdentity[]>`
    select (select system_identifier from pg_control_system())::text as system, oid::text as database
    from pg_database where datname = current_database()`;
  return { system: row?.system ?? '', database: row?.database ?? '' };
}

/**
 * Whether an addition of this home database prepared the shard, and the home database does not have it: it was
 * interrupted before the home database committed it, or taken back. A shard of another layout was prepared by another
 * version, perhaps differently.
 */
async function isLeftOver(shard: Tx, home: Tx, { system, database }: DatabaseIdentity): Promise<boolean> {
  // As JSON, because a shard of an earlier version does not have all of these columns.
  const [member] = await shard<Record<'system' | 'database' | 'addition' | 'layout', string | null>[]>`
    select m->>'home_system' as system, m->>'home_database' as database, m->>'addition' as addition,
      m->>'layout' as layout
    from (select to_jsonb(m) as m from shard_membership m) m`;
  if (member?.system !== system || member.database !== database) return false;
  if (member.layout !== `${shardLayout}`) return false;
  const known = await home`select from shards where addition = ${member.addition}::uuid`;
  return known.length === 0;
}

interface NewShard {
  readonly request: AddShardRequest;
  readonly server: Readonly<Record<string, string>>;
  readonly installation: string;
  readonly added: ShardPlace;
}

/** Lets the home server reach the shard, and notes it. */
async function connect(tx: Tx, { request, server, installation, added }: NewShard): Promise<void> {
  if (added.position === 1) {
    for (const statement of ledgerOfHome) await tx.unsafe(statement);
    await tx`insert into shard_installation (installation) values (${installation})`;
  }
  const { username, password } = readDatabaseUrl(request.url);
  const account = {
    user: username ?? 'postgres',
    ...(typeof password === 'string' ? { password } : {}),
  };
  await tx.unsafe(
    `create server ${serverOf(added)} foreign data wrapper postgres_fdw options (${optionList(server)})`,
  );
  await tx.unsafe(
    `create user mapping for current_user server ${serverOf(added)} options (${optionList(account)})`,
  );
  for (const statement of channelsTo(added)) await tx.unsafe(statement);
  await tx`insert into shards (name, position) values (${added.name}, ${added.position})`;
  // Does the home server itself reach it, with this password?
  await answeredInTime(tx, added, () => tx`select token from ${tx(`shard_fence_${added.position}`)}`);
}

function optionList(options: Readonly<Record<string, string>>): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
  return Object.entries(options)
    .map(([name, value]) => `${name} ${quoted(value)}`)
    .join(', ');
}
