/** The tables whose rows are on shards, and the names of their tables there. */
export const shardedTables = [
  { name: 'payments', onShard: 'payments', dividedBy: 'hash (id)' },
  { name: 'settlement_records', onShard: 'settlement_records_1', dividedBy: 'hash (unique_id)' },
  { name: 'record_matches', onShard: 'record_matches', dividedBy: 'list (shard)' },
] as const;

const tablesOnShard = shardedTables.map(({ onShard }) => `'${onShard}'`).join(', ');

/**
 * What a migrated database needs to be a shard (decision 14). A shard commits before the home server does, and without
 * it, so a crash between the two leaves rows that the home server never stored. The ledger makes such a transaction
 * undoable: each row carries the number of the home transaction that inserted it, and a row that was changed or
 * deleted is kept as it was. The home server decides: a transaction that it committed has left a row with its number
 * there (`shard_transactions`).
 *
 * postgres_fdw works with an empty search path, so each function sets one.
 */
export const ledgerOfShard: readonly string[] = [
  `create table shard_membership (singleton boolean primary key default true check (singleton),
    installation uuid not null, name text not null, home_system bigint not null, layout integer not null,
    home_database oid not null, addition uuid not null)`,
  // The home transactions that wrote here and are not confirmed yet.
  `create table shard_writes (home_transaction bigint primary key)`,
  `create table shard_undo (id bigint generated always as identity primary key, home_transaction bigint not null,
    relation text not null, operation text not null, former jsonb not null)`,
  `create index shard_undo_home_transaction on shard_undo (home_transaction)`,
  // Those that were undone. A home server that has committed one of them was restored to another moment than the shard.
  `create table shard_undone (home_transaction bigint primary key)`,
  // Both are always empty: their triggers do what the home server asks for by inserting a row.
  `create table shard_entry (home_transaction bigint, token bigint, installation uuid, home_system bigint, committed bigint[])`,
  `create table shard_verdict (home_transaction bigint not null, committed boolean not null)`,
  `create function enter_shard() returns trigger language plpgsql set search_path = public as $$
  declare
    member shard_membership;
    current_token bigint;
  begin
    select * into member from shard_membership;
    if member.installation is distinct from new.installation or member.home_system is distinct from new.home_system then
      raise exception 'this shard belongs to another installation' using errcode = 'RF003';
    end if;
    if exists (select from shard_undone where home_transaction = any (new.committed)) then
      raise exception 'this shard has undone a transaction of this home server' using errcode = 'RF003';
    end if;
    if new.token is not null then
      select token into current_token from run_fence for share;
      if new.token < current_token then
        raise exception 'a newer run has entered this shard' using errcode = 'RF001';
      end if;
      if new.token > current_token then
        update run_fence set token = new.token;
      end if;
    end if;
    perform set_config('recon.fence', coalesce(new.token::text, ''), true),
      set_config('recon.home_transaction', new.home_transaction::text, true);
    return null;
  end $$`,
  `create trigger enter_shard before insert on shard_entry for each row execute function enter_shard()`,
  `create function note_home_transaction() returns trigger language plpgsql set search_path = public as $$
  declare
    writer text := current_setting('recon.home_transaction', true);
  begin
    if tg_op = 'TRUNCATE' then
      raise exception 'tables of a shard cannot be truncated' using errcode = 'RF002';
    end if;
    if coalesce(writer, '') = '' then
      raise exception 'write to % without the home server', tg_table_name
        using errcode = 'RF002', hint = 'Write through the home server of this shard.';
    end if;
    if writer <> 'undo' then
      insert into shard_writes values (writer::bigint) on conflict do nothing;
    end if;
    return null;
  end $$`,
  `create function keep_former_row() returns trigger language plpgsql set search_path = public as $$
  declare
    writer text := current_setting('recon.home_transaction', true);
  begin
    if writer <> 'undo' then
      insert into shard_undo (home_transaction, relation, operation, former)
      values (writer::bigint, tg_table_name, tg_op, to_jsonb(old));
    end if;
    return case tg_op when 'DELETE' then old else new end;
  end $$`,
  // All records of the shard are in one table; parts of them would need parts of its foreign table.
  `alter table settlement_records detach partition settlement_records_1`,
  `do $$
  declare
    written text;
  begin
    foreach written in array array[${tablesOnShard}] loop
      execute format('alter table %I add column home_transaction bigint', written);
      execute format('alter table %I alter column home_transaction set default nullif(current_setting(''recon.home_transaction'', true), ''undo'')::bigint', written);
      execute format('create trigger note_home_transaction before insert or update or delete or truncate on %I
        for each statement execute function note_home_transaction()', written);
      execute format('create trigger keep_former_row before update or delete on %I
        for each row execute function keep_former_row()', written);
    end loop;
  end $$`,
  `alter function require_fence() set search_path = public`,
  `create function judge_home_transaction() returns trigger language plpgsql set search_path = public as $$
  declare
    entered text := current_setting('recon.home_transaction');
    fence text := current_setting('recon.fence', true);
    step shard_undo;
    columns text;
    written text;
  begin
    if not new.committed then
      perform set_config('recon.home_transaction', 'undo', true),
        set_config('recon.fence', (select token::text from run_fence), true);
      for step in select * from shard_undo where home_transaction = new.home_transaction order by id desc loop
        select string_agg(quote_ident(attname), ', ' order by attnum) into columns from pg_attribute
        where attrelid = step.relation::regclass and attnum > 0 and not attisdropped and attgenerated = '';
        if step.operation = 'UPDATE' then
          execute format('update %1$I t set (%2$s) = (select %2$s from jsonb_populate_record(null::%1$I, $1)) where %3$s',
            step.relation, columns, case when step.relation = 'payments' then 't.key = ($1->>''key'')::bigint'
              else 't.file_id = ($1->>''file_id'')::integer and t.line = ($1->>''line'')::integer' end)
          using step.former;
        else
          execute format('insert into %1$I (%2$s) select %2$s from jsonb_populate_record(null::%1$I, $1)',
            step.relation, columns) using step.former;
        end if;
      end loop;
      foreach written in array array[${tablesOnShard}] loop
        execute format('delete from %I where home_transaction = $1', written) using new.home_transaction;
      end loop;
      insert into shard_undone values (new.home_transaction) on conflict do nothing;
      perform set_config('recon.home_transaction', entered, true), set_config('recon.fence', coalesce(fence, ''), true);
    end if;
    delete from shard_undo where home_transaction = new.home_transaction;
    delete from shard_writes where home_transaction = new.home_transaction;
    return null;
  end $$`,
  `create trigger judge_home_transaction before insert on shard_verdict
    for each row execute function judge_home_transaction()`,
  `create view shard_state as
    select m.installation, m.name, m.layout, f.token, current_setting('server_version') as version,
      (select md5(string_agg(hash, ',' order by created_at)) from drizzle.__drizzle_migrations) as migrations,
      (select count(*)::integer from shard_writes) as unconfirmed
    from shard_membership m cross join run_fence f`,
];
