import type { ShardPlace } from '../db/shards/shard-state.js';
import { shardedTables } from './ledger-of-shard.js';

/** The name of the foreign server; a configuration of other programs on the same database cannot collide with it. */
export const serverOf = ({ name }: Pick<ShardPlace, 'name'>) => `recon_shard_${name}`;

/** How many rows one round trip carries, written and read. */
const batch = `batch_size '1000', fetch_size '10000'`;

/** What the home server needs before the first shard. */
export const ledgerOfHome: readonly string[] = [
  `create extension if not exists postgres_fdw with schema public`,
  // A shard notes the same `addition`, so it is known whether the home server committed it.
  `create table shards (name text collate "C" primary key, position integer not null unique, added_at timestamptz not null default now(),
    addition uuid not null default gen_random_uuid())`,
  `create table shard_installation (singleton boolean primary key default true check (singleton),
    installation uuid not null)`,
  // One transaction writes on the shards at a time, and nobody reads meanwhile who must see all of it or nothing: the
  // shards commit one after the other. A transaction locks this table, which has no rows, before it takes its snapshot.
  // The lock ends after the commit of the home server, so after those of the shards.
  `create table shard_turn ()`,
  // A transaction that enters the shards stores its number here, so after a crash, the row is there if and only if the
  // home server committed. The number is not that of pg_current_xact_id(): a crash can lose the log of a transaction,
  // and PostgreSQL then gives the same number to another one, which may be committed.
  `create table shard_transactions (number bigint primary key)`,
  // Once per transaction, before its first statement on a shard: the shard then knows whose rows it gets, and this
  // transaction sees no row of a transaction that the home server did not commit. The lock has waited for every other
  // one to end. Nothing may be read on a shard before it, because that would be the state of an earlier moment. A
  // transaction that enters twice, with another token, keeps its number.
  `create function enter_shards() returns void language plpgsql set search_path = public, pg_temp as $$
  declare
    xid text := pg_current_xact_id()::text;
    fence bigint := nullif(current_setting('recon.fence', true), '')::bigint;
    entered text := xid || ' ' || coalesce(fence::text, '');
    former text := current_setting('recon.shards_entered', true);
    own bigint;
    known bigint[];
    place record;
    other bigint;
  begin
    if former = entered then return; end if;
    lock table shard_turn in access exclusive mode;
    -- A run that takes over from this one ends the sessions that have locked this row.
    if fence is not null then perform from run_fence for share; end if;
    known := (select array_agg(number) from shard_transactions);
    if split_part(former, ' ', 1) = xid then
      own := current_setting('recon.shard_transaction')::bigint;
    else
      -- Milliseconds and 20 random bits, so that no two are equal, even if the clock is set back.
      own := ((extract(epoch from clock_timestamp()) * 1000)::bigint << 20) | (random() * 1048575)::bigint;
      insert into shard_transactions values (own);
    end if;
    for place in select * from shards order by position loop
      execute format('insert into %I (home_transaction, token, installation, home_system, committed) values ($1, $2,
        (select installation from shard_installation), (select system_identifier from pg_control_system()), $3)',
        'shard_entry_' || place.position) using own, fence, known;
      for other in execute format('select home_transaction from %I where home_transaction <> $1',
        'shard_writes_' || place.position) using own loop
        execute format('insert into %I (home_transaction, committed) values ($1, $2)', 'shard_verdict_' || place.position)
        using other, exists (select from shard_transactions where number = other);
      end loop;
    end loop;
    -- Every shard has a verdict about them now.
    delete from shard_transactions where number <> own;
    perform set_config('recon.shards_entered', entered, true), set_config('recon.shard_transaction', own::text, true),
      set_config('enable_partitionwise_join', 'on', true), set_config('enable_partitionwise_aggregate', 'on', true);
  end $$`,
  // Sends work to every shard; reading shard_answers does it (src/db/shards/on-shards.ts).
  `create function ask_shards(prepare text, step text, answer text) returns void language plpgsql
  set search_path = public, pg_temp as $$
  declare
    place record;
  begin
    for place in select * from shards order by position loop
      execute format('insert into %I (shard, prepare, step, answer) values ($1, $2, $3, $4)', 'shard_question_' || place.position)
      using place.position, prepare, step, answer;
    end loop;
  end $$`,
  // For readers, which cannot undo anything: the shards with rows of transactions that were not committed.
  `create function unconfirmed_shards() returns text[] language plpgsql set search_path = public, pg_temp as $$
  declare
    place record;
    other bigint;
    found text[] := '{}';
  begin
    for place in select * from shards order by position loop
      for other in execute format('select home_transaction from %I', 'shard_writes_' || place.position) loop
        if not exists (select from shard_transactions where number = other) and not place.name = any (found) then
          found := found || place.name;
        end if;
      end loop;
    end loop;
    return found;
  end $$`,
  // Only transactions that enter the shards first may write there: those of runs and of imports. The payment core does
  // not, because its locks promise what a shard cannot keep: that the next statement sees what the one before waited
  // for.
  `create function require_shards() returns trigger language plpgsql set search_path = public, pg_temp as $$
  begin
    if split_part(current_setting('recon.shards_entered', true), ' ', 1) is distinct from pg_current_xact_id_if_assigned()::text then
      raise exception 'write to % without entering the shards', tg_table_name using errcode = 'RF004';
    end if;
    return null;
  end $$`,
];

/** Undoes {@link ledgerOfHome} when the last shard is removed, except the extension, which others may use. */
export const dropLedgerOfHome: readonly string[] = [
  `drop function enter_shards(), ask_shards(text, text, text), unconfirmed_shards(), require_shards()`,
  `drop table shards, shard_installation, shard_turn, shard_transactions`,
];

/** The foreign tables with which the home server writes and reads what it exchanges with one shard. */
export function channelsTo(shard: ShardPlace): readonly string[] {
  const foreign = (name: string, columns: string, table: string) =>
    `create foreign table ${name}_${shard.position} (${columns}) server ${serverOf(shard)}
      options (schema_name 'public', table_name '${table}')`;
  return [
    foreign(
      'shard_entry',
      'home_transaction bigint, token bigint, installation uuid, home_system bigint, committed bigint[]',
      'shard_entry',
    ),
    foreign('shard_verdict', 'home_transaction bigint, committed boolean', 'shard_verdict'),
    foreign('shard_writes', 'home_transaction bigint', 'shard_writes'),
    foreign('shard_fence', 'token bigint', 'run_fence'),
    foreign('shard_question', 'shard integer, prepare text, step text, answer text', 'shard_question'),
    foreign('shard_answer', 'answer text', 'shard_answer'),
    foreign(
      'shard_state',
      'installation uuid, name text, layout integer, token bigint, version text, migrations text, unconfirmed integer',
      'shard_state',
    ),
  ];
}

type ShardedTable = (typeof shardedTables)[number];

/** The name of a divided table before it takes the place of the table that has the rows now. */
export const dividedNameOf = ({ name }: Pick<ShardedTable, 'name'>) => `${name}_divided`;

/** Replaces the three tables, which are empty, by tables of the same columns whose rows are on the shards. */
export function divideTables(shards: readonly ShardPlace[]): readonly string[] {
  return [
    answersOf(shards),
    ...releaseTables,
    ...shardedTables.flatMap((table) => [
      // After the first shard, the results have the column of their shard already.
      createDivided(table, { hasShardColumn: shards.length > 1 }),
      ...takePlace(table),
      // They have the names of the foreign tables before, which are gone now.
      ...partitionsOf(table, table.name, shards),
    ]),
    ...onePartOfRecords,
  ];
}

/** Makes divided tables beside those that have the rows now, to be filled before they take their place. */
export function prepareDivision(shards: readonly ShardPlace[]): readonly string[] {
  return [
    answersOf(shards),
    ...shardedTables.flatMap((table) => [
      createDivided(table, { hasShardColumn: false }),
      ...partitionsOf(table, dividedNameOf(table), shards),
    ]),
  ];
}

/** Drops the tables that had the rows, and gives their names to those of {@link prepareDivision}. */
export function completeDivision(): readonly string[] {
  return [
    // The next key continues from the last one.
    `select setval(pg_get_serial_sequence('payments_divided', 'key'), last_value, is_called) from payments_key_seq`,
    ...releaseTables,
    ...shardedTables.flatMap(takePlace),
    ...onePartOfRecords,
  ];
}

const answersOf = (shards: readonly ShardPlace[]) =>
  `create or replace view shard_answers as ${shards
    .map(({ position }) => `select answer from shard_answer_${position}`)
    .join(' union all ')}`;

/** What refers to the tables and would keep them from being dropped. */
const releaseTables: readonly string[] = [
  // A foreign table cannot promise a unique key, and without one no reference is possible.
  `alter table payment_details drop constraint if exists payment_details_payment_key_payments_key_fk`,
  `do $$ begin
    if exists (select from pg_class where oid = to_regclass('public.settlement_records_1') and relkind = 'v') then
      drop view settlement_records_1;
    end if;
  end $$`,
];

const createDivided = (table: ShardedTable, { hasShardColumn }: { readonly hasShardColumn: boolean }) =>
  `create table ${dividedNameOf(table)} (like ${table.name} including defaults including generated including identity${
    table.name === 'record_matches' && !hasShardColumn ? ', shard integer not null' : ''
  }) partition by ${table.dividedBy}`;

const partitionsOf = ({ name, onShard }: ShardedTable, parent: string, shards: readonly ShardPlace[]) =>
  shards.map(
    (shard) => `create foreign table ${name}_on_${shard.position} partition of ${parent}
      for values ${name === 'record_matches' ? `in (${shard.position})` : `with (modulus ${shards.length}, remainder ${shard.position - 1})`}
      server ${serverOf(shard)} options (schema_name 'public', table_name '${onShard}', ${batch})`,
  );

const takePlace = (table: ShardedTable): readonly string[] => [
  `drop table ${table.name}`,
  `alter table ${dividedNameOf(table)} rename to ${table.name}`,
  ...(table.name === 'payments'
    ? [`alter sequence payments_divided_key_seq rename to payments_key_seq`]
    : [
        `create trigger require_fence before insert or update or delete or truncate on ${table.name}
          for each statement execute function require_fence()`,
      ]),
  `create trigger require_shards before insert or update or delete or truncate on ${table.name}
    for each statement execute function require_shards()`,
];

const onePartOfRecords: readonly string[] = [
  `create view settlement_records_1 as select * from settlement_records`,
  `delete from record_parts`,
  `insert into record_parts (first_file_id, end_file_id, own_file, month)
    values (1, 2147483647, false, date_trunc('month', now() at time zone 'UTC')::date)`,
];
